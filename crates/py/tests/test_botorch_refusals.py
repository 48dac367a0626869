"""What `fathom.botorch` must not certify: models that are not what they seem, and what is no region.

The letters name the attacks that got through before.
"""

from __future__ import annotations

import copy
import math
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs torch, gpytorch and botorch: pip install botorch")
pytest.importorskip("botorch", reason="needs torch, gpytorch and botorch: pip install botorch")

from botorch.acquisition import PosteriorMean, UpperConfidenceBound  # noqa: E402
from botorch.models import SingleTaskGP  # noqa: E402
from botorch.models.transforms.input import Normalize  # noqa: E402
from botorch.optim.parameter_constraints import evaluate_feasibility  # noqa: E402
from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent / "campaigns"))

import fathom  # noqa: E402
from botorch_damages import DAMAGES, Case  # noqa: E402
from botorch_models import campaign  # noqa: E402
from fathom import _agreement  # noqa: E402
from fathom.botorch import optimize_acqf_certified  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

UNIT = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)


def data(count: int = 12, dim: int = 2) -> tuple[Any, Any]:
    torch.manual_seed(0)
    x = torch.rand(count, dim, dtype=torch.float64)
    return x, torch.sin(6 * x[:, :1]) + x[:, -1:] ** 2


def model(**arguments: Any) -> SingleTaskGP:
    return SingleTaskGP(*data(), **arguments).eval()


def certified(function: Any, bounds: Any = UNIT, **arguments: Any) -> Any:
    return optimize_acqf_certified(function, bounds, return_certificate=True, **{"gap": 1e-3, "timeout_sec": 20.0, **arguments})


def test_w1_active_dims_of_every_kernel_are_seen() -> None:
    kernel = ScaleKernel(RBFKernel(), active_dims=(0,))
    kernel.base_kernel.lengthscale = 0.004
    x, y = torch.tensor([[0.5, 0.9]], dtype=torch.float64), torch.tensor([[5.0]], dtype=torch.float64)
    narrow = SingleTaskGP(x, y, covar_module=kernel, outcome_transform=None).eval()
    with pytest.raises(fathom.InputError, match="ScaleKernel sees some inputs only .`active_dims`"):
        certified(PosteriorMean(narrow), fixed_features={1: 0.0})
    with pytest.raises(fathom.InputError, match="RBFKernel sees some inputs only .`active_dims`"):
        certified(PosteriorMean(model(covar_module=RBFKernel(active_dims=(0,)))))


def test_w1_a_kernel_that_sees_less_is_found_by_comparison_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fathom.botorch.reading", "fathom._gpytorch.reading"):
        monkeypatch.setattr(f"{module}.examine", lambda *what, **more: None)
    monkeypatch.setattr("fathom._gpytorch.reading._sees_all", lambda kernel: None)
    kernel = ScaleKernel(RBFKernel(), active_dims=(0,))
    kernel.base_kernel.lengthscale = 0.004
    x, y = torch.tensor([[0.5, 0.9]], dtype=torch.float64), torch.tensor([[5.0]], dtype=torch.float64)
    narrow = SingleTaskGP(x, y, covar_module=kernel, outcome_transform=None).eval()
    for fixed in (None, {1: 0.0}):
        with pytest.raises(fathom.InputError, match="posterior and the one that was read from the model differ"):
            certified(PosteriorMean(narrow), fixed_features=fixed)


