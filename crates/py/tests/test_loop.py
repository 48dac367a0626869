"""`fathom.minimize`."""

from __future__ import annotations

import math
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import fathom

BOX: fathom.space.Space = {"x1": (-5, 10), "x2": (0, 15)}


def test_branins_minimum_is_found(branin: Callable[[dict[str, float]], float]) -> None:
    result = fathom.minimize(branin, BOX, n_trials=30, kernel="matern52", initial=10)
    assert result.value is not None and result.value < 0.397887 + 1e-3
    assert result.x is not None and branin(result.x) == result.value
    assert len(result.trials) == 30 and result.study.best == min(result.trials, key=lambda trial: trial.value or 0)
    certificate = result.certificate
    assert certificate is not None and certificate.status == "optimal" and certificate == result.trials[-1].certificate
    assert result.remaining_gain is not None and result.remaining_gain >= 0


def test_constraints_are_kept(branin: Callable[[dict[str, float]], float]) -> None:
    result = fathom.minimize(branin, BOX, n_trials=18, constraints=["x1 + x2 <= 4"], kernel="matern52", initial=8)
    assert all(trial.params["x1"] + trial.params["x2"] <= 4 + 1e-8 for trial in result.trials)
    # The best point that keeps the constraint is on its boundary, near (2.88, 1.12).
    assert result.value is not None and 0.397887 < result.value < 5


def test_a_function_without_a_value_fails_its_trial_and_an_exception_is_raised() -> None:
    def moody(x: dict[str, float]) -> float | None:
        return {0: None, 1: math.nan, 2: math.inf}.get(int(x["x"] * 10), x["x"])

    result = fathom.minimize(moody, {"x": (0.0, 1.0)}, n_trials=12, initial=10)
    failed = [trial for trial in result.trials if trial.state == "failed"]
    assert failed and all(trial.params["x"] < 0.3 for trial in failed)
    assert {trial.message for trial in failed} <= {f"the function gave {value}" for value in (None, "nan", "inf")}
    assert result.value is not None and result.value >= 0.3

    told: list[fathom.Trial] = []
    with pytest.raises(ZeroDivisionError):
        fathom.minimize(lambda x: 1 / 0, {"x": (0.0, 1.0)}, callback=lambda study, trial: told.append(trial))
    assert told == []


def test_a_callback_sees_every_trial_told_and_can_end_the_loop() -> None:
    seen: list[tuple[int, float | None]] = []

    def enough(study: fathom.Study, trial: fathom.Trial) -> bool:
        seen.append((trial.id, trial.value))
        assert study.trials[-1] == trial
        return len(seen) == 3

    result = fathom.minimize(lambda x: x["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=9, callback=enough)
    assert seen == [(trial.id, trial.value) for trial in result.trials] and len(seen) == 3


def test_a_loop_in_a_store_goes_on_where_it_was_left(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/mine.db"
    calls: list[float] = []

    def f(x: dict[str, float]) -> float:
        calls.append(x["x"])
        if len(calls) == 4:
            raise KeyboardInterrupt
        return (x["x"] - 0.2) ** 2

    settings = {"n_trials": 7, "store": store, "name": "mine", "initial": 3}
    with pytest.raises(fathom.Interrupted) as stopped:
        fathom.minimize(f, {"x": (-1.0, 1.0)}, **settings)  # type: ignore[arg-type]
    so_far = stopped.value.result
    assert [trial.state for trial in so_far.trials] == ["complete"] * 3 + ["pending"]
    assert so_far.value == min(trial.value for trial in so_far.trials[:3])
    result = fathom.minimize(f, {"x": (-1.0, 1.0)}, **settings)  # type: ignore[arg-type]
    assert [trial.state for trial in result.trials] == ["complete"] * 7
    assert calls[4] == calls[3] and len(calls) == 8
    # Nothing is left to do.
    assert fathom.minimize(f, {"x": (-1.0, 1.0)}, **settings).x == result.x and len(calls) == 8  # type: ignore[arg-type]


def test_a_loop_without_a_value_has_no_best() -> None:
    result = fathom.minimize(lambda x: None, {"x": (0.0, 1.0)}, n_trials=3)
    assert (result.x, result.value, result.certificate, result.remaining_gain) == (None, None, None, None)


EVALUATES_FOR_EVER = """
import sys, time, fathom
def f(x):
    print("at it", flush=True)
    time.sleep(600)
fathom.minimize(f, {"x": (-1.0, 1.0)}, n_trials=3, store=sys.argv[1], initial=3)
"""


def test_what_a_killed_process_was_at_is_evaluated_again(tmp_path: Path) -> None:
    database = tmp_path / "mine.db"
    store = f"sqlite://{database}"

    def lease() -> float:
        with sqlite3.connect(database) as connection:
            return float(connection.execute("SELECT lease FROM trial WHERE number = 1").fetchone()[0])

    with subprocess.Popen([sys.executable, "-c", EVALUATES_FOR_EVER, store], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None and worker.stdout.readline() == "at it\n"
        first = lease()
        assert first > time.time()
        # The process lives, and says so.
        deadline = time.monotonic() + 30
        while lease() == first and time.monotonic() < deadline:
            time.sleep(0.2)
        assert lease() > first
        others = fathom.minimize(lambda x: x["x"], {"x": (-1.0, 1.0)}, n_trials=3, store=store, initial=3)
        assert [trial.state for trial in others.trials] == ["pending", "complete", "complete"]
        worker.send_signal(signal.SIGKILL)
    with sqlite3.connect(database) as connection:
        # The lease is made to end now.
        connection.execute("UPDATE trial SET lease = 1 WHERE number = 1")
    seen: list[float] = []

    def f(x: dict[str, float]) -> float:
        seen.append(x["x"])
        return x["x"]

    result = fathom.minimize(f, {"x": (-1.0, 1.0)}, n_trials=3, store=store, initial=3)
    assert [trial.state for trial in result.trials] == ["complete"] * 3
    assert seen == [others.trials[0].params["x"]]


def test_a_store_that_is_away_for_a_while_is_told_when_it_is_back() -> None:
    from fathom.loop import _report

    calls: list[int] = []

    def tell() -> None:
        calls.append(len(calls))
        if len(calls) < 3:
            error = fathom.StoreError("away")
            error.is_temporary = True
            raise error

    with pytest.warns(RuntimeWarning, match="away; trying again"):
        _report(tell)
    assert calls == [0, 1, 2]

    def refuse() -> None:
        raise fathom.StoreError("for good")

    with pytest.raises(fathom.StoreError, match="for good"):
        _report(refuse)
