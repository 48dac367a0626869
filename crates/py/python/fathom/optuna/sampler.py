"""A sampler for Optuna."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

import fathom
from fathom._proposal import DEFAULTS, Proposal, propose
from fathom.optuna import space
from fathom.optuna.claim import claim
from fathom.optuna.record import CERTIFICATE, GAIN, in_words, point, read

logger = logging.getLogger(__name__)


class FathomSampler(BaseSampler):
    """Certified Bayesian optimisation: after the startup trials each point is the minimum of the acquisition function, with
    a certificate of how far below it any other point can be.

    The certificate is in the trial's system attributes as `fathom:certificate`, and in words in the user attribute of that
    name. What the model says can still be gained, in the objective's units, is in both as `fathom:gain`; optuna-dashboard
    shows user attributes. Startup trials and local optimizers have no certificate. No
    trial has a proof: none is stored, and none can be made again.

    Args:
        search_space: the distributions of the parameters, where they are known beforehand. Otherwise they are those that
            all complete trials have in common, as for Optuna's own GP sampler, and the first trial is random.
        constraints: known ones, written over the names of the parameters: `"x1 + 3*x2 <= 18"`. Every suggestion keeps
            them. They need `search_space`.
        seed: of the initial design, the fits and the searches. The same seed and history give the same suggestion.
        n_startup_trials: points of the initial design, before there is a model.
        independent_sampler: for parameters outside the common search space. Random by default, seeded by `seed`, the
            trial's number and the parameter's name.
        warn_independent_sampling: whether to say so once there is a model.
        **strategy: keys of a study file's `[strategy]`: `kernel`, `noise`, `acquisition`, `beta`, `gap`, `time_limit`, …
    """

    def __init__(
        self,
        *,
        search_space: Mapping[str, BaseDistribution] | None = None,
        constraints: Sequence[str] = (),
        seed: int = 0,
        n_startup_trials: int = 10,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        **strategy: Any,
    ) -> None:
        if constraints and search_space is None:
            raise fathom.InputError(
                "constraints need search_space={name: distribution, …}: otherwise the first trial, whose parameters are "
                "only known once it runs, could break them"
            )
        self._search_space = None if search_space is None else dict(search_space)
        self._constraints = list(constraints)
        self._strategy = {**DEFAULTS, **strategy, "seed": seed, "initial": n_startup_trials}
        self._independent_sampler = independent_sampler
        self._warn_independent_sampling = warn_independent_sampling
        self._common_search_space = IntersectionSearchSpace()
        # A mistake in the strategy, the space or the constraints is told now, not after the first trial.
        axes = space.axes(self._search_space or {"x": FloatDistribution(0, 1)}, self._constraints)
        fathom.Study(axes.space, constraints=axes.constraints, **self._strategy)

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        known = self._search_space
        known = self._common_search_space.calculate(study) if known is None else known
        return {name: distribution for name, distribution in known.items() if not distribution.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if len(study.directions) > 1:
            raise fathom.InputError("FathomSampler optimises one objective, and this study has several: use "
                                    "optuna.samplers.GPSampler")
        fixed = trial.system_attrs.get("fixed_params", {})
        if search_space.keys() <= fixed.keys():
            return {}
        axes = space.axes(self._search_space or search_space, self._constraints)
        direction = "maximize" if study.direction == StudyDirection.MAXIMIZE else "minimize"
        while True:
            others = [other for other in study.get_trials(deepcopy=False) if other.number != trial.number]
            # Before the record is read: trials of a storage in memory go on changing.
            known = {other.number: point(other) for other in others}
            try:
                proposal = propose(axes, read(others, axes), direction, self._strategy)
            except fathom.ExhaustedError as error:
                logger.warning("Trial %d is drawn at random: %s", trial.number, error)
                return {}
            params = {name: proposal.params[name] for name in search_space}
            if claim(study, trial, {**params, **fixed}, axes, known):
                break
        if not fixed.keys() & params.keys():
            self._report(study, trial, proposal)
        return params

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if self._warn_independent_sampling and len(complete) >= self._strategy["initial"]:
            logger.warning(
                "Trial %d draws `%s` at random, as not every complete trial has it with this range. "
                "warn_independent_sampling=False stops this message.",
                trial.number,
                param_name,
            )
        sampler = self._independent_sampler
        if sampler is None:
            # Workers that start at once with one seed must not all draw the same.
            text = f"{self._strategy['seed']}/{trial.number}/{param_name}"
            sampler = RandomSampler(seed=int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big"))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def reseed_rng(self) -> None:
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

    def _report(self, study: Study, trial: FrozenTrial, proposal: Proposal) -> None:
        storage, key = study._storage, trial._trial_id
        if proposal.certificate is not None:
            certificate = json.loads(proposal.certificate.to_json())
            storage.set_trial_system_attr(key, CERTIFICATE, certificate)
            storage.set_trial_user_attr(key, CERTIFICATE, in_words(certificate))
        if proposal.gain is not None:
            storage.set_trial_system_attr(key, GAIN, proposal.gain)
            storage.set_trial_user_attr(key, GAIN, proposal.gain)
