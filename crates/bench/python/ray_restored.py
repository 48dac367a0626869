"""Forty trials of Ray Tune by Fathom, two at a time, with the whole of Ray killed on the way and the run restored.

    python ray_restored.py run FOLDER        # raw.csv: the trials of the restored run
    python ray_restored.py report FOLDER     # tables.md from raw.csv alone
"""

import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRIALS, TOGETHER, KILLED_AT = 40, 2, 15
COLUMNS = ["trial", "id", "x", "y", "loss", "began_before_the_kill", "certified"]


def evaluate(config):
    from ray import tune

    time.sleep(0.2)
    tune.report({"loss": (config["x"] - 1) ** 2 + (config["y"] + 2) ** 2})


def worker(place, how):
    """One life of the run: prints its trials if it gets to the end."""
    import ray
    from ray import tune

    from fathom.ray import FathomSearch

    for tries_left in (2, 1, 0):
        try:
            ray.init(num_cpus=TOGETHER, include_dashboard=False, log_to_driver=False)
            break
        except Exception:
            # Ray gives its own servers half a minute to start, which a busy machine does not always have.
            if not tries_left:
                raise
    if how == "resume":
        tuner = tune.Tuner.restore(str(place / "run"), trainable=evaluate, resume_unfinished=True)
    else:
        tuner = tune.Tuner(
            evaluate,
            param_space={"x": tune.uniform(-5, 5), "y": tune.uniform(-5, 5)},
            tune_config=tune.TuneConfig(
                search_alg=FathomSearch(), metric="loss", mode="min", num_samples=TRIALS, max_concurrent_trials=TOGETHER
            ),
            run_config=tune.RunConfig(name="run", storage_path=str(place), verbose=0),
        )
    for result in tuner.fit():
        print("TRIAL", result.metrics["trial_id"], result.config["x"], result.config["y"], result.metrics["loss"], sep=",")


def begun(place):
    """The trials that have a folder, by identifier, with their number in the run."""
    folders = [folder.name.split("_") for folder in (place / "run").glob("evaluate_*")]
    return {name[1]: int(name[2]) for name in folders}


def run(folder):
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        killed = start(place, "begin")
        try:
            while len(begun(place)) < KILLED_AT:
                if killed.poll() is not None:
                    raise RuntimeError(f"the run ended by itself:\n{killed.communicate()[0]}")
                time.sleep(0.1)
        finally:
            # Ray's servers are in the same session and go with it.
            os.killpg(killed.pid, signal.SIGKILL)
            killed.communicate()
        before = begun(place)
        restored = start(place, "resume")
        output, _ = restored.communicate()
        if restored.returncode != 0:
            raise RuntimeError(f"the restored run failed:\n{output}")
        write(folder, place, output, before)


def start(place, how):
    # How often Ray saves, in seconds. It does so in place, so a kill at that very moment would lose all.
    environment = {**os.environ, "TUNE_GLOBAL_CHECKPOINT_S": "5"}
    command = [sys.executable, __file__, "worker", str(place), how]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True
    )


def write(folder, place, output, before):
    import ray.cloudpickle as pickle

    newest = max((place / "run").glob("searcher-state-*.pkl"), key=lambda path: path.stat().st_mtime)
    certificates = pickle.loads(newest.read_bytes())["certificates"]
    numbers = begun(place)
    trials = [line.split(",")[1:] for line in output.splitlines() if line.startswith("TRIAL")]
    with (folder / "raw.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for name, *rest in sorted(trials, key=lambda trial: numbers[trial[0]]):
            out.writerow([numbers[name], name, *rest, int(name in before), int(name in certificates)])


def report(folder):
    with (folder / "raw.csv").open() as file:
        rows = list(csv.DictReader(file))
    points = {(row["x"], row["y"]) for row in rows}
    lines = ["Made from raw.csv by `crates/bench/python/ray_restored.py report`.", "", "| | |", "|---|---|"]
    lines += [
        f"| trials | {len(rows)} |",
        f"| different points | {len(points)} |",
        f"| begun before the kill | {sum(row['began_before_the_kill'] == '1' for row in rows)} |",
        f"| suggestions with a certificate | {sum(row['certified'] == '1' for row in rows)} |",
        f"| best loss (the minimum is 0) | {min(float(row['loss']) for row in rows):.2g} |",
        "",
    ]
    (folder / "tables.md").write_text("\n".join(lines))


if __name__ == "__main__":
    {"run": run, "report": report, "worker": worker}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
