"""Write the reference data that the tests of the Gaussian-process crate read.

Four files are written beside this script, each a JSON list with one case per line:

posterior.json  mean, latent variance and log marginal likelihood of scikit-learn's
                GaussianProcessRegressor at fixed hyperparameters. Every value is recomputed
                here with mpmath at 50 digits and must agree to 1e-9 relative.
fits.json       20 data sets with the best maximum-likelihood fit scikit-learn finds in ten starts.
normal.json     the normal cdf and the logarithm of the expected-improvement helper
                h(z) = pdf(z) + z cdf(z) with its derivative, from mpmath at 60 digits.
kernels.json    unit-variance kernels over the distance or inner product t, mostly far out where
                they are tiny, from mpmath at 60 digits. `parameter` is alpha or the offset.

Conventions, with l one lengthscale for all inputs or one per input:
r^2 = sum_j (x_j - x'_j)^2 / l_j^2 and p = sum_j x_j x'_j / l_j^2; the kernel is sigma_f2 times
    matern12     exp(-r)
    matern32     (1 + sqrt(3) r) exp(-sqrt(3) r)
    matern52     (1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r)
    matern72     (1 + sqrt(7) r + 14 r^2 / 5 + 7 sqrt(7) r^3 / 15) exp(-sqrt(7) r)
    rbf          exp(-r^2 / 2)
    rq           (1 + r^2 / (2 alpha))^-alpha
    linear       p + offset
    polynomial   (p + offset)^degree
The prior mean is zero, and `noise` is the variance added to the diagonal of the kernel matrix.

Run with Python 3.11.7, numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1, mpmath 1.4.1:

    OMP_NUM_THREADS=1 python make_reference.py

The posterior and fit values may differ in the last digits with other versions or another BLAS.
"""

import json
import warnings
from pathlib import Path

import numpy as np
from mpmath import mp, mpf
from scipy.optimize import minimize
from scipy.stats import qmc
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

MATERN_NU = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5, "matern72": 3.5}


def write(name, cases):
    lines = [json.dumps(case, separators=(",", ":"), allow_nan=False) for case in cases]
    (Path(__file__).parent / name).write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{name}: {len(cases)} cases")


def stationary(kernel, lengthscales, alpha=None, bounds="fixed"):
    """The unit-variance scikit-learn kernel; one lengthscale is isotropic, several are ARD."""
    length = lengthscales[0] if len(lengthscales) == 1 else lengthscales
    if kernel in MATERN_NU:
        return Matern(length, bounds, nu=MATERN_NU[kernel])
    if kernel == "rbf":
        return RBF(length, bounds)
    return RationalQuadratic(length, alpha, length_scale_bounds=bounds, alpha_bounds="fixed")


# ---------------------------------------------------------------------------------------------
# posterior.json

# (kernel, degree), each isotropic and ARD.
POSTERIOR_KERNELS = [
    ("matern12", None),
    ("matern32", None),
    ("matern52", None),
    ("rbf", None),
    ("rq", None),
    ("linear", 1),
    ("polynomial", 2),
    ("polynomial", 3),
    # Last, so that the seeds of the others stay what they were.
    ("matern72", None),
]
# (inputs, observations, noise) of the cases of each kernel.
POSTERIOR_SIZES = {
    "iso": [(1, 8, 1e-3), (2, 25, 1e-4), (5, 60, 1e-2)],
    "ard": [(2, 8, 1e-4), (3, 25, 1e-2), (5, 60, 1e-3)],
}
QUERIES = 6


def exact_kernel(case, a, b):
    """The kernel between two points in mpmath, straight from the formulas above."""
    l = [mpf(v) for v in case["lengthscales"]]
    l = l * len(a) if len(l) == 1 else l
    a = [mpf(v) / s for v, s in zip(a, l)]
    b = [mpf(v) / s for v, s in zip(b, l)]
    kernel, sigma_f2 = case["kernel"], mpf(case["sigma_f2"])
    if kernel in ("linear", "polynomial"):
        return sigma_f2 * (mp.fdot(a, b) + mpf(case["offset"])) ** case["degree"]
    r2 = sum((u - v) ** 2 for u, v in zip(a, b))
    r = mp.sqrt(r2)
    if kernel == "matern12":
        return sigma_f2 * mp.exp(-r)
    if kernel == "matern32":
        return sigma_f2 * (1 + mp.sqrt(3) * r) * mp.exp(-mp.sqrt(3) * r)
    if kernel == "matern52":
        return sigma_f2 * (1 + mp.sqrt(5) * r + 5 * r2 / 3) * mp.exp(-mp.sqrt(5) * r)
    if kernel == "matern72":
        a = mp.sqrt(7) * r
        return sigma_f2 * (1 + a + 2 * a**2 / 5 + a**3 / 15) * mp.exp(-a)
    if kernel == "rbf":
        return sigma_f2 * mp.exp(-r2 / 2)
    alpha = mpf(case["alpha"])
    return sigma_f2 * (1 + r2 / (2 * alpha)) ** -alpha


