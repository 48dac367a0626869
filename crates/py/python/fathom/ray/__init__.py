"""Fathom in Ray Tune: a searcher whose suggestions carry a certificate, for trials on as many machines as Ray has.

    tuner = tune.Tuner(trainable, param_space={"x": tune.uniform(0, 1)}, tune_config=tune.TuneConfig(
        search_alg=fathom.ray.FathomSearch(), metric="loss", mode="min", num_samples=40))

There are certificates; no proof is stored or can be made again.
"""

try:
    import ray.tune as _tune  # noqa: F401
except ImportError as error:
    raise ImportError('fathom.ray needs Ray Tune: pip install "ray[tune]"') from error

from fathom.ray.search import FathomSearch

__all__ = ["FathomSearch"]
