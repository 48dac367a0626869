//! `fathom new`: the questions at a terminal, and the same as options.

use super::sessions::{Session, compare};
use std::path::Path;

/// Runs a command whose stdin is a terminal, on which everything is typed beforehand. A question too many ends after a minute.
const TERMINAL: &str = "\
import os, pty, subprocess, sys, termios
near, far = pty.openpty()
modes = termios.tcgetattr(far)
modes[3] &= ~termios.ECHO
termios.tcsetattr(far, termios.TCSANOW, modes)
os.write(near, sys.stdin.buffer.read())
sys.exit(subprocess.run(sys.argv[1:], stdin=far, timeout=60).returncode)
";

const BENCH: &str = "temperature 20 118 step 5
temperature 20 120 step 5
Katalysator-Menge 0,1 10 log
stirred yes/no
hours 1,000 24
hours 1 24
hours 2 3
solvent DMF, THF, toluene

temperature*hours <= 1200
hours < 5
0,5*temperature + hours <= 62,5
`Katalysator-Menge` >= 0,2
at most 1 of temperature, stirred


max
many
15
";

#[test]
fn somebody_without_a_program_is_led_to_ask_and_tell() {
    let mut session = Session::new();
    session.write("terminal.py", TERMINAL);
    session.write("bench", BENCH);
    session.write("program", "x 0 1\n\n\npython3 my.py {x}\n\n\n");
    session.run("python3 terminal.py fathom new bench.toml < bench");
    session.run("grep -v '^# [^Y\\[c]' bench.toml");
    session.run("fathom run bench.toml");
    session.run("fathom ask bench.toml");
    session.run("fathom tell bench.toml 1 17.5");
    session.run("fathom trials bench.toml --csv | cut -d , -f 1,2,8");
    session.run("python3 terminal.py fathom new program.toml < program");
    session.run("grep -A 4 '^.evaluate' program.toml");
    session.run("fathom new options.toml -p 'x 0 1' -p 'y 0 1' --constraint 'x + y <= 1,5' --constraint 'x >= y' --trials 12 --by-hand");
    session.run("grep '^[^#]' options.toml");
    session.run("fathom new bad.toml -p 'x 0 1' --constraint 'x + z <= 1'");
    session.run("fathom new bad.toml -p 'x 0 1' --constraint 'x <= 1,000'");
    session.run("fathom new bad.toml -p 'x 0 1' --trials 0");
    session.run("fathom new bad.toml -p 'x 0 1' --by-hand --command prog");
    session.run("ls *.toml");
    compare(&session.transcript, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/new.txt"));
}
