"""Parameters, and the keys of a study file that they become."""

from __future__ import annotations

import pytest

import fathom
from fathom.space import settings


def test_the_keys_say_what_the_objects_do() -> None:
    space: fathom.space.Space = {
        "x": (0, 2),
        "rate": fathom.Float(1e-5, 0.1, log=True),
        "k": fathom.Integer(1, 9),
        "kind": fathom.Categorical(["a", 'b "c"\\\n', "é\x7f"]),
        "batch": fathom.Fixed(32),
    }
    strategy = {"optimizer": "certified", "acquisition": "log_ei", "time_limit": 1.5, "ard": True, "beta": [1, 2.5], "gap": None}
    keys = settings(space, name="n", constraints=["x <= 1"], direction="minimize", strategy=strategy)
    assert keys == {
        "name": "n",
        "goal": "minimise",
        "constraints": ["x <= 1"],
        "parameters": {
            "x": {"type": "float", "low": 0.0, "high": 2.0},
            "rate": {"type": "float", "low": 1e-05, "high": 0.1, "scale": "log"},
            "k": {"type": "integer", "low": 1.0, "high": 9.0},
            "kind": {"type": "categorical", "choices": ["a", 'b "c"\\\n', "é\x7f"]},
            "batch": {"type": "fixed", "value": 32},
        },
        "strategy": {
            "optimiser": "certified",
            "acquisition": "log-ei",
            "time_limit": "1500000us",
            "ard": True,
            "beta": [1, 2.5],
            "gap": None,
        },
    }
    study = fathom.Study(space, constraints=["x <= 1"], acquisition="log_ei", time_limit=1.5, gap=None)
    assert fathom.Study.from_toml(study.toml).toml == study.toml
    assert "gap" not in study.toml and 'acquisition = "log-ei"' in study.toml
    trial = study.add({"x": 1, "rate": 0.01, "k": 2, "kind": "é\x7f"}, 0.0)
    assert trial.params == {"x": 1.0, "rate": 0.01, "k": 2, "kind": "é\x7f", "batch": 32}
    assert list(trial.params) == list(space), "parameters keep their order"


MISTAKES = [
    (lambda: fathom.Study({"x": (3, 1)}), r"parameter `x`: \[3, 1\] is no interval"),
    (lambda: fathom.Study({"x": (0, float("inf"))}), "parameter `x`"),
    (lambda: fathom.Study({"x": fathom.Float(0, 1, log=True)}), "a log scale needs a positive lower end"),
    (lambda: fathom.Study({"k": fathom.Integer(1, 1)}), "parameter `k`: 1 to 1 is no range"),
    (lambda: fathom.Study({"c": fathom.Categorical(["a"])}), "parameter `c`: at least two choices"),
    (lambda: fathom.Study({"x": "wide"}), "parameter `x` is 'wide': use Float, Integer"),  # type: ignore[dict-item]
    (lambda: fathom.Study({}), "at least one parameter must be free"),
    (lambda: fathom.Study({"x y": (0, 1)}), "a name is a letter"),
    (lambda: fathom.Study({"x": (0, 1)}, constraints=["x + y <= 1"]), r"y"),
    (lambda: fathom.Study({"x": (0, 1)}, constraints="x <= 1"), "put it into a list"),
    (lambda: fathom.Study({"x": (0, 1)}, constraints=["x >= 3"]), "holds nowhere"),
    (lambda: fathom.Study({"x": (0, 1)}, direction="up"), "direction is 'up'"),
    (lambda: fathom.Study({"x": (0, 1)}, kernal="rbf"), "unknown field `kernal`, expected one of `preset`, `kernel`"),
    (lambda: fathom.Study({"x": (0, 1)}, optimizer="newton"), "there is no optimiser `newton`"),
    (lambda: fathom.Study({"x": (0, 1)}, time_limit=-1), "time_limit is -1"),
    (lambda: fathom.Study({"x": (0, 1)}, noise=object()), "`strategy.noise`: .* has no place in a study file"),
    (lambda: fathom.Study({"x": (0, 1)}, noise=True), "`strategy.noise`: invalid type: boolean"),
    (lambda: fathom.Study({"x": (0, 1)}, seed=2**80), "`strategy.seed`: 1208925819614629174706176 has no place"),
    (lambda: fathom.Study({"x": (0, 1)}, groups=[["x", "y"]]), "strategy `groups`: there is no parameter `y`"),
    (lambda: fathom.Study({"c": fathom.Categorical(["a", 2])}), "`parameters.c.choices`: invalid type: integer"),  # type: ignore[list-item]
    (lambda: fathom.Study({"x": (0, 1)}, store="mysql://host"), "`mysql://host` is no store"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_a_mistake_is_named_without_lines_of_a_file(mistake: object, message: str) -> None:
    with pytest.raises(fathom.InputError, match=message) as raised:
        mistake()  # type: ignore[operator]
    assert "line " not in str(raised.value)
