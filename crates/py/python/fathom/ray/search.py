"""A searcher for Ray Tune."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import ray.cloudpickle as pickle
from ray.tune.search import Searcher
from ray.tune.utils.util import flatten_dict, unflatten_dict

import fathom
from fathom._axes import Axes
from fathom._proposal import Past, Record, complete, propose
from fathom.ray.space import axes


class FathomSearch(Searcher):
    """Certified Bayesian optimisation: after the initial design each configuration is the minimum of the acquisition
    function, with a certificate of how far below it any other configuration can be.

    The searcher is asked on Ray's head node; trials run wherever Ray has room. Trials that run are taken into account, so
    that concurrent ones differ. `certificates` has the certificate of each suggestion that a model made and nobody changed,
    by trial; `gain` has what the model says can still be gained, in the metric's units. There are no proofs: none is stored,
    and none can be made again.

    Args:
        space: what to search, as `param_space` of `tune.Tuner`, which is used if this is not given.
        metric, mode: what to optimise; those of `tune.TuneConfig` if they are not given.
        constraints: known constraints, written over the parameters' names: `"x1 + 3*x2 <= 18"`. Every suggestion keeps them.
        points_to_evaluate: configurations to begin with; values that are missing are filled in under the constraints.
        seed: the seed of the initial design, the fits and the searches. The same seed and history give the same suggestion.
        initial: points of the initial design, before there is a model.
        **strategy: keys of a study file's `[strategy]`: `kernel`, `noise`, `acquisition`, `beta`, `gap`, `time_limit`, …
    """

    def __init__(
        self,
        space: Mapping[str, Any] | None = None,
        metric: str | None = None,
        mode: str | None = None,
        *,
        constraints: Sequence[str] = (),
        points_to_evaluate: Sequence[Mapping[str, Any]] = (),
        seed: int = 0,
        initial: int = 8,
        **strategy: Any,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        self._metric, self._mode = metric, mode
        self._constraints = list(constraints)
        self._strategy = {**strategy, "seed": seed, "initial": initial}
        self._queue = [flatten_dict(dict(point)) for point in points_to_evaluate]
        # Points by trial, in the order in which they were suggested, and the values of those that are finished.
        self._points: dict[str, dict[str, Any]] = {}
        self._values: dict[str, float | None] = {}
        self.certificates: dict[str, str] = {}
        self._forecasts: dict[str, tuple[float, float]] = {}
        self.gain: float | None = None
        self._chosen = 0
        self._axes: Axes | None = None
        self._has_own_space = bool(space)
        if space:
            self._set_space(space)

    def set_search_properties(
        self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any
    ) -> bool:
        self._metric = metric or self._metric
        self._mode = mode or self._mode
        if self._has_own_space:
            return False
        self._set_space(config)
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | str:
        if self._axes is None:
            raise fathom.InputError("there is nothing to search: give FathomSearch a space, or tune.Tuner a param_space")
        if self._metric is None or self._mode is None:
            raise fathom.InputError("metric and mode are missing: give them to FathomSearch or to tune.TuneConfig")
        if self._queue:
            params = self._completed(self._axes, self._queue.pop(0))
        else:
            try:
                proposal = propose(self._axes, self._record(), f"{self._mode}imize", self._strategy)
            except fathom.ExhaustedError:
                return Searcher.FINISHED
            params = proposal.params
            if proposal.certificate is not None:
                self.certificates[trial_id] = proposal.certificate.to_json()
            if proposal.forecast is not None:
                self._forecasts[trial_id] = proposal.forecast
            if proposal.is_chosen:
                self._chosen += 1
                self.gain = proposal.gain
        self._points[trial_id] = params
        return unflatten_dict(params)

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        value = None if result is None or self._metric is None else result.get(self._metric)
        if trial_id not in self._points:
            # After a crash Ray may know trials that were suggested since the searcher was last saved.
            if not result or "config" not in result:
                return
            self._points[trial_id] = flatten_dict(result["config"])
        elif result and "config" in result:
            self._correct(trial_id, flatten_dict(result["config"]))
        self._values[trial_id] = _finite(None if error else value)

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,
    ) -> None:
        name = f"given {len(self._points)}"
        self._points[name] = flatten_dict(parameters)
        self._values[name] = _finite(None if error or pruned else value)

    def get_state(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def set_state(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def save(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "wb") as file:
            pickle.dump(self.get_state(), file)

    def restore(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "rb") as file:
            self.set_state(pickle.load(file))

    def _set_space(self, config: Mapping[str, Any]) -> None:
        self._axes = axes(config, self._constraints)
        # A mistake in the space, the strategy or the constraints is reported now.
        fathom.Study(self._axes.space, constraints=self._axes.constraints, **self._strategy)

    def _completed(self, axes: Axes, given: dict[str, Any]) -> dict[str, Any]:
        """A point to begin with, of which some values may be missing."""
        if axes.has_all(given):
            return given
        held = {name: value for name, value in given.items() if axes.has(name)}
        direction, record = f"{self._mode}imize", self._record()
        try:
            proposed = propose(axes, record, direction, self._strategy).params
        except fathom.ExhaustedError:
            proposed = {}
        whole = complete(axes, record, direction, self._strategy, held, proposed)
        if whole is None:
            raise fathom.InputError(f"points_to_evaluate: nothing keeps the constraints with {held}")
        return {**given, **whole}

    def _correct(self, trial_id: str, config: Mapping[str, Any]) -> None:
        """Takes the point that was evaluated. If a scheduler or a callback changed it, the trial loses its certificate."""
        suggested = self._points[trial_id]
        evaluated = {name: config.get(name, value) for name, value in suggested.items()}
        if evaluated != suggested:
            self._points[trial_id] = evaluated
            self.certificates.pop(trial_id, None)

    def _record(self) -> Record:
        points, values = self._points.items(), self._values
        forecasts = self._forecasts
        finished = [Past(f"trial {name}", params, values[name], forecasts.get(name)) for name, params in points if name in values]
        pending = [params for name, params in points if name not in values]
        return Record(finished, pending, self._chosen)


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
