"""Ask and tell, stores, and what a study knows of itself."""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fathom

SPACE = {
    "x": fathom.Float(-1, 2),
    "rate": fathom.Float(1e-4, 1, log=True),
    "k": fathom.Integer(1, 9),
    "kind": fathom.Categorical(["red", "green"]),
    "batch": fathom.Fixed(32),
}


def cost(params: dict[str, Any]) -> float:
    x, rate, k = params["x"], params["rate"], params["k"]
    return float((x - 0.5) ** 2 + (math.log10(rate) + 2) ** 2 / 9 + (k - 4) ** 2 / 50 + (params["kind"] == "red") * 0.3)


def test_a_mixed_space_is_searched_and_every_suggestion_keeps_it() -> None:
    study = fathom.Study(SPACE, constraints=["x + 0.1*k <= 1.5"], seed=3, initial=8)
    for _ in range(14):
        trial = study.ask()
        params = trial.params
        assert list(params) == list(SPACE)
        assert -1 <= params["x"] <= 2 and 1e-4 <= params["rate"] <= 1 and params["x"] + 0.1 * params["k"] <= 1.5 + 1e-8
        assert type(params["k"]) is int and params["kind"] in ("red", "green") and params["batch"] == 32
        study.tell(trial, cost(params))
    best = study.best
    assert best is not None and best.value == min(t.value for t in study.trials if t.value is not None)
    certified = [trial for trial in study.trials if trial.origin == "model"]
    assert len(certified) == 6
    for trial in certified:
        certificate = trial.certificate
        assert certificate is not None and certificate.status == "optimal"
        assert certificate.gap is not None and certificate.gap <= 0.01 + 1e-9
        assert trial.forecast is not None and trial.forecast[1] > 0 and trial.seconds > 0


def test_the_same_seed_gives_the_same_suggestions_and_another_others() -> None:
    def points(seed: int) -> list[dict[str, object]]:
        study = fathom.Study({"x": (-1, 2), "y": (0, 1)}, seed=seed, initial=4)
        for _ in range(7):
            trial = study.ask()
            study.tell(trial, (trial.params["x"] - 0.5) ** 2 + trial.params["y"])
        return [trial.params for trial in study.trials]

    assert points(5) == points(5)
    assert points(5) != points(6)


def test_trials_asked_for_at_once_are_apart_and_pending_until_told() -> None:
    study = fathom.Study({"x": (0.0, 1.0)}, initial=3, acquisition="deviation")
    for x, value in [(0.1, 0.5), (0.5, 0.2), (0.9, 0.7)]:
        study.add({"x": x}, value)
    first, second = study.ask(2)
    assert abs(first.params["x"] - second.params["x"]) > 0.05
    assert [trial.state for trial in study.trials] == ["complete"] * 3 + ["pending"] * 2
    study.tell(second.id, 0.3)
    study.tell_failed(first, "the glass broke")
    states = [(trial.state, trial.message, trial.value) for trial in study.trials[3:]]
    assert states == [("failed", "the glass broke", None), ("complete", None, 0.3)]


def test_what_is_asked_for_keeps_away_from_points_that_others_evaluate() -> None:
    def next_point(pending: float | None) -> float:
        study = fathom.Study({"x": (0.0, 1.0)}, initial=3, acquisition="deviation")
        for x, value in [(0.0, 0.5), (0.6, 0.2), (1.0, 0.7)]:
            study.add({"x": x}, value)
        if pending is not None:
            added = study.add_pending({"x": pending})
            assert (added.state, added.origin, added.id) == ("pending", "import", 4)
            assert study.trials[3].params == {"x": pending}
        return float(study.ask().params["x"])

    alone = next_point(None)
    assert abs(next_point(alone) - alone) > 0.05


def test_a_pending_point_can_be_told() -> None:
    study = fathom.Study({"x": (0.0, 1.0)})
    trial = study.add_pending({"x": 0.25})
    study.tell(trial, 1.5)
    assert study.best is not None and study.best.params == {"x": 0.25} and study.best.value == 1.5


