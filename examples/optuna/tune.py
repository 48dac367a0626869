"""Hyperparameters of gradient boosting, tuned by Optuna with Fathom's sampler.

    python3 tune.py [--trials 25] [--samples 442]
"""

from __future__ import annotations

import argparse

import optuna
from sklearn.datasets import load_diabetes
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import KFold, cross_val_score

from fathom.optuna import FathomSampler, StopAtGain

parser = argparse.ArgumentParser(description="Gradient boosting, tuned by Optuna with Fathom's sampler.")
parser.add_argument("--trials", type=int, default=25)
parser.add_argument("--samples", type=int, default=442, help="use only so many patients")
arguments = parser.parse_args()

patients = load_diabetes()
inputs, target = patients.data[: arguments.samples], patients.target[: arguments.samples]


def objective(trial: optuna.Trial) -> float:
    """R² of the model under 4-fold cross-validation, the same folds each time."""
    model = GradientBoostingRegressor(
        learning_rate=trial.suggest_float("learning_rate", 0.01, 0.5, log=True),
        max_depth=trial.suggest_int("max_depth", 1, 6),
        subsample=trial.suggest_float("subsample", 0.4, 1.0, step=0.05),
        loss=trial.suggest_categorical("loss", ["squared_error", "absolute_error", "huber"]),
        n_estimators=60,
        random_state=0,
    )
    folds = KFold(4, shuffle=True, random_state=0)
    return float(cross_val_score(model, inputs, target, cv=folds, scoring="r2").mean())


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(direction="maximize", sampler=FathomSampler(seed=0))
# Less than a hundredth of R² is not worth another trial.
study.optimize(objective, n_trials=arguments.trials, callbacks=[StopAtGain(0.01)])

best = study.best_trial
print(f"R² {best.value:.3f} in trial {best.number} of {len(study.trials)}")
for name, value in best.params.items():
    print(f"  {name} = {value if isinstance(value, str) else format(value, '.3g')}")
last = study.trials[-1].user_attrs
print(f"the last suggestion: {str(last.get('fathom:certificate', 'from the startup, without a certificate')).splitlines()[0]}")
