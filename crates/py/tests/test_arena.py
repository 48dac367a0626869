"""The arena of `fathom-bench` plays studies of this package, takes up a run, and refuses what it does not know."""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from conftest import ROOT

import fathom

BUDGET = 20
OURS = "ours@fathom:strategy.initial=5,strategy.acquisition=lcb,strategy.kernel=matern52"


def arena(
    program: Callable[[str], str], folder: Path, *options: str, budget: int = BUDGET
) -> subprocess.CompletedProcess[str]:
    where = ["--set", "tiny", "--python", sys.executable, "--arena", str(ROOT / "crates/bench/arena")]
    command = [program("fathom-bench"), "arena", str(folder), "--budget", str(budget), *where, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def test_a_run_is_played_taken_up_and_shown(program: Callable[[str], str], tmp_path: Path) -> None:
    rivals = ["--rival", OURS, "--rival", "random"]
    first = arena(program, tmp_path, *rivals, "--only", "branin")
    assert first.returncode == 0, first.stderr
    second = arena(program, tmp_path, *rivals)
    assert "2 of 4 parts are there" in second.stderr, second.stderr
    with gzip.open(tmp_path / "raw.csv.gz", "rt") as file:
        rows = {(row["rival"], row["problem"]): row for row in csv.DictReader(file)}
    assert len(rows) == 4 and all(row["error"] == "" and int(row["evaluations"]) == BUDGET for row in rows.values())
    after, best, gain, spread = map(float, rows[OURS, "branin"]["claims"].split(":"))
    assert after == BUDGET and best <= best + gain and spread > 0
    taken = arena(program, tmp_path / "merged", "--rival", "random", "--seeds", "2", "--from", str(tmp_path))
    assert "0 of 6 parts are there" in taken.stderr, "four are taken over, and two of another seed are played"
    assert "6 studies" in taken.stdout
    foreign = arena(program, tmp_path / "other", "--from", str(tmp_path), budget=9)
    assert foreign.returncode == 2 and "another set or budget" in foreign.stderr
    tables = (tmp_path / "tables.md").read_text()
    assert "Duels of ours" in tables and "| random |" in tables and (tmp_path / "targets.svg").exists()


def test_the_referee_writes_down_what_the_study_was_told(
    program: Callable[[str], str], branin: Callable[[dict[str, float]], float], tmp_path: Path
) -> None:
    done = arena(program, tmp_path, "--rival", OURS, "--only", "branin", "--seed", "3")
    assert done.returncode == 0, done.stderr
    study = fathom.Study(
        {"x1": (-5.0, 10.0), "x2": (0.0, 15.0)}, seed=3, initial=5, acquisition="lcb", kernel="matern52"
    )
    bests: list[str] = []
    for count in range(1, BUDGET + 1):
        trial = study.ask()
        value = branin({name: float(trial.params[name]) for name in ("x1", "x2")})
        if study.best is None or study.best.value is None or value < study.best.value:
            bests.append(f"{count}:{value!r}")
        study.tell(trial, value)
    with gzip.open(tmp_path / "raw.csv.gz", "rt") as file:
        (row,) = csv.DictReader(file)
    assert row["bests"].split() == bests
    # Without noise the point that the study recommends is the best one told.
    assert study.best is not None and float(row["recommended"]) == study.best.value


def test_a_study_in_batches_has_the_same_budget(program: Callable[[str], str], tmp_path: Path) -> None:
    done = arena(program, tmp_path, "--rival", "four@fathom:batch=4", "--only", "branin")
    assert done.returncode == 0, done.stderr
    with gzip.open(tmp_path / "raw.csv.gz", "rt") as file:
        (row,) = csv.DictReader(file)
    assert (row["error"], int(row["evaluations"])) == ("", BUDGET)


def test_a_rival_or_a_key_that_is_not_there_is_named(program: Callable[[str], str], tmp_path: Path) -> None:
    unknown = arena(program, tmp_path / "a", "--rival", "nobody")
    assert unknown.returncode == 2 and "there is no rival nobody" in unknown.stderr
    foreign = arena(program, tmp_path / "b", "--rival", "fathom:space.initial=3")
    assert foreign.returncode == 2 and "space: only keys under `strategy.`" in foreign.stderr, foreign.stderr
    wrong = arena(program, tmp_path / "c", "--rival", "fathom:strategy.kernl=rbf")
    assert wrong.returncode == 2 and "kernl" in wrong.stderr, wrong.stderr