def test_w2_fixed_features_are_within_the_bounds_or_refused() -> None:
    function = PosteriorMean(model())
    for fixed, word in [
        ({0: 1.5}, r"input 0 at 1.5, outside its bounds \[0.0, 1.0\]"),
        ({-1: -0.1}, "input 1 at -0.1"),
        ({0: math.nan}, r"fixed_features\[0\] is nan"),
        ({0: math.inf}, r"fixed_features\[0\] is inf"),
        ({0: "0.5"}, r"fixed_features\[0\] is '0.5'"),
        ({2: 0.5}, "index 2, and the inputs are 0 to 1"),
        ({-3: 0.5}, "index -3"),
        ({0.0: 0.5}, "index 0.0"),
        ({True: 0.5}, "index True"),
        ({1: 0.5, -1: 0.5}, "input 1 twice"),
    ]:
        with pytest.raises(fathom.InputError, match=word):
            certified(function, fixed_features=fixed)
    # BoTorch counts negative indices from the end, and takes tensors.
    candidate, _, proven = certified(function, fixed_features={-2: torch.tensor(0.25, dtype=torch.float64)})
    assert float(candidate[0, 0]) == 0.25 and -1e-9 <= proven.gap <= 1e-3
    both, value, proven = certified(function, fixed_features={0: 0.25, 1: 0.5})
    assert both.tolist() == [[0.25, 0.5]] and float(value) == pytest.approx(proven.upper_bound, abs=2e-3)


def test_w3_coefficients_of_repeated_indices_add_up() -> None:
    function = PosteriorMean(model())
    twice = torch.tensor([0, 0])
    for coefficients, rhs in [([-1.0, 2.0], 0.5), ([0.5, 0.5], 0.6), ([2.0, -1.0], 0.2)]:
        row = twice, torch.tensor(coefficients, dtype=torch.float64), rhs
        candidate, value, _ = certified(function, inequality_constraints=[row])
        assert bool(evaluate_feasibility(candidate.unsqueeze(0), inequality_constraints=[row]))
        plain = torch.tensor([0]), torch.ones(1, dtype=torch.float64), rhs
        assert float(value) == pytest.approx(float(certified(function, inequality_constraints=[plain])[1]), abs=2e-3)
    with pytest.raises(fathom.InputError, match="no point"):
        certified(function, inequality_constraints=[(twice, torch.tensor([1.0, -2.0], dtype=torch.float64), 0.5)])


def test_what_is_no_constraint_is_named() -> None:
    function, one = PosteriorMean(model()), torch.ones(1, dtype=torch.float64)
    zero = torch.tensor([0])
    for row, word in [
        ((torch.tensor([2]), one, 0.5), "inequality constraint 0 has the index 2"),
        ((torch.tensor([-1]), one, 0.5), "index -1"),
        ((torch.tensor([0.0]), one, 0.5), "float32, and must be whole numbers"),
        ((torch.tensor([True]), one, 0.5), "bool"),
        ((torch.tensor([0, 1]), one, 0.5), r"2 indices and coefficients of the shape \(1,\)"),
        ((torch.tensor([], dtype=torch.long), one[:0], 0.5), "0 indices"),
        ((zero, one * math.nan, 0.5), "must be finite"),
        ((zero, one, math.inf), "right-hand side of inequality constraint 0 is inf"),
        ((zero, one, "0.5"), "'0.5'"),
        ((zero, one.to(torch.complex128), 0.5), "complex128"),
        ((zero, [1.0], 0.5), "must be a tensor of numbers, not list"),
        ((zero, one), r"must be \(indices, coefficients, rhs\)"),
    ]:
        with pytest.raises(fathom.InputError, match=word):
            certified(function, inequality_constraints=[row])
    with pytest.raises(fathom.InputError, match="equality constraint 1 has the index 5"):
        certified(function, equality_constraints=[(zero, one, 0.5), (torch.tensor([5]), one, 0.5)])


def test_candidates_are_feasible_as_botorch_checks_it() -> None:
    function = UpperConfidenceBound(model(input_transform=Normalize(2)), beta=1.0)
    wide = torch.tensor([[-1e4, -1e4], [1e4, 1e4]], dtype=torch.float64)
    both = torch.tensor([0, 1])
    for coefficients, rhs in [([3.7, -1.3], 123.456), ([1e-3, 7.0], -5e3), ([0.1, 0.3], 0.7)]:
        row = both, torch.tensor(coefficients, dtype=torch.float64), rhs
        for keywords in ({"equality_constraints": [row]}, {"inequality_constraints": [row]}):
            candidate, _, proven = certified(function, wide, gap=1e-2, **keywords)
            assert bool(evaluate_feasibility(candidate.unsqueeze(0), **keywords)), (coefficients, keywords)
            assert ((wide[0] <= candidate) & (candidate <= wide[1])).all() and proven.gap >= -1e-6


