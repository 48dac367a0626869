"""Suggestions that somebody has changed: constraints hold for what is left free, and certificates do not stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import silent_optuna

optuna, Float, Int, Choice = silent_optuna()

import fathom  # noqa: E402
from fathom.optuna import FathomSampler, StopAtGain  # noqa: E402

SPACE = {"x": Float(0, 1), "y": Float(0, 1)}


def corner(trial: Any) -> float:
    return float((trial.suggest_float("x", 0, 1) - 0.05) ** 2 - trial.suggest_float("y", 0, 1))


def studied(objective: Any, trials: int, sampler: Any = None, storage: str | None = None, **arguments: Any) -> Any:
    sampler = sampler or FathomSampler(**{"n_startup_trials": 4, "warn_independent_sampling": False, **arguments})
    study = optuna.create_study(sampler=sampler, storage=storage)
    study.optimize(objective, n_trials=trials)
    return study


def is_certified(trial: Any) -> bool:
    words = trial.user_attrs.get("fathom:certificate", "withdrawn")
    known = trial.system_attrs.get("fathom:certificate") is not None
    assert known is not words.startswith("withdrawn"), "the two attributes say the same"
    return known


def test_s4_constraints_hold_for_what_a_queued_trial_leaves_free() -> None:
    study = studied(corner, 10, search_space=SPACE, constraints=["x + y <= 0.5"])
    for x in (0.2, 0.3, 0.4, 0.5, 0.0):
        study.enqueue_trial({"x": x})
    study.optimize(corner, n_trials=5)
    for trial, x in zip(study.trials[10:], (0.2, 0.3, 0.4, 0.5, 0.0)):
        assert trial.params["x"] == x and x + trial.params["y"] <= 0.5 + 1e-6, trial.params
        assert not is_certified(trial) and "fathom:gain" not in trial.system_attrs
        # The point is a good one, not any: the objective falls with y.
        assert trial.params["y"] >= 0.5 - x - 0.1
    assert is_certified(study.trials[9])


def test_s4_constraints_hold_from_the_first_trial_on_and_for_every_kind() -> None:
    space = {"x": Float(0, 6), "k": Int(0, 12, step=3), "n": Int(0, 4), "kind": Choice(["a", "b"])}

    def objective(trial: Any) -> float:
        x, k, n = trial.suggest_float("x", 0, 6), trial.suggest_int("k", 0, 12, step=3), trial.suggest_int("n", 0, 4)
        trial.suggest_categorical("kind", ["a", "b"])
        assert x + k + n <= 10 + 1e-6 and x + n >= 3 - 1e-6, (x, k, n)
        return float(-x - k)

    sampler = FathomSampler(search_space=space, constraints=["x + k + n <= 10", "x + n >= 3"], n_startup_trials=3)
    study = optuna.create_study(sampler=sampler)
    held: list[dict[str, Any]] = [{"k": 6}, {"n": 4}, {"x": 0.5}, {"k": 3, "n": 1}, {"kind": "b"}, {"x": 4.0, "kind": "a"}, {"n": 0, "k": 6}]
    for params in held:
        study.enqueue_trial(params)
    study.optimize(objective, n_trials=len(held))
    for trial, params in zip(study.trials, held):
        assert {name: trial.params[name] for name in params} == params and not is_certified(trial)


def test_s4_values_that_no_constraint_can_be_kept_with_are_told(caplog: pytest.LogCaptureFixture) -> None:
    study = studied(corner, 5, search_space=SPACE, constraints=["x + y <= 0.5"])
    study.enqueue_trial({"x": 0.9})
    study.optimize(corner, n_trials=1)
    assert "breaks a constraint" in caplog.text and not is_certified(study.trials[-1])


def test_s4_constraints_hold_under_a_sampler_that_fixes_values() -> None:
    base = FathomSampler(search_space=SPACE, constraints=["x + y <= 0.5"], n_startup_trials=3)
    study = studied(corner, 8, sampler=optuna.samplers.PartialFixedSampler({"x": 0.35}, base))
    for trial in study.trials:
        assert trial.params["x"] == 0.35 and trial.params["y"] <= 0.15 + 1e-6 and not is_certified(trial)


def test_no_certificate_under_a_sampler_that_fixes_values_of_a_common_space() -> None:
    study = studied(corner, 6)
    assert is_certified(study.trials[-1])
    study.sampler = optuna.samplers.PartialFixedSampler({"x": 0.35}, FathomSampler(n_startup_trials=4))
    study.optimize(corner, n_trials=2)
    assert not any(map(is_certified, study.trials[-2:]))


def test_queued_values_that_are_out_of_place_are_optunas_to_judge() -> None:
    def objective(trial: Any) -> float:
        x, kind = trial.suggest_float("x", 0, 1), trial.suggest_categorical("kind", ["a", "b"])
        return float(x + (kind == "a"))

    study = studied(objective, 5)
    for odd in ({"x": 7.0}, {"x": float("nan")}, {"x": "much"}, {"kind": "c"}, {"x": None}):
        study.enqueue_trial(odd)
    study.optimize(objective, n_trials=7, catch=(ValueError, TypeError))
    assert len(study.trials) == 12 and not any(map(is_certified, study.trials[5:10])) and is_certified(study.trials[-1])


class Narrowing(optuna.samplers.BaseSampler):  # type: ignore[misc, name-defined]
    """Somebody's own sampler that decides on x and leaves y to another."""

    def __init__(self, base: Any) -> None:
        self.base = base

    def infer_relative_search_space(self, study: Any, trial: Any) -> Any:
        return {"y": self.base.infer_relative_search_space(study, trial)["y"]}

    def sample_relative(self, study: Any, trial: Any, search_space: Any) -> Any:
        return self.base.sample_relative(study, trial, search_space)

    def sample_independent(self, study: Any, trial: Any, name: str, distribution: Any) -> Any:
        return 0.9


