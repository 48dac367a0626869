"""Corrections: what people change about trials, and how the study takes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

import fathom


def told(store: str | None = None, count: int = 6) -> fathom.Study:
    study = fathom.Study({"x": (0, 1)}, store=store, deterministic=True, initial=4)
    for _ in range(count):
        trial = study.ask()
        study.tell(trial, (trial.params["x"] - 0.3) ** 2)
    return study


def test_a_correction_counts_and_can_be_undone(tmp_path: Path) -> None:
    study = told(f"sqlite://{tmp_path / 'lab.db'}")
    before = study.trials
    corrected = study.edit(2, -1.5, note="misread", by="Ada")
    assert study.best == corrected and corrected.value == -1.5 and corrected.notes == ["misread"]
    last = study.trials[5]
    assert "trial 6" in str(study.verify(last).about)  # against what was known then
    first, second = study.changes
    assert (first.number, first.trial, first.by, first.what) == (1, 2, "Ada", "value -1.5")
    assert second.what == "note: misread" and abs((datetime.now(timezone.utc) - first.made_at).total_seconds()) < 60
    study.undo()
    assert study.undo().value == before[1].value and study.find(2).notes == []
    assert fathom.Study.open(study.store, study.name).changes == study.changes


def test_settings_really_used_come_with_the_value() -> None:
    study = told(count=2)
    trial = study.ask()
    study.tell(trial, 0.5, at={"x": 0.25}, note="by hand")
    found = study.find(trial)
    assert found.params == {"x": 0.25} and found.asked_params == trial.params and found.notes == ["by hand"]


def test_cancelled_and_withdrawn_trials_have_no_part() -> None:
    study = told()
    pending = study.ask()
    assert study.cancel(pending, "no time").state == "cancelled"
    assert study.withdraw(1, "wrong flask").state == "withdrawn"
    assert study.find(1).value is None and study.find(1).message == "wrong flask"
    assert {trial.state for trial in study.trials} == {"complete", "cancelled", "withdrawn"}
    assert "trial 8" in str(study.verify(study.ask()).about)


def test_mistakes_name_the_way_out() -> None:
    study = told(count=2)
    pending = study.ask()
    mistakes: list[tuple[Callable[[], object], str]] = [
        (lambda: study.edit(pending, 1.0), "tell it its value"),
        (lambda: study.edit(1), "nothing is changed"),
        (lambda: study.edit(1, 2.0, failed="no"), "not both"),
        (lambda: study.cancel(1), "withdraw it"),
        (lambda: study.undo(), "nothing to undo"),
        (lambda: study.edit(1, at={"z": 1}), "`z`"),
    ]
    for mistake, words in mistakes:
        with pytest.raises(fathom.InputError, match=words):
            mistake()