def test_w4_a_prediction_that_was_cached_before_a_change_is_refused() -> None:
    torch.manual_seed(1)
    x, y = torch.rand(8, 6, dtype=torch.float64), torch.randn(8, 1, dtype=torch.float64) * 3
    bounds = torch.stack([torch.zeros(6, dtype=torch.float64), torch.ones(6, dtype=torch.float64)])
    kernel = ScaleKernel(RBFKernel(ard_num_dims=6))
    kernel.base_kernel.lengthscale = 0.05
    stale = SingleTaskGP(x, y, covar_module=kernel, outcome_transform=None).eval()
    stale.likelihood.noise = 1e-3
    function = PosteriorMean(stale)
    with torch.no_grad():
        function(x.unsqueeze(1))
    stale.likelihood.noise = 1.0
    with pytest.raises(fathom.InputError, match=r"prediction_strategy.*call model.train\(\) and model.eval\(\)"):
        certified(function, bounds)
    stale.train()
    stale.eval()
    _, value, proven = certified(function, bounds, timeout_sec=2.0)
    assert proven.upper_bound >= float(value) - 1e-9


def test_a_value_beyond_the_bound_refutes_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """BoTorch's own values are held against the bound, whatever went wrong before."""
    search = fathom.minimize_acquisition

    class Wrong:
        def __init__(self, found: Any) -> None:
            self.x, self.value, self.lower_bound, self.status = found.x, found.value, found.value + 0.1, found.status

    monkeypatch.setattr(fathom, "minimize_acquisition", lambda *given, **more: Wrong(search(*given, **more)))
    with pytest.raises(fathom.InputError, match="above the bound"):
        certified(PosteriorMean(model()))


def test_w5_what_are_no_bounds_is_named() -> None:
    function = PosteriorMean(model())
    good = [[0.0, 0.0], [1.0, 1.0]]
    for bounds, word in [
        (torch.flip(UNIT, [0]), "bounds of input 0 are reversed: 1.0 is above 0.0"),
        (torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64), "bounds of input 1 are reversed"),
        (UNIT * math.nan, "must be finite"),
        (UNIT / 0, "must be finite"),
        (UNIT[:, :1], "2 x 2"),
        (UNIT.unsqueeze(0), "2 x 2"),
        (UNIT.to(torch.complex128), "complex128"),
        (UNIT > 0, "bool"),
        (good, "must be a tensor of numbers, not list"),
    ]:
        with pytest.raises(fathom.InputError, match=word):
            certified(function, bounds)