def exact_posterior(case):
    """Mean, variance and log marginal likelihood in mpmath."""
    x, n = case["x"], len(case["x"])
    k = mp.matrix(n, n)
    for i in range(n):
        for j in range(i + 1):
            k[i, j] = k[j, i] = exact_kernel(case, x[i], x[j])
        k[i, i] += mpf(case["noise"])
    lower = mp.cholesky(k)
    rows = [[lower[i, j] for j in range(i + 1)] for i in range(n)]

    def solve(b):
        v = []
        for row, value in zip(rows, b):
            v.append((value - mp.fdot(row[:-1], v)) / row[-1])
        return v

    vy = solve([mpf(value) for value in case["y"]])
    mean, variance = [], []
    for q in case["queries"]:
        vq = solve([exact_kernel(case, q, row) for row in x])
        mean.append(mp.fdot(vq, vy))
        variance.append(exact_kernel(case, q, q) - mp.fdot(vq, vq))
    log_det_half = sum(mp.log(row[-1]) for row in rows)
    return mean, variance, -mp.fdot(vy, vy) / 2 - log_det_half - n * mp.log(2 * mp.pi) / 2


def posterior_case(kernel, degree, shape, dims, n, noise, seed):
    rng = np.random.default_rng(seed)
    dot = degree is not None
    if dot:
        noise = max(noise, 1e-3)  # few features: the variance is of the order of the noise
    count = dims if shape == "ard" else 1
    lengthscales = rng.uniform(0.7 if dot else 0.2, 1.5, count).round(4)
    sigma_f2 = round(rng.uniform(0.3, 3.0), 4)
    alpha = round(rng.uniform(0.5, 3.0), 4) if kernel == "rq" else None
    offset = round(rng.uniform(0.3, 1.5), 4) if dot else None
    # Dot-product kernels get inputs of both signs; queries reach beyond the observations.
    low, high = (-1.0, 1.0) if dot else (0.0, 1.0)
    margin = 0.25 * (high - low)
    x = rng.uniform(low, high, (n, dims)).round(6)
    queries = rng.uniform(low - margin, high + margin, (QUERIES, dims)).round(6)

    # scikit-learn's RationalQuadratic and DotProduct have no lengthscale per input.
    scale = np.ones(1)
    if dot:
        scale, base = lengthscales, Exponentiation(DotProduct(np.sqrt(offset)), degree)
    elif kernel == "rq":
        scale, base = lengthscales, stationary(kernel, [1.0], alpha)
    else:
        base = stationary(kernel, lengthscales)
    full = ConstantKernel(sigma_f2) * base

    cov = full(x / scale) + noise * np.eye(n)
    y = (np.linalg.cholesky(cov) @ rng.standard_normal(n)).round(6)
    gp = GaussianProcessRegressor(full, alpha=noise, optimizer=None).fit(x / scale, y)
    mean, covariance = gp.predict(queries / scale, return_cov=True)
    case = {
        "name": f"{kernel}{degree if kernel == 'polynomial' else ''}-{shape}-d{dims}-n{n}",
        "kernel": kernel,
        "alpha": alpha,
        "offset": offset,
        "degree": degree,
        "sigma_f2": sigma_f2,
        "lengthscales": lengthscales.tolist(),
        "noise": noise,
        "x": x.tolist(),
        "y": y.tolist(),
        "queries": queries.tolist(),
        "mean": mean.tolist(),
        "variance": np.diag(covariance).tolist(),
        "lml": float(gp.log_marginal_likelihood_value_),
    }
    exact_mean, exact_variance, exact_lml = exact_posterior(case)
    got = case["mean"] + case["variance"] + [case["lml"]]
    want = exact_mean + exact_variance + [exact_lml]
    worst = max(float(abs(g - w) / abs(w)) for g, w in zip(got, want))
    print(f"  {case['name']:24} relative error against mpmath {worst:.1e}")
    assert worst < 1e-9, case["name"]
    return case


