"""BoTorch's building blocks with their defaults: SingleTaskGP, Standardize, LogEI, 10 restarts of 512 raw points.

BoTorch ships no loop, so the initial design is ours: 8 Sobol' points, as many as Fathom's. Whole numbers and choices are
BoTorch's own: MixedSingleTaskGP, and the optimiser that alternates between discrete and continuous inputs.

With `batch=8` after a colon points come eight at a time, from qLogEI over all of them at once.
"""

import itertools

import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from gpytorch.mlls import ExactMarginalLogLikelihood

from space import Choice, Float, Integer

PACKAGES = ("botorch", "gpytorch", "torch")
KEEPS_ROWS = True
DESIGN, RESTARTS, RAW = 8, 10, 512
# The most seconds that one optimisation of a batch takes.
LONGEST = 30

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)


class Rival:
    def __init__(self, space, seed, budget, batch=1):
        self.batch, self.waiting = int(batch), []
        torch.manual_seed(seed)
        self.space = space
        sequence = torch.quasirandom.SobolEngine(len(space), scramble=True, seed=seed)
        self.design = (sequence.draw(1)[0].tolist() for _ in itertools.count())
        # BoTorch's are sums of weights and coordinates that are at least a number.
        self.rows = [row(space, own) for own in space.rows] or None
        self.x, self.y = [], []
        parameters = list(space.values())
        self.choices = {j: list(range(len(p.choices))) for j, p in enumerate(parameters) if isinstance(p, Choice)}
        self.wholes = {j: [p.unit(v) for v in p.values] for j, p in enumerate(parameters) if isinstance(p, Integer)}
        ends = [len(p.choices) - 1 if isinstance(p, Choice) else 1 for p in parameters]
        self.bounds = torch.tensor([[0.0] * len(ends), ends], dtype=torch.double)

    def ask(self):
        if len(self.y) < DESIGN:
            return self.space.first(self.design)
        self.waiting = self.waiting or self.suggest()
        return self.waiting.pop(0)

    def suggest(self):
        """The points of the next batch, or the next point."""
        x, y = torch.tensor(self.x), self.targets()
        standardise = Standardize(1)
        if self.choices:
            model = MixedSingleTaskGP(x, y, cat_dims=list(self.choices), outcome_transform=standardise)
        else:
            model = SingleTaskGP(x, y, outcome_transform=standardise)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        several = self.batch > 1
        function = (qLogExpectedImprovement if several else LogExpectedImprovement)(model, best_f=y.max())
        options = {"q": self.batch, "num_restarts": RESTARTS, "raw_samples": RAW}
        if self.choices or self.wholes:
            found, _ = optimize_acqf_mixed_alternating(function, self.bounds, self.wholes, self.choices, **options)
        else:
            limit = {"timeout_sec": LONGEST} if several else {}
            found, _ = optimize_acqf(function, self.bounds, inequality_constraints=self.rows, **options, **limit)
        return [{name: value(own, at) for (name, own), at in zip(self.space.items(), row)} for row in found.tolist()]

    def targets(self):
        """What is maximised."""
        return -torch.tensor(self.y).unsqueeze(-1)

    def tell(self, point, value):
        code = lambda own, at: float(own.choices.index(at)) if isinstance(own, Choice) else own.unit(at)
        self.x.append([code(own, point[name]) for name, own in self.space.items()])
        self.y.append(value)


def row(space, own):
    weights = {name: -weight * (space[name].high - space[name].low) for name, weight in own.weights.items()}
    least = sum(weight * space[name].low for name, weight in own.weights.items()) - own.bound
    places = torch.tensor([list(space).index(name) for name in weights])
    return places, torch.tensor(list(weights.values())), least


def value(own, at):
    """A parameter's value at a coordinate of the model."""
    if isinstance(own, Float):
        return own.at(min(max(at, 0.0), 1.0))
    if isinstance(own, Choice):
        return own.choices[round(at)]
    return own.low + round(at * (own.high - own.low))