def test_values_that_nobody_can_know_are_refused() -> None:
    base = FathomSampler(search_space=SPACE, constraints=["x + y <= 0.5"])
    with pytest.raises(fathom.InputError, match="somebody else decides on `x`"):
        studied(corner, 1, sampler=Narrowing(base))


@pytest.mark.parametrize("is_stored", [False, True])
def test_s5_a_value_that_was_drawn_again_takes_the_certificate_along(is_stored: bool, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/study.db" if is_stored else None

    def objective(trial: Any) -> float:
        return -float(trial.suggest_float("x", 0, 5 if trial.number < 6 else 4))

    study = studied(objective, 10, storage=storage, search_space={"x": Float(0, 5)})
    assert [is_certified(trial) for trial in study.trials] == [False] * 4 + [True] * 2 + [False] * 4
    for trial in study.trials[6:]:
        assert trial.system_attrs.get("fathom:gain") is None and trial.system_attrs.get("fathom:forecast") is None
        assert trial.user_attrs["fathom:certificate"].startswith("withdrawn: `x`")


def test_s5_a_range_that_was_changed_takes_the_certificate_along_though_the_value_fits() -> None:
    def objective(trial: Any) -> float:
        return float(trial.suggest_float("x", 0, 1 if trial.number < 9 else 9) - 7) ** 2

    study = studied(objective, 30, n_startup_trials=3)
    assert any(map(is_certified, study.trials[:9])) and not is_certified(study.trials[9])
    stopped = optuna.create_study(sampler=FathomSampler(n_startup_trials=3, warn_independent_sampling=False))

    def stop_not_before(study: Any, trial: Any) -> None:
        if trial.number >= 9:
            StopAtGain(0.5)(study, trial)

    stopped.optimize(objective, n_trials=14, callbacks=[stop_not_before])
    assert len(stopped.trials) > 10, "what can be gained on [0, 1] says nothing about [0, 9]"


def test_s5_a_value_that_is_drawn_again_keeps_the_constraints(caplog: pytest.LogCaptureFixture) -> None:
    space = {"x": Float(0, 5), "y": Float(0, 5)}

    def objective(trial: Any) -> float:
        high = 5 if trial.number < 6 else 4
        return -float(trial.suggest_float("x", 0, high)) - 0.3 * float(trial.suggest_float("y", 0, 5))

    study = studied(objective, 30, search_space=space, constraints=["x + y >= 6"])
    assert all(trial.params["x"] + trial.params["y"] >= 6 - 1e-6 for trial in study.trials)
    assert sum(not is_certified(trial) for trial in study.trials[6:]) == 24, "all of them were drawn again, or from less"
    assert "breaks a constraint" not in caplog.text
    impossible = studied(lambda trial: -trial.suggest_float("x", 0, 5 if trial.number < 6 else 0.5), 7,
                         search_space={"x": Float(0, 5)}, constraints=["x >= 1"])  # fmt: skip
    assert "breaks a constraint" in caplog.text and not is_certified(impossible.trials[-1])


def test_steps_and_scales_that_were_changed_take_the_certificate_along() -> None:
    def stepped(trial: Any) -> float:
        return float(trial.suggest_float("x", 0.0, 1.0, step=None if trial.number < 6 else 0.25) - 0.3) ** 2

    def scaled(trial: Any) -> float:
        return float(trial.suggest_float("x", 0.01, 1.0, log=trial.number >= 6) - 0.3) ** 2

    for objective, high in ((stepped, Float(0.0, 1.0)), (scaled, Float(0.01, 1.0))):
        study = optuna.create_study(sampler=FathomSampler(n_startup_trials=4, search_space={"x": high}))
        study.optimize(objective, n_trials=8, catch=ValueError)
        assert is_certified(study.trials[5])
        assert not any(is_certified(trial) for trial in study.trials[6:] if trial.state.name == "COMPLETE")


def test_a_parameter_that_was_not_asked_for_takes_the_certificate_along() -> None:
    study = studied(
        lambda trial: trial.suggest_float("x", 0, 1) + (trial.suggest_float("y", 0, 1) if trial.number < 6 else 0.0),
        8,
        search_space=SPACE,
    )
    assert is_certified(study.trials[5]) and not is_certified(study.trials[6])


def test_a_trial_that_is_retried_does_not_inherit_a_certificate() -> None:
    study = studied(corner, 6)
    last = study.trials[-1]
    assert is_certified(last)
    # RetryFailedTrialCallback does this.
    study.add_trial(
        optuna.create_trial(
            state=optuna.trial.TrialState.WAITING,
            params=last.params,
            distributions=last.distributions,
            user_attrs=last.user_attrs,
            system_attrs=last.system_attrs,
        )
    )
    study.optimize(corner, n_trials=1)
    assert study.trials[-1].params == last.params and not is_certified(study.trials[-1])


def test_trials_that_are_no_points_of_the_space_are_left_out_of_the_model() -> None:
    space = {"k": Int(0, 9), "g": Float(0, 1, step=0.25)}

    def objective(trial: Any) -> float:
        return float(abs(trial.suggest_int("k", 0, 9) - 6) + trial.suggest_float("g", 0, 1, step=0.25))

    study = optuna.create_study(sampler=FathomSampler(search_space=space, n_startup_trials=3))
    for params in ({"k": 2.5, "g": 0.5}, {"k": 3, "g": 0.4}, {"k": 17, "g": 0.5}):
        wide = {"k": Float(0, 20), "g": Float(0, 1)}
        study.add_trial(optuna.create_trial(params=params, distributions=wide, value=-100.0))
    with pytest.warns(UserWarning, match="left out of the model") as told:
        study.optimize(objective, n_trials=8)
    words = " ".join(str(warning.message) for warning in told)
    assert all(f"trial {number} is left out" in words for number in range(3)), "each of them, none moved to the nearest point"
    assert min(trial.value for trial in study.trials[3:]) < 2


def test_a_rounded_whole_number_has_no_certificate_of_the_point_before() -> None:
    study = studied(lambda trial: abs(trial.suggest_int("n", 1, 100_000, log=True) - 37), 12)
    certified = [trial for trial in study.trials if is_certified(trial)]
    for trial in certified:
        assert trial.params["n"] in (1, 100_000), "only where rounding changes nothing"


def test_a_whole_number_on_a_log_scale_is_certified_as_it_is() -> None:
    study = studied(lambda trial: abs(trial.suggest_int("n", 1, 1000, log=True) - 37), 12)
    certified = [trial for trial in study.trials if is_certified(trial)]
    assert certified and any(trial.params["n"] not in (1, 1000) for trial in certified)