def posterior():
    mp.dps = 50
    cases = []
    for kernel, degree in POSTERIOR_KERNELS:
        for shape, sizes in POSTERIOR_SIZES.items():
            for dims, n, noise in sizes:
                seed = 1000 + len(cases)
                cases.append(posterior_case(kernel, degree, shape, dims, n, noise, seed))
    return cases


# ---------------------------------------------------------------------------------------------
# fits.json

SIGMA_F2_BOUNDS = (0.05, 20.0)
LENGTHSCALE_BOUNDS = (0.005, 20.0)
NOISE_BOUNDS = (1e-6, 1.0)
FIXED_NOISE = 1e-6
RESTARTS = 9

# inputs, observations, kernel to fit, ARD, outputs (a test function, or the kernel of a prior
# sample), standard deviation of the noise in y (None: no noise there, and fixed in the fit).
FITS = [
    (1, 10, "matern32", False, "sines", None),
    (2, 15, "matern32", True, "matern32", None),
    (3, 20, "matern52", False, "matern52", None),
    (4, 30, "matern32", True, "sines", None),
    (5, 40, "matern32", False, "matern32", 0.1),
    (6, 60, "matern32", True, "matern32", None),
    (1, 80, "matern12", False, "matern12", None),
    (2, 100, "rbf", True, "branin", 0.03),
    (3, 150, "matern32", True, "matern32", None),
    (4, 200, "matern52", True, "sines", None),
    (5, 10, "matern32", False, "sines", None),
    (6, 15, "matern32", True, "rbf", None),
    (1, 20, "rq", False, "rq", None),
    (2, 30, "matern32", True, "branin", None),
    (3, 40, "rbf", False, "rbf", None),
    (4, 60, "matern52", True, "sines", 0.05),
    (5, 80, "matern32", True, "matern32", 0.2),
    (6, 100, "rq", False, "sines", 0.05),
    (1, 150, "matern32", False, "sines", 0.05),
    (2, 200, "matern32", True, "branin", None),
]


def outputs(kind, x, ard, rng):
    """Test functions are scaled to [0, 1]; prior samples have mean zero and unit variance."""
    n, dims = x.shape
    if kind == "sines":
        phase = 2 * np.pi * rng.uniform(0.3, 1.2, dims) * x + rng.uniform(0, 2 * np.pi, dims)
        y = np.sin(phase) @ rng.uniform(0.3, 1.0, dims)
    elif kind == "branin":
        u, v = 15 * x[:, 0] - 5, 15 * x[:, 1]
        bend = v - 5.1 / (4 * np.pi**2) * u**2 + 5 / np.pi * u - 6
        y = bend**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(u) + 10
    else:
        lengthscales = np.sqrt(dims) * rng.uniform(0.2, 0.8, dims if ard else 1)
        cov = stationary(kind, lengthscales, 1.0)(x) + 1e-8 * np.eye(n)
        return np.linalg.cholesky(cov) @ rng.standard_normal(n)
    return (y - y.min()) / (y.max() - y.min())


