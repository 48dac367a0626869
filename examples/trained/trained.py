"""A Gaussian process that was trained in scikit-learn, minimised under constraints with a proof.

    python3 trained.py        # writes cheapest.proof
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

import fathom

NAMES = ["pressure", "flow", "hours"]
BOUNDS = [(1.0, 9.0), (0.5, 6.0), (2.0, 24.0)]
TODAY = [3.0, 4.0, 12.0]

with open(Path(__file__).parent / "plant.csv", newline="") as file:
    rows = [[float(row[name]) for name in [*NAMES, "cost"]] for row in csv.DictReader(file)]
X, y = np.array(rows)[:, :-1], np.array(rows)[:, -1]

# The model is scikit-learn's, as it would be without Fathom.
kernel = ConstantKernel(1.0) * Matern([2.0, 1.0, 5.0], nu=2.5) + WhiteKernel(0.01)
model = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=3, random_state=0).fit(X, y)

# The same model, found to predict the same; its deviation is without the WhiteKernel's noise.
gp = fathom.GaussianProcess.from_sklearn(model)
limits: dict[str, Any] = {
    "constraints": ["pressure * flow <= 20", LinearConstraint([[0, 1, 0.1]], ub=6.5)],
    "integers": [2],  # whole hours
    "names": NAMES,
}
cheapest = fathom.minimize_acquisition(gp, BOUNDS, acquisition="mean", gap=1e-3, proof=True, **limits)
point = ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, cheapest.x))
print(f"cheapest: {cheapest.value:.3f} at {point} ({cheapest.status})")
print(f"scikit-learn says {model.predict(cheapest.x[None])[0]:.3f} there")
verified = cheapest.verify()
print(f"proven: no allowed point is expected to cost less than {verified.lower_bound:.3f}")
assert cheapest.proof is not None
Path("cheapest.proof").write_bytes(cheapest.proof)

# What a local solver makes of the same task, from today's setting.
keeps = [{"type": "ineq", "fun": lambda x: 20 - x[0] * x[1]}, {"type": "ineq", "fun": lambda x: 6.5 - x[1] - 0.1 * x[2]}]
local = minimize(lambda x: model.predict(x[None])[0], TODAY, method="SLSQP", bounds=BOUNDS, constraints=keeps)
rounded = [local.x[0], local.x[1], round(local.x[2])]
audit = fathom.audit(rounded, gp, BOUNDS, "mean", gap=1e-3, tolerance=1e-6, **limits)
if audit.shortfall is None:
    print(f"SLSQP's point is not allowed: {audit.violations[0]}")
else:
    print(f"SLSQP's point costs {audit.shortfall:.3f} more")
