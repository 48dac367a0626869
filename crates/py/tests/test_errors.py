"""Exceptions have sensible Python types, and the same words as everywhere."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import fathom


def test_exceptions_are_one_family() -> None:
    assert issubclass(fathom.InputError, ValueError) and issubclass(fathom.StoreError, OSError)
    for error in (fathom.InputError, fathom.StoreError, fathom.ProofError, fathom.ExhaustedError):
        assert issubclass(error, fathom.FathomError)
    assert issubclass(fathom.Interrupted, KeyboardInterrupt) and not issubclass(fathom.Interrupted, Exception)


def test_a_study_names_what_it_refuses() -> None:
    study = fathom.Study({"x": (0.0, 1.0), "y": (0.0, 1.0)}, constraints=["x + y <= 1"])
    trial = study.ask()
    study.tell(trial, 1.0)
    study.tell(trial, 1.0)
    refused = [
        (lambda: study.tell(trial, 2.0), r"trial 1 is finished \(value 1\): to correct it, use `edit`"),
        (lambda: study.tell_failed(trial), "trial 1 is finished"),
        (lambda: study.tell(99, 1.0), "study `study` has no trial 99"),
        (lambda: study.tell(study.ask(), float("nan")), "not finite: tell the trial as failed instead"),
        (lambda: study.tell("first", 1.0), "'first' is no trial"),  # type: ignore[arg-type]
        (lambda: study.add({"x": 0.1}, 1.0), "parameter `y` cannot be missing"),
        (lambda: study.add({"x": 0.1, "y": 7}, 1.0), r"parameter `y` cannot be 7: it ranges over \[0, 1\]"),
        (lambda: study.add({"x": 0.1, "y": None}, 1.0), "parameter `y` cannot be None"),  # type: ignore[dict-item]
        (lambda: study.add({"x": 0.1, "y": 0.1, "z": 1}, 1.0), "there is no such parameter"),
        (lambda: study.add_pending({"x": 0.9, "y": 0.9}), "`x . y <= 1` does not hold"),
        (lambda: study.add({"x": 0.1, "y": 0.1}, float("inf")), "not finite"),
    ]
    for call, message in refused:
        with pytest.raises(fathom.InputError, match=message):
            call()  # type: ignore[no-untyped-call]


def test_stores_that_do_not_work_are_named() -> None:
    with pytest.raises(fathom.StoreError, match="unable to open database file"):
        fathom.Study({"x": (0.0, 1.0)}, store="sqlite:///no/such/folder/x.db")
    with pytest.raises(OSError, match="has no study"):
        fathom.Study.open("memory:", "mine")
    with pytest.raises(fathom.StoreError, match="postgres"):
        fathom.Study({"x": (0.0, 1.0)}, store="postgres://nobody@127.0.0.1:1/nothing")


def test_no_password_is_shown() -> None:
    for store in ("postgre://ann:SECRET@h/db", "postgres://127.0.0.1:1/db?user=ann&password=SECRET", "host=h password=SECRET"):
        with pytest.raises(fathom.FathomError) as caught:
            fathom.Study({"x": (0.0, 1.0)}, store=store)
        assert "SECRET" not in f"{caught.value} {caught.value!r}"


def test_a_value_that_a_store_does_not_take_is_carried_by_the_exception(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/mine.db"
    study = fathom.Study({"x": (0.0, 1.0)}, name="mine", store=store)
    trial = study.ask()
    # This takes another process, as locks of files do not count within one process.
    hold = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN EXCLUSIVE')"
    program = [sys.executable, "-c", f"{hold}; print('held', flush=True); sys.stdin.read()", str(tmp_path / "mine.db")]
    other = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    with pytest.raises(fathom.StoreError, match="42.125") as caught:
        study.tell(trial, 42.125)
    assert (caught.value.trial, caught.value.value, caught.value.is_temporary) == (trial.id, 42.125, True)
    assert (tmp_path / "mine.untold").exists()
    other.communicate()
    # The next who opens the study tells the value.
    again = fathom.Study.open(store, "mine")
    assert again.trials[0].value == 42.125 and not (tmp_path / "mine.untold").exists()


def test_exceptions_travel_between_processes() -> None:
    for error in (fathom.InputError("a"), fathom.StoreError("b"), fathom.ProofError("c")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error)
