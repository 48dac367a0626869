"""The rule of every adaptor, without any of the libraries: certify only what was read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fathom
from fathom._agreement import COARSEST, DISTANCES, FINEST, Comparison, Evaluation, Values, agreement, near, probes

rng = np.random.default_rng(4)
X = rng.random((10, 2))
y = np.sin(6 * X[:, 0]) + X[:, 1]
LOW, HIGH = np.zeros(2), np.ones(2)
KAPPA = 2.0


def process(lengthscales: Any = (0.05, 0.05), targets: Any = y, noise: float = 1e-4, inputs: Any = X) -> Evaluation:
    """Mean, deviation and upper confidence bound of a model in somebody's library."""
    gp = fathom.GaussianProcess.from_parameters(inputs, targets, lengthscales=list(lengthscales), noise_variance=noise)

    def at(x: np.ndarray) -> Values:
        mean, deviation = gp.predict(x, return_std=True)
        return Values(mean, deviation, mean + KAPPA * deviation)

    return at


def seeing_one_input(x: np.ndarray) -> Values:
    """A kernel that does not see the second input, with a lengthscale so short that random points find the prior."""
    return process(lengthscales=[0.005], inputs=X[:, :1])(x[:, :1])


TOLERANCE = Values.tolerance(agreement(len(y), 1.0, 1e-4), spread=float(np.abs(y).max()), prior_deviation=1.0, kappa=KAPPA, size=2.0)
EVERYWHERE = probes(LOW, HIGH, X, np.full(2, 0.05), np.random.default_rng(0))


def compared(ours: Evaluation, theirs: Evaluation) -> Comparison:
    comparison = Comparison("Somebody", ours, theirs, TOLERANCE)
    comparison.look(EVERYWHERE, np.ones(len(EVERYWHERE), dtype=bool))
    return comparison


def test_the_same_model_agrees_and_its_bound_holds() -> None:
    comparison = compared(process(), process())
    assert comparison.points == len(EVERYWHERE) and comparison.disagreement == 0.0
    highest = process()(EVERYWHERE).value.max()
    comparison.hold_against(highest)
    comparison.hold_against(np.inf)
    with pytest.raises(fathom.InputError, match="Somebody computes .* above the bound"):
        comparison.hold_against(highest - 1e-4)
    with pytest.raises(fathom.InputError, match="above the bound nan"):
        comparison.hold_against(np.nan)


def not_a_number(x: np.ndarray) -> Values:
    found = process()(x)
    found.value[-1] = np.nan
    return found


@pytest.mark.parametrize(
    ("theirs", "what"),
    [
        (process(lengthscales=(0.05 * (1 + 1e-8), 0.05)), "mean"),
        (process(noise=1.0001e-4), "deviation"),
        (process(targets=y + 1e-8), "mean"),
        (not_a_number, "value"),
    ],
)
def test_another_model_is_told_apart(theirs: Evaluation, what: str) -> None:
    with pytest.raises(fathom.InputError, match=f"Somebody's posterior .* differ: .*the {what} by"):
        compared(process(), theirs)


def test_a_kernel_that_sees_less_is_told_apart_though_random_points_do_not() -> None:
    ours = process(lengthscales=(0.005, 0.005))
    with pytest.raises(fathom.InputError, match="differ"):
        compared(ours, seeing_one_input)
    # At the training inputs alone the model would have passed: there both models know the targets.
    assert np.abs(ours(X).mean - seeing_one_input(X).mean).max() < 1e-3


def test_values_outside_the_region_refute_nothing() -> None:
    comparison = Comparison("Somebody", process(), process(), TOLERANCE)
    comparison.look(EVERYWHERE, np.zeros(len(EVERYWHERE), dtype=bool))
    comparison.hold_against(-1e9)
    comparison.look(EVERYWHERE[:1], np.ones(1, dtype=bool))
    with pytest.raises(fathom.InputError, match="above the bound"):
        comparison.hold_against(-1e9)


def test_two_computations_differ_by_what_rounding_may_come_to() -> None:
    assert agreement(10, 1.0, 1e-1) == FINEST and agreement(1000, 1.0, 1e-9) == agreement(5, 1.0, 0.0) == COARSEST
    for noise in (1e-3, 1e-5):
        x = np.linspace(0, 1, 40)[:, None]
        targets = np.sin(5 * x[:, 0])
        gp = fathom.GaussianProcess.from_parameters(x, targets, kernel="rbf", lengthscales=0.3, noise_variance=noise)
        gram = np.exp(-0.5 * ((x - x.T) / 0.3) ** 2)
        points = np.linspace(-0.2, 1.3, 99)[:, None]
        cross = np.exp(-0.5 * ((points - x.T) / 0.3) ** 2)
        mean = cross @ np.linalg.solve(gram + noise * np.eye(40), targets)
        assert np.abs(mean - gp.predict(points)).max() < agreement(40, 1.0, noise) < COARSEST


def test_neighbours_are_as_far_as_stated_in_lengthscales() -> None:
    scales = np.array([0.1, 10.0])
    around = near(X, scales, np.random.default_rng(0))
    distances = np.linalg.norm((around - np.tile(X, (len(DISTANCES), 1))) / scales, axis=1)
    np.testing.assert_allclose(distances, np.repeat(DISTANCES, len(X)), rtol=1e-6)


def test_every_training_input_is_among_the_probes() -> None:
    many = rng.random((300, 2))
    found = probes(LOW, HIGH, many, np.full(2, 0.05), np.random.default_rng(0))
    assert {tuple(row) for row in many} <= {tuple(row) for row in found}