def fit_case(dims, n, kernel, ard, kind, noise_std, seed):
    rng = np.random.default_rng(seed)
    x = qmc.LatinHypercube(dims, rng=rng).random(n).round(6)
    y = outputs(kind, x, ard, rng)
    learned = noise_std is not None
    if learned:
        y = y + noise_std * rng.standard_normal(n)
    y = y.round(6)

    base = stationary(kernel, [0.5] * (dims if ard else 1), 1.0, LENGTHSCALE_BOUNDS)
    full = ConstantKernel(1.0, SIGMA_F2_BOUNDS) * base
    if learned:
        full = full + WhiteKernel(1e-2, NOISE_BOUNDS)
    starts = []

    def optimizer(negative_lml, theta, bounds):
        """scikit-learn's own default optimizer, keeping the value that each start reaches."""
        result = minimize(negative_lml, theta, method="L-BFGS-B", jac=True, bounds=bounds)
        starts.append(-result.fun)
        return result.x, result.fun

    gp = GaussianProcessRegressor(
        full,
        alpha=0.0 if learned else FIXED_NOISE,
        optimizer=optimizer,
        n_restarts_optimizer=RESTARTS,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a parameter at its bound
        gp.fit(x, y)
    signal = gp.kernel_.k1 if learned else gp.kernel_
    name = f"{kernel}-{'ard' if ard else 'iso'}-d{dims}-n{n}-{kind}{'-noisy' if learned else ''}"
    print(f"  {name}: lml of the starts", *(f"{v:.3f}" for v in sorted(starts, reverse=True)))
    return {
        "name": name,
        "kernel": kernel,
        "ard": ard,
        "alpha": 1.0 if kernel == "rq" else None,
        "noise": {"learned": NOISE_BOUNDS} if learned else {"fixed": FIXED_NOISE},
        "x": x.tolist(),
        "y": y.tolist(),
        "reference": {
            "lml": float(gp.log_marginal_likelihood_value_),
            "sigma_f2": float(signal.k1.constant_value),
            "lengthscales": np.atleast_1d(signal.k2.length_scale).tolist(),
            "noise": float(gp.kernel_.k2.noise_level) if learned else FIXED_NOISE,
        },
    }


def fits():
    return [fit_case(*row, seed=2000 + i) for i, row in enumerate(FITS)]


# ---------------------------------------------------------------------------------------------
# normal.json

SMALL = [1e-8, 1e-4, 0.01, 0.1, 0.25, 0.5, 0.75, 0.999, 1.0, 1.001, 1.5, 2.0]
BOTH_SIGNS = SMALL + [3.0, 4.0, 5.0, 6.0, 9.0, 40.0]
NEGATIVE_ONLY = [7.0, 8.0, 10.0, 15.0, 20.0, 30.0, 37.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]


def normal_case(z):
    exact = mpf(z)
    cdf = mp.erfc(-exact / mp.sqrt(2)) / 2
    h = mp.exp(-exact**2 / 2) / mp.sqrt(2 * mp.pi) + exact * cdf
    return {"z": z, "cdf": float(cdf), "log_h": float(mp.log(h)), "dlog_h": float(cdf / h)}


def normal():
    mp.dps = 60
    points = [0.0] + BOTH_SIGNS + [-z for z in BOTH_SIGNS + NEGATIVE_ONLY]
    return [normal_case(z) for z in sorted(points)]


# ---------------------------------------------------------------------------------------------
# kernels.json

CURVES = {
    "matern12": lambda t, _c, _m: mp.exp(-t),
    "matern32": lambda t, _c, _m: (1 + mp.sqrt(3) * t) * mp.exp(-mp.sqrt(3) * t),
    "matern52": lambda t, _c, _m: (1 + mp.sqrt(5) * t + 5 * t**2 / 3) * mp.exp(-mp.sqrt(5) * t),
    "matern72": lambda t, _c, _m: mp.polyval([mpf(7) * mp.sqrt(7) / 15, mpf(14) / 5, mp.sqrt(7), 1], t) * mp.exp(-mp.sqrt(7) * t),
    "rbf": lambda t, _c, _m: mp.exp(-(t**2) / 2),
    "rq": lambda t, c, _m: (1 + t**2 / (2 * c)) ** -c,
    "polynomial": lambda t, c, m: (t + c) ** m,
}
DISTANCES = [0.1, 0.7, 1.3, 3.1, 7.7, 13.3, 19.7, 26.9, 31.3, 36.1]
CURVE_ROWS = (
    [(name, 0.0, 0, t) for name in ("matern12", "matern32", "matern52", "rbf") for t in DISTANCES]
    + [(name, 0.0, 0, t) for name in ("matern12", "matern32", "matern52") for t in (97.3, 211.7, 301.9)]
    + [("rq", alpha, 0, t) for alpha in (0.3, 40.0, 3e5) for t in (0.7, 13.3, 31.3)]
    + [("polynomial", 0.3, degree, t) for degree in (2, 5, 33, 64) for t in (0.013, 0.7, 31.3)]
    + [("matern72", 0.0, 0, t) for t in (*DISTANCES, 97.3, 211.7)]
)


def curve_case(kernel, parameter, degree, t):
    value = float(CURVES[kernel](mpf(t), mpf(parameter), degree))
    return {"kernel": kernel, "parameter": parameter, "degree": degree, "t": t, "value": value}


def kernels():
    mp.dps = 60
    return [curve_case(*row) for row in CURVE_ROWS]


if __name__ == "__main__":
    write("kernels.json", kernels())
    write("normal.json", normal())
    write("posterior.json", posterior())
    write("fits.json", fits())
