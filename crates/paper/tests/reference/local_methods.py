"""Writes local_methods.json: what SciPy's local methods find on a spread of instances/.

    python local_methods.py

Needs numpy and scipy >= 1.16 (from there on COBYLA is PRIMA's). Each method starts at 0 moved into the box, with
tol = 1e-6 and maxiter = 1000, and gets the analytic gradient where it uses one. `objective` repeats docs/reference/problem.md
in the plainest form.
"""

import json
import math
import pathlib
import warnings

import numpy as np
import scipy
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import LinearConstraint, minimize

HERE = pathlib.Path(__file__).resolve().parent
INSTANCES = HERE.parents[3] / "instances"
METHODS = ["L-BFGS-B", "Nelder-Mead", "COBYLA", "SLSQP", "trust-constr"]
NAMES = [f"prior_d{d}_{kernel}_r{r:02d}" for d in range(1, 6) for kernel in ("matern32", "rbf") for r in (0, 5)]
NAMES += [f"bo_d{d}_n{n}_{kernel}_r0" for d, n in ((2, 50), (3, 100)) for kernel in ("matern32", "rbf")]


def kernel(name, r2):
    """k/sigma_f2 and its derivative in r^2/2."""
    if name == "rbf":
        value = np.exp(-0.5 * r2)
        return value, -value
    assert name == "matern32"
    root = np.sqrt(3.0 * r2)
    decay = np.exp(-root)
    return (1.0 + root) * decay, -3.0 * decay


def objective(instance):
    """x -> (mu - kappa sigma, its gradient)."""
    lengths = np.array(instance["lengthscales"])
    data, y = np.array(instance["x"]) / lengths, np.array(instance["y"])
    variance, kappa = instance["sigma_f2"], instance["beta_sqrt"]
    squares = ((data[:, None, :] - data[None, :, :]) ** 2).sum(-1)
    gram = variance * kernel(instance["kernel"], squares)[0] + instance["noise"] * np.eye(len(y))
    factor = cho_factor(gram, lower=True)
    weights = cho_solve(factor, y)

    def evaluate(x):
        away = np.asarray(x) / lengths - data
        value, slope = kernel(instance["kernel"], (away**2).sum(-1))
        k, dk = variance * value, variance * slope[:, None] * away / lengths
        solved = cho_solve(factor, k)
        sigma = math.sqrt(max(variance - k @ solved, 0.0))
        gradient = dk.T @ weights
        if sigma > 0.0:
            gradient = gradient + kappa * (dk.T @ solved) / sigma
        return k @ weights - kappa * sigma, gradient

    return evaluate


def run(method, evaluate, bounds, constraints=()):
    lower, upper = np.array(bounds).T
    start = np.clip(np.zeros(len(bounds)), lower, upper)
    gradient = method not in ("Nelder-Mead", "COBYLA")
    with warnings.catch_warnings():
        # What SciPy says about the gradient of a linear constraint's multiplier is no concern of the result.
        warnings.simplefilter("ignore")
        result = minimize(
            evaluate if gradient else lambda x: evaluate(x)[0],
            start,
            jac=True if gradient else None,
            method=method,
            bounds=bounds,
            constraints=constraints,
            tol=1e-6,
            options={"maxiter": 1000},
        )
    x = np.clip(result.x, lower, upper)
    return {"x": x.tolist(), "value": evaluate(x)[0], "evaluations": int(result.nfev)}


def ks224():
    """A posterior over KS224 (Appendix B), and its four rows of which two can bind."""
    grid = [[1.5 * i, 1.5 * j] for i in range(5) for j in range(5)]
    f = [(2 * a * a + b * b - 48 * a - 40 * b) / 100.0 for a, b in grid]
    instance = {
        "name": "ks224", "d": 2, "n": len(grid), "kernel": "rbf", "sigma_f2": 4.0, "lengthscales": [6.0, 6.0],
        "noise": 1e-6, "beta_sqrt": 0.5, "bounds": [[0.0, 6.0], [0.0, 6.0]], "x": grid, "y": f,
    }  # fmt: skip
    rows = {"linear": [[1.0, 3.0], [1.0, 1.0]], "lower": [0.0, 0.0], "upper": [18.0, 8.0]}
    return instance, rows


def main():
    cases = []
    for name in NAMES:
        instance = json.loads((INSTANCES / f"{name}.json").read_text())
        evaluate = objective(instance)
        found = {method.lower(): run(method, evaluate, instance["bounds"]) for method in METHODS}
        cases.append({"name": name, "methods": found})
        print(name, *(f"{method}: {entry['value']:.6f}" for method, entry in found.items()))
    instance, rows = ks224()
    constraint = LinearConstraint(np.array(rows["linear"]), rows["lower"], rows["upper"])
    evaluate = objective(instance)
    found = {m.lower(): run(m, evaluate, instance["bounds"], [constraint]) for m in ("COBYLA", "SLSQP", "trust-constr")}
    print("ks224", found)
    constrained = {"instance": instance, "rows": rows, "methods": found}
    document = {"scipy": scipy.__version__, "cases": cases, "constrained": constrained}
    (HERE / "local_methods.json").write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