def test_maximising_turns_everything_round() -> None:
    study = fathom.Study({"x": (0.0, 1.0)}, direction="maximize", initial=4, deterministic=True)
    for _ in range(24):
        trial = study.ask()
        study.tell(trial, 3 - (trial.params["x"] - 0.3) ** 2)
    best = study.best
    assert study.direction == "maximize" and best is not None and best.value is not None
    assert best.value > 2.999
    gain, reachable = study.remaining_gain, study.trials[-1].reachable
    assert gain is not None and gain >= 3 - best.value
    assert reachable is not None and reachable >= max(t.value for t in study.trials[:-1] if t.value is not None)


def test_what_can_still_be_gained_is_said_from_twenty_values_on_whatever_the_strategy_is() -> None:
    def gain(count: int, **strategy: Any) -> float | None:
        study = fathom.Study({"x": (0.0, 1.0)}, deterministic=True, **strategy)
        for i in range(count):
            study.add({"x": i / (count - 1)}, (i / (count - 1) - 0.3) ** 2)
        return study.remaining_gain

    assert gain(19) is None
    said = gain(24)
    assert said is not None and said >= min((i / 23 - 0.3) ** 2 for i in range(24))
    assert gain(24, optimizer="multistart") == gain(24, acquisition="ei") == said
    assert gain(24, best_possible=0) == pytest.approx(min((i / 23 - 0.3) ** 2 for i in range(24)))


def test_a_study_in_a_file_goes_on_where_it_was_left(tmp_path: Path) -> None:
    store = f"sqlite://{tmp_path}/mine.db"

    def more(study: fathom.Study, count: int) -> None:
        for _ in range(count):
            trial = study.ask()
            study.tell(trial, (trial.params["x"] - 0.3) ** 2)

    alone = fathom.Study({"x": (0.0, 1.0)}, name="mine", initial=3)
    more(alone, 7)
    more(fathom.Study({"x": (0.0, 1.0)}, name="mine", initial=3, store=store), 4)
    again = fathom.Study({"x": (0.0, 1.0)}, name="mine", initial=3, store=store)
    assert len(again.trials) == 4 and again.store == store
    more(again, 2)
    opened = fathom.Study.open(store, "mine")
    more(opened, 1)
    assert [trial.params for trial in opened.trials] == [trial.params for trial in alone.trials]
    assert opened.toml == again.toml and opened.name == "mine"
    with pytest.raises(fathom.StoreError, match="has no study `other`; it has mine"):
        fathom.Study.open(store, "other")
    with pytest.raises(fathom.InputError, match="another space"):
        fathom.Study({"x": (0.0, 2.0)}, name="mine", store=store)


@pytest.mark.skipif("FATHOM_POSTGRES" not in os.environ, reason="no server: crates/study/tests/with-postgres pytest")
def test_a_study_on_a_server_is_shared() -> None:
    store, name = os.environ["FATHOM_POSTGRES"], f"python-{os.getpid()}"
    alone = fathom.Study({"x": (0.0, 1.0)}, initial=3)
    shared = fathom.Study({"x": (0.0, 1.0)}, initial=3, name=name, store=store)
    for _ in range(5):
        for study in (alone, shared):
            trial = study.ask()
            study.tell(trial, (trial.params["x"] - 0.3) ** 2)
    shared.add_pending({"x": 0.75})
    opened = fathom.Study.open(store, name)
    assert opened.trials == shared.trials and len(opened.trials) == 6
    assert [trial.params for trial in opened.trials[:5]] == [trial.params for trial in alone.trials]


def test_values_that_were_told_have_names() -> None:
    study = fathom.Study({"x": (0.0, 1.0)})
    told, failed = study.add({"x": 0.5}, 1.25), study.add({"x": 0.25}, None)
    assert (told.value, told.values) == (1.25, {"value": 1.25})
    assert (failed.value, failed.values) == (None, {})
    again = pickle.loads(pickle.dumps(told))
    assert again == told and again.values == {"value": 1.25}


