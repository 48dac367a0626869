"""Times scikit-learn's Gaussian process on the observations in a CSV file (inputs, then the output, one row each).

Prints one line `operation,seconds,value` per repetition: `fit` (ten starts, Matérn 3/2 with ARD, the bounds of the
paper), `predict` (mean and deviation of one point), `update` (one more observation at fixed hyperparameters). The
value of a fit is its log marginal likelihood. Run with one thread: the caller sets OMP_NUM_THREADS=1.

    python sklearn_model.py observations.csv REPEATS
"""

import sys
import time
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

warnings.filterwarnings("ignore")


def timed(operation, repeats, work, value=lambda result: ""):
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        print(f"{operation},{time.perf_counter() - start!r},{value(result)}", flush=True)
    return result


def main(path, repeats):
    table = np.loadtxt(path, delimiter=",", ndmin=2)
    x, y = table[:, :-1], table[:, -1]
    kernel = ConstantKernel(1.0, (0.05, 20.0)) * Matern(np.full(x.shape[1], 0.5), (0.005, 20.0), nu=1.5)

    def fit():
        model = GaussianProcessRegressor(kernel, alpha=1e-6, n_restarts_optimizer=9, random_state=0)
        return model.fit(x, y)

    fitted = timed("fit", repeats, fit, lambda model: repr(float(model.log_marginal_likelihood_value_)))
    query = np.full((1, x.shape[1]), 0.371)
    timed("predict", 200, lambda: fitted.predict(query, return_std=True))

    more_x, more_y = np.vstack([x, query]), np.append(y, 0.5)

    def update():
        return GaussianProcessRegressor(fitted.kernel_, alpha=1e-6, optimizer=None).fit(more_x, more_y)

    timed("update", 20, update)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
