"""Fathom in Optuna: a sampler whose suggestions carry a certificate, and a bound of what a study can still gain.

    study = optuna.create_study(sampler=fathom.optuna.FathomSampler())
    study.optimize(objective, n_trials=50, callbacks=[fathom.optuna.StopAtGain(0.01)])

Storage, workers and pruning stay Optuna's. There are certificates; no proof is stored or can be made again.
"""

try:
    import optuna as _optuna  # noqa: F401
except ImportError as error:
    raise ImportError("fathom.optuna needs Optuna 4 or newer: pip install optuna") from error

from fathom.optuna.regret import CertifiedRegretBound, StopAtGain
from fathom.optuna.sampler import FathomSampler

__all__ = ["CertifiedRegretBound", "FathomSampler", "StopAtGain"]
