"""Parameters, and the keys of a study file that they become."""

from __future__ import annotations

from typing import Any

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
        "heat": fathom.Float(20, 120, step=5),
        "units": fathom.Integer(1, 512, log=True),
        "even": range(2, 11, 2),
        "dose": fathom.Values([0.1, 0.5, 2]),
        "size": [16, 32, 64],
        "on": [True, False],
        "off": fathom.Boolean(),
        "speed": fathom.Categorical(["low", "medium", "high"], ordered=True),
        "Time (h)": (1, 24),
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
            "heat": {"type": "float", "low": 20.0, "high": 120.0, "step": 5.0},
            "units": {"type": "integer", "low": 1.0, "high": 512.0, "scale": "log"},
            "even": {"type": "integer", "low": 2.0, "high": 10.0, "step": 2.0},
            "dose": {"type": "float", "values": [0.1, 0.5, 2]},
            "size": {"type": "categorical", "choices": [16, 32, 64]},
            "on": {"type": "categorical", "choices": [True, False]},
            "off": {"type": "boolean"},
            "speed": {"type": "categorical", "choices": ["low", "medium", "high"], "ordered": True},
            "Time (h)": {"type": "float", "low": 1.0, "high": 24.0},
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
    told: dict[str, Any] = {"x": 1, "rate": 0.01, "k": 2, "kind": "é\x7f", "heat": 45.00000001, "units": 100, "even": 4, "dose": 0.5, "size": 32}
    trial = study.add({**told, "on": True, "off": False, "speed": "low", "Time (h)": 3}, 0.0)
    assert trial.params == {
        **told, "x": 1.0, "batch": 32, "heat": 45.0, "on": True, "off": False, "speed": "low", "Time (h)": 3.0
    }
    types = {"heat": float, "units": int, "even": int, "dose": float, "size": int, "on": bool, "speed": str}
    assert all(type(trial.params[name]) is kind for name, kind in types.items())
    assert list(trial.params) == list(space), "parameters keep their order"


def test_suggestions_are_the_decimals_that_people_write_and_have_their_types() -> None:
    space: fathom.space.Space = {
        "dose": fathom.Float(0.1, 1.3, step=0.1),
        "units": fathom.Integer(1, 300, log=True),
        "choice": fathom.Values([1, 3, 10], log=True),
        "on": [True, False],
        "size": [16, 32, 64],
    }
    study = fathom.Study(space, constraints=["dose + on <= 2"], initial=4, seed=1)
    for trial in study.ask(9):
        params = trial.params
        assert params["dose"] == round(params["dose"], 1) and 0.1 <= params["dose"] <= 1.3
        assert type(params["units"]) is int and 1 <= params["units"] <= 300
        assert type(params["choice"]) is int and params["choice"] in (1, 3, 10)
        assert type(params["on"]) is bool and params["size"] in (16, 32, 64)
        study.tell(trial.id, params["dose"] + params["units"] / 100 - params["on"])
    last = study.ask()
    assert study.verify(last.id)


MISTAKES = [
    (lambda: fathom.Study({"x": (3, 1)}), r"parameter `x`: \[3, 1\] is no interval"),
    (lambda: fathom.Study({"x": (0, float("inf"))}), "parameter `x`"),
    (lambda: fathom.Study({"x": fathom.Float(0, 1, log=True)}), "a log scale needs a positive lower end"),
    (lambda: fathom.Study({"k": fathom.Integer(1, 1)}), "parameter `k`: 1 to 1 is no range"),
    (lambda: fathom.Study({"c": fathom.Categorical(["a"])}), "parameter `c`: at least two choices"),
    (lambda: fathom.Study({"x": "wide"}), "parameter `x` is 'wide': use Float, Integer"),  # type: ignore[dict-item]
    (lambda: fathom.Study({}), "at least one parameter must be free"),
    (lambda: fathom.Study({"x`y": (0, 1)}), "backquotes"),
    (lambda: fathom.Study({"x": [0, 1]}), r"parameter `x` is \[0, 1\]: write \(0, 1\) for the numbers between, or Values"),
    (lambda: fathom.Study({"x": ("a", "b")}), r"parameter `x` is \('a', 'b'\)"),  # type: ignore[dict-item]
    (lambda: fathom.Study({"c": ["a", None]}), "parameter `c`: None is no choice"),
    (lambda: fathom.Study({"n": range(3, 4)}), "parameter `n`.*1 numbers"),
    (lambda: fathom.Study({"x": fathom.Float(0, 1, step=0.3)}), "parameter `x`: .* the last value is 0.9"),
    (lambda: fathom.Study({"n": fathom.Integer(1, 10**6, log=True)}), "parameter `n`: .* at most 10000"),
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
    (lambda: fathom.Study({"c": fathom.Categorical(["2", 2])}), "parameter `c`: the choice \"2\" appears twice"),
    (lambda: fathom.Study({"x": (0, 1)}, store="mysql://host"), "`mysql://host` is no store"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_a_mistake_is_named_without_lines_of_a_file(mistake: object, message: str) -> None:
    with pytest.raises(fathom.InputError, match=message) as raised:
        mistake()  # type: ignore[operator]
    assert "line " not in str(raised.value)
