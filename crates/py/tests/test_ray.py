"""The searcher in Ray Tune, on a cluster of this machine."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("ray.tune")

from ray import tune  # noqa: E402
from ray.tune.search import Searcher  # noqa: E402

import fathom  # noqa: E402
from fathom.ray import FathomSearch  # noqa: E402


def bowl(config: dict[str, Any]) -> float:
    return (config["x"] - 1.0) ** 2 + (config["deep"]["y"] + 2.0) ** 2


SPACE = {"x": tune.uniform(-5, 5), "deep": {"y": tune.uniform(-5, 5)}, "constant": 7}


def ready(search: FathomSearch, space: dict[str, Any] | None = None, mode: str = "min") -> FathomSearch:
    assert search.set_search_properties("loss", mode, SPACE if space is None else space)
    return search


def drive(
    search: FathomSearch, trials: int, objective: Callable[[dict[str, Any]], float] = bowl, first: int = 0
) -> list[dict[str, Any]]:
    """Asks and tells as Ray does, one trial after the other."""
    configs = []
    for number in range(first, first + trials):
        config = search.suggest(f"t{number}")
        assert isinstance(config, dict)
        search.on_trial_complete(f"t{number}", {"loss": objective(config)})
        configs.append(config)
    return configs


def test_a_bowl_is_solved_with_certificates() -> None:
    search = ready(FathomSearch(initial=6))
    configs = drive(search, 16)
    assert min(map(bowl, configs)) < 1e-2
    assert len(search.certificates) == 10 and search.gain is None, "nothing is said of the gain before there are 20 values"
    certificate = fathom.Certificate.from_json(search.certificates["t15"])
    assert certificate.status == "optimal" and certificate.gap is not None and certificate.gap <= 0.01
    drive(search, 14, first=16)
    assert search.gain is not None and search.gain >= 0.0


def test_every_kind_of_domain() -> None:
    space = {
        "u": tune.uniform(0, 1),
        "l": tune.loguniform(1e-4, 1),
        "q": tune.quniform(0.5, 3, 0.5),
        "i": tune.randint(2, 5),
        "qi": tune.qrandint(3, 11, 2),
        "li": tune.lograndint(1, 100),
        "c": tune.choice(["a", (1, 2), None]),
        "one": tune.choice([4]),
    }
    search = ready(FathomSearch(initial=5, gap=0.1), space)
    for config in drive(search, 12, lambda config: config["u"] + config["i"] + config["li"]):
        assert 0 <= config["u"] <= 1 and 1e-4 <= config["l"] <= 1
        assert config["q"] in (0.5, 1, 1.5, 2, 2.5, 3)
        assert config["i"] in (2, 3, 4) and config["qi"] in (4, 6, 8, 10) and config["li"] in range(1, 100)
        assert config["c"] in ("a", (1, 2), None) and config["one"] == 4


def test_what_is_not_understood_is_named() -> None:
    for space, name in [
        ({"x": tune.randn(0, 1)}, "x"),
        ({"deep": {"q": tune.qloguniform(1, 10, 0.5)}}, "deep/q"),
        ({"g": tune.grid_search([1, 2])}, "g"),
        ({"f": tune.sample_from(lambda spec: 1)}, "f"),
    ]:
        with pytest.raises(fathom.InputError, match=f"`{name}`"):
            FathomSearch().set_search_properties("loss", "min", space)
    with pytest.raises(fathom.InputError, match="space"):
        FathomSearch(metric="loss", mode="min").suggest("t0")
    with pytest.raises(fathom.InputError, match="metric"):
        FathomSearch({"x": tune.uniform(0, 1)}).suggest("t0")
    assert not FathomSearch({"x": tune.uniform(0, 1)}).set_search_properties("loss", "min", {"x": tune.uniform(0, 2)})


def test_maximising_the_negative_gives_the_same_points_and_constraints_hold() -> None:
    rules = ["x + deep_y <= -2"]
    least = drive(ready(FathomSearch(constraints=rules, initial=5)), 12)
    most = drive(ready(FathomSearch(constraints=rules, initial=5), mode="max"), 12, lambda config: -bowl(config))
    assert most == least
    assert all(config["x"] + config["deep"]["y"] <= -2 + 1e-6 for config in least)


def test_concurrent_trials_differ_and_failures_are_kept_away_from() -> None:
    search = ready(FathomSearch(initial=4))
    drive(search, 6)
    together = [search.suggest(f"p{number}") for number in range(4)]
    assert len({str(config) for config in together}) == 4
    for number, result in enumerate([None, {"loss": float("nan")}, {}, {"loss": 3.0}]):
        search.on_trial_complete(f"p{number}", result, error=result is None)
    assert search.suggest("next") not in together


def test_a_finite_space_finishes() -> None:
    search = ready(FathomSearch(initial=2), {"k": tune.randint(0, 4)})
    assert len(drive(search, 4, lambda config: config["k"])) == 4
    assert search.suggest("more") == Searcher.FINISHED


def test_points_to_begin_with_and_points_from_elsewhere() -> None:
    search = ready(FathomSearch(initial=3, points_to_evaluate=[{"x": 1.5, "deep": {"y": 2.5}}]))
    search.add_evaluated_point({"x": 0.0, "deep": {"y": 0.0}}, 5.0)
    assert search.suggest("t0") == {"x": 1.5, "deep": {"y": 2.5}}


def test_s4_points_to_begin_with_are_completed_under_the_constraints() -> None:
    begin: list[dict[str, Any]] = [{"x": 1.0}, {"deep": {"y": 2.0}}, {"x": -4.0, "constant": 7}]
    search = ready(FathomSearch(initial=2, constraints=["x + deep_y <= -2"], points_to_evaluate=begin))
    for number, given in enumerate(begin):
        config = search.suggest(f"t{number}")
        assert isinstance(config, dict) and config["x"] + config["deep"]["y"] <= -2 + 1e-6
        assert config["x"] == given.get("x", config["x"]) and config["deep"] == given.get("deep", config["deep"])
        search.on_trial_complete(f"t{number}", {"loss": bowl(config)})
    assert not search.certificates
    impossible = ready(FathomSearch(constraints=["x + deep_y <= -8"], points_to_evaluate=[{"x": 4.0}]))
    with pytest.raises(fathom.InputError, match="nothing keeps the constraints"):
        impossible.suggest("t0")


def test_s5_a_configuration_that_was_changed_loses_its_certificate_and_counts_as_it_was_evaluated() -> None:
    search = ready(FathomSearch(initial=4))
    drive(search, 5)
    kept, changed = search.suggest("kept"), search.suggest("changed")
    assert isinstance(kept, dict) and isinstance(changed, dict)
    assert {"kept", "changed"} <= search.certificates.keys()
    search.on_trial_complete("kept", {"loss": 1.0, "config": {**kept, "constant": 7}})
    search.on_trial_complete("changed", {"loss": 1.0, "config": {**changed, "x": 4.5}})
    assert "kept" in search.certificates and "changed" not in search.certificates
    assert search._points["changed"]["x"] == 4.5


def test_a_restored_searcher_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole = ready(FathomSearch(initial=5))
    expected = drive(whole, 12)
    first = ready(FathomSearch(initial=5))
    before = drive(first, 7)
    pending = first.suggest("t7")
    assert isinstance(pending, dict)
    first.save(str(tmp_path / "state"))
    second = FathomSearch(initial=5)
    second.set_search_properties("loss", "min", SPACE)
    second.restore(str(tmp_path / "state"))
    second.on_trial_complete("t7", {"loss": bowl(pending)})
    assert [*before, pending, *drive(second, 4, first=8)] == expected


def test_a_trial_that_was_suggested_after_the_last_save_is_learned_from_its_result() -> None:
    search = ready(FathomSearch(initial=2))
    search.on_trial_complete("unknown", {"loss": 1.0, "config": {"x": 0.0, "deep": {"y": 0.0}, "constant": 7}})
    search.on_trial_complete("lost", None, error=True)
    assert len(search._record().finished) == 1


@pytest.mark.skipif("FATHOM_RAY_CLUSTER" not in os.environ, reason="takes minutes: set FATHOM_RAY_CLUSTER=1")
def test_forty_trials_two_at_a_time_killed_once_and_restored(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "bench" / "python" / "ray_restored.py"
    subprocess.run([sys.executable, str(script), "run", str(tmp_path)], check=True, timeout=900)
    with (tmp_path / "raw.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 40 and len({row["id"] for row in rows}) == 40
    assert len({(row["x"], row["y"]) for row in rows}) == 40, "a point was tried twice"
    assert 15 <= sum(row["began_before_the_kill"] == "1" for row in rows) < 40
    assert min(float(row["loss"]) for row in rows) < 1e-2