def test_two_studies_in_memory_do_not_meet() -> None:
    first, second = fathom.Study({"x": (0.0, 1.0)}), fathom.Study({"x": (0.0, 1.0)})
    first.add({"x": 0.5}, 1.0)
    assert (len(first.trials), len(second.trials)) == (1, 0)
    assert first.store == "memory:"


def test_study_files_are_read_as_the_command_line_does(tmp_path: Path) -> None:
    text = "[parameters]\nx = { type = 'float', low = 0.0, high = 1.0 }\n[strategy]\ninitial = 2\n"
    path = tmp_path / "mine.toml"
    path.write_text(text)
    study = fathom.Study.from_toml(path)
    assert study.name == "mine" and study.store == f"sqlite://{tmp_path / 'mine.db'}"
    study.add({"x": 0.5}, 1.0)
    assert len(fathom.Study.from_toml(str(path)).trials) == 1
    assert fathom.Study.from_toml(text).store == "memory:"
    elsewhere = f"sqlite://{tmp_path}/other.db"
    assert fathom.Study.from_toml(path, store=elsewhere).trials == []
    with pytest.raises(fathom.InputError, match="line 2, column"):
        fathom.Study.from_toml("[parameters]\nx = { type = 'float', low = 0.0 }\n")
    with pytest.raises(fathom.StoreError, match="could not read .*nowhere.toml"):
        fathom.Study.from_toml(tmp_path / "nowhere.toml")


def test_a_finite_space_is_exhausted_and_says_so() -> None:
    study = fathom.Study({"k": fathom.Integer(1, 3)}, initial=2)
    for _ in range(3):
        trial = study.ask()
        study.tell(trial, float(trial.params["k"]))
    assert sorted(trial.params["k"] for trial in study.trials) == [1, 2, 3]
    with pytest.raises(fathom.ExhaustedError, match="all of its 3 points"):
        study.ask()


def test_if_one_of_several_cannot_be_had_the_others_are_handed_out_again() -> None:
    study = fathom.Study({"k": fathom.Integer(1, 3)}, initial=2)
    with pytest.raises(fathom.ExhaustedError):
        study.ask(4)
    handed_out = study.ask(3)
    assert [trial.id for trial in handed_out] == [1, 2, 3] and len(study.trials) == 3


def test_history_tables_and_pictures(tmp_path: Path) -> None:
    pandas, matplotlib = pytest.importorskip("pandas"), pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    study = fathom.Study({"x": (0.0, 1.0), "kind": fathom.Categorical(["a", "b"])}, initial=4)
    for _ in range(6):
        trial = study.ask()
        study.tell(trial, trial.params["x"])
    study.tell_failed(study.ask(), "no")
    table = study.to_dataframe()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == ["id", "state", "origin", "value", "best", "remaining_gain", "assurance", "x", "kind"]
    assert len(table) == 7 and table["best"].is_monotonic_decreasing and table["best"].min() == table["value"].min()
    assert table["remaining_gain"].notna().sum() == 0, "six values are too few"
    axes = study.plot()
    legend, figure = axes.get_legend(), axes.get_figure(root=True)
    assert legend is not None and [text.get_text() for text in legend.get_texts()][1] == "best so far"
    assert figure is not None
    figure.savefig(tmp_path / "study.png")
    assert study.plot(axes) is axes
    matplotlib.pyplot.close("all")


