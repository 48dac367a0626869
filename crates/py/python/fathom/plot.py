"""Pictures of studies, if matplotlib is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .study import Study


def convergence(study: Study, ax: Axes | None = None) -> Axes:
    """Values, the best so far, and the certified bound of what was reachable, by trial."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError("plot needs matplotlib: pip install matplotlib") from error
        ax = pyplot.subplots(layout="constrained")[1]
    trials, history = study.trials, study.history
    told = [step for step in history if step["value"] is not None]
    bounds = [(trial.id, trial.reachable) for trial in trials if trial.reachable is not None]
    ax.plot([step["id"] for step in told], [step["value"] for step in told], "o", color="0.7", label="value")
    ax.step([step["id"] for step in told], [step["best"] for step in told], where="post", label="best so far")
    if bounds:
        ids, reachable = zip(*bounds)
        ax.step(ids, reachable, where="post", linestyle="--", label="no better value expected (certified)")
    ax.set_xlabel("trial")
    ax.set_ylabel("value")
    ax.set_title(study.name)
    ax.legend()
    return ax