def snapshot(module: Any) -> dict[str, Any]:
    state = {name: (tensor.dtype, tensor.clone()) for name, tensor in module.state_dict().items()}
    modes = {name: part.training for name, part in module.named_modules()}
    inner = module.model if hasattr(module, "model") else module
    inputs = inner.train_inputs[0]
    return {"state": state, "modes": modes, "inputs": (inputs.dtype, inputs.clone()), "cache": inner.prediction_strategy}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return bool(torch.equal(one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple):
        return all(map(same, one, other))
    return one is other or bool(one == other)


@pytest.mark.parametrize("mode", ["training", "evaluation", "asked before"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_s11_the_users_model_stays_as_it_is(mode: str, dtype: Any) -> None:
    own = SingleTaskGP(*data(), input_transform=Normalize(2))
    own.train(mode == "training")
    function = UpperConfidenceBound(own, beta=0.3)
    if mode == "asked before":
        with torch.no_grad():
            function(UNIT.unsqueeze(1))
    random, before = torch.random.get_rng_state(), snapshot(function)
    candidate, value, proven = certified(function, UNIT.to(dtype))
    assert same(before, snapshot(function)) and torch.equal(random, torch.random.get_rng_state())
    # Bounds in single precision are taken exactly, and cost the candidate no precision.
    assert candidate.dtype == value.dtype == torch.float64
    exact, _, _ = certified(function, UNIT)
    assert torch.equal(candidate, exact)
    with torch.no_grad():
        assert float(function(candidate)) == pytest.approx(float(value), abs=1e-12) and proven.gap <= 1e-3 * (1 + 1e-6)


def test_single_precision_bounds_are_taken_exactly() -> None:
    narrow = torch.tensor([[0.1, 0.1], [0.7, 0.7]], dtype=torch.float32)
    candidate, _, _ = certified(PosteriorMean(model(), maximize=False), narrow)
    assert ((candidate >= narrow.double()[0]) & (candidate <= narrow.double()[1])).all()


@pytest.mark.parametrize("kind", DAMAGES)
def test_what_is_not_what_it_seems_is_refused_by_name(kind: str) -> None:
    damage, word = DAMAGES[kind]
    case = Case(PosteriorMean(model(covar_module=ScaleKernel(MaternKernel(ard_num_dims=2)))), UNIT)
    optimize_acqf_certified(case.function, case.bounds, gap=0.1)
    damage(case)
    with pytest.raises(fathom.InputError, match=word):
        optimize_acqf_certified(case.function, case.bounds, **case.arguments)


def test_a_slice_of_the_campaign_holds() -> None:
    """campaigns/botorch_models.py is the whole campaign."""
    rows = list(campaign(accepted=25, refused=0, points=1000, seed=3, seconds=2.0))
    assert [row["kind"] for row in rows if row["kind"] != "honest, refused"] == ["accepted"] * 25
    assert len(rows) < 30, [row.get("message") for row in rows]


def test_hooks_on_all_modules_are_refused() -> None:
    handle = torch.nn.modules.module.register_module_forward_hook(lambda module, given, found: None)
    try:
        with pytest.raises(fathom.InputError, match="hooks on all modules"):
            certified(PosteriorMean(model()))
    finally:
        handle.remove()


def test_a_method_that_was_replaced_on_the_class_is_found_by_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    def forward(self: Any, x: Any) -> Any:
        return honest(self, x * x)

    honest = SingleTaskGP.forward
    own = model()
    monkeypatch.setattr(SingleTaskGP, "forward", forward)
    with pytest.raises(fathom.InputError, match="differ"):
        certified(PosteriorMean(own))


def test_a_large_offset_hides_nothing() -> None:
    """The agreement is relative to what varies, not to the values."""
    x, y = data()
    own = SingleTaskGP(x, 1e-3 * y + 1e6, outcome_transform=None).eval()
    own.mean_module.constant.data.fill_(1e6)
    function = PosteriorMean(own)
    with torch.no_grad():
        function(x.unsqueeze(1))
    own.likelihood.noise = 1.0
    with pytest.raises(fathom.InputError, match="differ|cached"):
        certified(function)


def test_a_conditioned_model_and_a_copy_are_read_like_any_other() -> None:
    first = UpperConfidenceBound(model(input_transform=Normalize(2)), beta=4.0)
    candidate, value, _ = certified(first)
    with torch.no_grad():
        first(candidate)
    conditioned = first.model.condition_on_observations(candidate, value.reshape(1, 1))
    again, _, proven = certified(UpperConfidenceBound(conditioned, beta=4.0))
    assert not torch.allclose(candidate, again) and proven.gap <= 1e-3 * (1 + 1e-6)
    copied, _, _ = certified(copy.deepcopy(first))
    assert torch.equal(candidate, copied)


def test_what_was_compared_is_reported() -> None:
    _, _, proven = certified(PosteriorMean(model()))
    assert proven.compared > 2 * (12 + _agreement.RANDOM + _agreement.CORNERS) and 0 <= proven.disagreement < 1e-6