def test_pictures_and_reports_need_no_other_package(tmp_path: Path) -> None:
    study = fathom.Study({"x": (0.0, 1.0), "rate": fathom.Float(1e-4, 1.0, log=True), "kind": fathom.Categorical(["a", "b"])}, initial=4)
    with pytest.raises(fathom.InputError, match="nothing to draw yet: no trial has a value"):
        study.draw(tmp_path / "early.svg")
    for _ in range(6):
        trial = study.ask()
        study.tell(trial, trial.params["x"])
    study.draw(tmp_path / "map.svg", "posterior", parameters=["x", "kind"])
    drawn = (tmp_path / "map.svg").read_text()
    assert ">x</text>" in drawn and ">kind</text>" in drawn and ">at rate = " in drawn
    study.draw(tmp_path / "study.png")
    study.draw(str(tmp_path / "study.pdf"), "slices")
    assert (tmp_path / "study.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "study.pdf").read_bytes().startswith(b"%PDF")
    study.report(tmp_path / "study.html")
    assert "6 trials (6 complete)" in (tmp_path / "study.html").read_text()
    mistakes: list[tuple[Callable[[], None], str]] = [
        (lambda: study.draw(tmp_path / "x.svg", "contour"), "there is no picture \"contour\"; there are overview"),
        (lambda: study.draw(tmp_path / "x.svg", "posterior", ["y"]), "there is no parameter y to draw along"),
        (lambda: study.draw(tmp_path / "x.gif"), "must end in .svg, .png or .pdf"),
        (lambda: study.report(tmp_path / "x.txt"), "must end in .html"),
    ]
    for wrong, message in mistakes:
        with pytest.raises(fathom.InputError, match=message):
            wrong()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.svg", "study.html", "study.pdf", "study.png"]


def test_numbers_of_numpy_are_numbers() -> None:
    study = fathom.Study({"x": (np.float32(0), np.int64(1)), "k": fathom.Integer(np.int64(1), 5)}, beta=np.float64(2))
    trial = study.add({"x": np.float32(0.5), "k": np.int64(3)}, np.float64(1.5))
    assert trial.params == {"x": 0.5, "k": 3}
    study.tell(study.ask(), np.float32(2))


def test_trials_compare_and_say_what_they_are() -> None:
    study = fathom.Study({"x": (0.0, 1.0)})
    study.add({"x": 0.5}, 1.25)
    assert study.trials == study.trials
    assert repr(study.trials[0]) == "Trial(id=1, state='complete', value=1.25, params={'x': 0.5})"
    assert repr(study) == "Study(name='study', store='memory:', trials=1)"


def test_a_certificate_of_a_trial_can_be_kept() -> None:
    study = fathom.Study({"x": (0.0, 1.0)}, initial=3)
    for x, value in [(0.0, 0.5), (0.4, 0.2), (1.0, 0.7)]:
        study.add({"x": x}, value)
    certificate = study.ask().certificate
    assert certificate is not None
    assert pickle.loads(pickle.dumps(certificate)) == certificate
    assert pickle.loads(pickle.dumps(study.trials)) == study.trials
    with pytest.raises(fathom.ProofError, match="came without a proof"):
        certificate.verify()


def test_the_best_trial_by_the_model_is_the_one_whose_median_is_least() -> None:
    generator = np.random.default_rng(5)
    study = fathom.Study({"x": (0.0, 1.0), "y": (0.0, 1.0)}, seed=1)
    assert study.recommended is None, "there is no model yet"
    for _ in range(4):
        for trial in study.ask(8):
            x, y = float(trial.params["x"]), float(trial.params["y"])
            study.tell(trial, 4 * (x - 0.3) ** 2 + 4 * (y - 0.35) ** 2 + 0.3 * generator.standard_normal())
    found = study.recommended
    assert found is not None and found.low < found.median < found.high
    medians = [median for median, _ in study.predict([trial.params for trial in study.trials])]
    assert found.median == min(medians) and found.trial == study.trials[int(np.argmin(medians))]


def test_exact_values_have_no_other_best() -> None:
    study = fathom.Study({"x": (0.0, 1.0)}, deterministic=True)
    for _ in range(12):
        trial = study.ask()
        study.tell(trial, (float(trial.params["x"]) - 0.4) ** 2)
    assert study.recommended is None and study.best is not None
