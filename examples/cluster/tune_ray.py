"""The same wing through Ray Tune: Ray asks Fathom on the head node, and trials run wherever Ray has room.

    python3 tune_ray.py [--trials 16] [--at-once 4]
"""

from __future__ import annotations

import argparse
from typing import Any

import ray
from ray import tune
from wing import drag

from fathom.ray import FathomSearch


def evaluate(config: dict[str, Any]) -> None:
    """One trial, on some machine of the cluster."""
    tune.report({"drag": drag(**config)})


def main() -> None:
    """Joins the cluster that RAY_ADDRESS names, or starts one on this machine."""
    parser = argparse.ArgumentParser(description="A wing, tuned by Ray with Fathom's search.")
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--at-once", type=int, default=4)
    arguments = parser.parse_args()
    ray.init(include_dashboard=False)
    space = {
        "span": tune.uniform(1, 4),
        "chord": tune.loguniform(0.1, 1),
        "sweep": tune.uniform(-10, 40),
        "layers": tune.randint(2, 13),
    }
    search = FathomSearch(seed=0, initial=8)
    settings = tune.TuneConfig(
        search_alg=search,
        metric="drag",
        mode="min",
        num_samples=arguments.trials,
        max_concurrent_trials=arguments.at_once,
    )
    results = tune.Tuner(evaluate, param_space=space, tune_config=settings, run_config=tune.RunConfig(verbose=0)).fit()
    best = results.get_best_result()
    print(f"drag {best.metrics['drag']:.3f} at {best.config}")
    print(f"{len(search.certificates)} of {len(results)} suggestions have a certificate")


if __name__ == "__main__":
    main()
