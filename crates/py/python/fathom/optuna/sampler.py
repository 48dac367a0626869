"""A sampler for Optuna."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

import fathom
from fathom._proposal import Proposal, complete, propose
from fathom.optuna import space
from fathom.optuna.claim import claim
from fathom.optuna.record import CERTIFICATE, CLAIM, FORECAST, GAIN, changed, in_words, point, read, withdraw

logger = logging.getLogger(__name__)

# How often a value that does not fit is drawn again until it keeps the constraints.
DRAWS = 200


class FathomSampler(BaseSampler):
    """Certified Bayesian optimisation: after the startup trials each point is the minimum of the acquisition function, with
    a certificate of how far below it any other point can be.

    The certificate is in the trial's system attributes as `fathom:certificate`, and in words in the user attribute of that
    name. What the model says can still be gained, in the objective's units, is in both as `fathom:gain`; optuna-dashboard
    shows user attributes. Startup trials and local optimizers have no certificate, nor has a trial of which somebody gave some
    values; a certificate is withdrawn if the trial's point or ranges were changed after the suggestion. No trial has a proof:
    none is stored, and none can be made again.

    Args:
        search_space: the distributions of the parameters, if they are known beforehand. Otherwise they are those that all
            complete trials have in common, as for Optuna's own GP sampler, and the first trial is random.
        constraints: known constraints, written over the names of the parameters: `"x1 + 3*x2 <= 18"`. Every suggestion keeps
            them, also with values that a queued trial gives, if any can. They need `search_space`.
        seed: the seed of the initial design, the fits and the searches. The same seed and history give the same suggestion.
        n_startup_trials: points of the initial design, before there is a model.
        independent_sampler: the sampler for parameters outside the common search space. Random by default, seeded by `seed`, the
            trial's number and the parameter's name.
        warn_independent_sampling: whether to warn of that sampler once there is a model.
        **strategy: keys of a study file's `[strategy]`: `kernel`, `noise`, `acquisition`, `beta`, `gap`, `time_limit`, …
    """

    def __init__(
        self,
        *,
        search_space: Mapping[str, BaseDistribution] | None = None,
        constraints: Sequence[str] = (),
        seed: int = 0,
        n_startup_trials: int = 8,
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
        self._strategy = {**strategy, "seed": seed, "initial": n_startup_trials}
        self._independent_sampler = independent_sampler
        self._warn_independent_sampling = warn_independent_sampling
        self._common_search_space = IntersectionSearchSpace()
        # A mistake in the strategy, the space or the constraints is reported now, not after the first trial.
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
        held = self._held(study, trial, search_space)
        if search_space.keys() <= held.keys():
            return {}
        axes = space.axes(self._search_space or search_space, self._constraints)
        direction = "maximize" if study.direction == StudyDirection.MAXIMIZE else "minimize"
        while True:
            others = [other for other in study.get_trials(deepcopy=False) if other.number != trial.number]
            # This comes before the record is read: trials of a storage in memory go on changing.
            known = {other.number: point(other) for other in others}
            record = read(others, axes)
            try:
                proposal = propose(axes, record, direction, self._strategy)
            except fathom.ExhaustedError as error:
                logger.warning("Trial %d is drawn at random: %s", trial.number, error)
                return {}
            params = {name: proposal.params[name] for name in search_space}
            if held:
                whole = complete(axes, record, direction, self._strategy, held, proposal.params)
                if whole is not None:
                    params = {name: whole[name] for name in search_space}
                elif self._constraints:
                    logger.warning("Trial %d breaks a constraint: nothing keeps them all with %s", trial.number, held)
            if claim(study, trial, {**params, **held}, search_space, axes, known):
                break
        if not held and not isinstance(study.sampler, PartialFixedSampler):
            self._report(study, trial, proposal)
        return params

    def _held(self, study: Study, trial: FrozenTrial, search_space: Mapping[str, BaseDistribution]) -> dict[str, Any]:
        """The values of this trial's parameters that somebody has decided on already."""
        own = self._search_space or search_space
        queued = trial.system_attrs.get("fixed_params", {})
        partial = study.sampler._fixed_params if isinstance(study.sampler, PartialFixedSampler) else {}
        held = {name: value for name, value in {**partial, **queued}.items() if name in own}
        unknown = [name for name, distribution in own.items() if not distribution.single()]
        unknown = [name for name in unknown if name not in search_space and name not in held]
        if unknown:
            raise fathom.InputError(
                f"somebody else decides on `{unknown[0]}`, and FathomSampler cannot know how, so neither a constraint nor a "
                "certificate can hold: leave it out of search_space, or give it a range of one value"
            )
        return held

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        claimed = study._storage.get_trial_system_attrs(trial._trial_id).get(CLAIM) or {}
        if param_name in claimed.get("space", {}):
            self._withdraw(study, trial, f"`{param_name}` was drawn again, from {param_distribution}")
        finished = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if self._warn_independent_sampling and len(finished) >= self._strategy["initial"]:
            logger.warning(
                "Trial %d draws `%s` at random, as not every complete trial has it with this range. "
                "warn_independent_sampling=False stops this message.",
                trial.number,
                param_name,
            )
        sampler = self._independent_sampler
        if sampler is None:
            # Workers that start at once with one seed must not all draw the same values.
            text = f"{self._strategy['seed']}/{trial.number}/{param_name}"
            sampler = RandomSampler(seed=int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big"))
        if not self._constraints or param_name not in claimed.get("space", {}):
            return sampler.sample_independent(study, trial, param_name, param_distribution)
        # The other parameters stay as they were suggested, so this one alone can keep the constraints.
        axes, others = space.axes(self._search_space or {}, self._constraints), {**claimed["params"], **trial.params}
        for _ in range(DRAWS):
            value = sampler.sample_independent(study, trial, param_name, param_distribution)
            if axes.allows({**others, param_name: value}):
                return value
        logger.warning("Trial %d breaks a constraint: no `%s` from %s keeps them", trial.number, param_name, param_distribution)
        return value

    def reseed_rng(self) -> None:
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        # A trial that is retried comes with all attributes of the trial that failed.
        self._withdraw(study, trial, "the trial was queued with it")
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        if reason := changed(trial, state == TrialState.COMPLETE):
            self._withdraw(study, trial, reason)
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)

    def _withdraw(self, study: Study, trial: FrozenTrial, reason: str) -> None:
        if withdraw(study, trial, reason):
            logger.warning("The certificate of trial %d is withdrawn: %s", trial.number, reason)

    def _report(self, study: Study, trial: FrozenTrial, proposal: Proposal) -> None:
        storage, key = study._storage, trial._trial_id
        if proposal.certificate is not None:
            certificate = json.loads(proposal.certificate.to_json())
            storage.set_trial_system_attr(key, CERTIFICATE, certificate)
            storage.set_trial_user_attr(key, CERTIFICATE, in_words(certificate))
        if proposal.forecast is not None:
            storage.set_trial_system_attr(key, FORECAST, list(proposal.forecast))
        if proposal.gain is not None:
            storage.set_trial_system_attr(key, GAIN, proposal.gain)
            storage.set_trial_user_attr(key, GAIN, proposal.gain)
