"""What BoTorch's `optimize_acqf` leaves behind: its maximum beside the certified one, on problems of `instances/`.

The lower confidence bound of each problem is BoTorch's `UpperConfidenceBound(..., maximize=False)` of a `SingleTaskGP` with
the problem's hyperparameters. `optimize_acqf` has no defaults for `num_restarts` and `raw_samples`; its tutorials use 10
and 512, and so do we, from ten seeds. It counts as short (`provably short` in the tables) where it ends below a value that
Fathom has found, and by at most the distance to Fathom's bound. Both values are evaluated in floating point.

    OMP_NUM_THREADS=1 python botorch_certified.py run FOLDER INSTANCES
    python botorch_certified.py report FOLDER        # tables.md from raw.csv alone
"""

import csv
import json
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from statistics import median

PROBLEMS = [
    "prior_d2_matern32_r00",
    "prior_d3_rbf_r00",
    "prior_d4_matern32_r00",
    "prior_d5_rbf_r00",
    "bo_d2_n50_rbf_r0",
    "bo_d2_n100_matern32_r0",
    "bo_d3_n100_rbf_r0",
    "bo_d4_n50_matern32_r0",
    "bo_d4_n100_rbf_r0",
    "bo_d6_n50_rbf_r0",
]
SEEDS = 10
# A value this much below another is worse by more than rounding.
SHORT = 1e-3
COLUMNS = ["problem", "method", "seed", "value", "upper_bound", "seconds", "cpu_seconds"]


def function(path):
    """The acquisition function of a problem file and its bounds."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.models import SingleTaskGP
    from gpytorch.constraints import GreaterThan
    from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel

    problem = json.loads(path.read_text())
    tensor = lambda rows: torch.tensor(rows, dtype=torch.float64)
    dim = problem["d"]
    base = RBFKernel(ard_num_dims=dim) if problem["kernel"] == "rbf" else MaternKernel(nu=1.5, ard_num_dims=dim)
    model = SingleTaskGP(
        tensor(problem["x"]), tensor(problem["y"]).unsqueeze(-1), covar_module=ScaleKernel(base), outcome_transform=None
    )
    model.likelihood.noise_covar.register_constraint("raw_noise", GreaterThan(1e-12))
    model.likelihood.noise = problem["noise"]
    model.covar_module.outputscale = problem["sigma_f2"]
    model.covar_module.base_kernel.lengthscale = tensor(problem["lengthscales"])
    model.mean_module.constant = problem.get("mean", 0.0)
    return UpperConfidenceBound(model, beta=problem["beta_sqrt"] ** 2, maximize=False), tensor(problem["bounds"]).T


def timed(work):
    clock, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, f"{time.perf_counter() - clock:.6f}", f"{time.process_time() - cpu:.6f}"


def run(folder, instances):
    import torch
    from botorch.optim import optimize_acqf

    from fathom.botorch import optimize_acqf_certified

    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    with (folder / "raw.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for name in PROBLEMS:
            acquisition, bounds = function(Path(instances) / f"{name}.json")
            (_, value, proven), *times = timed(
                lambda: optimize_acqf_certified(acquisition, bounds, gap=1e-4, return_certificate=True)
            )
            out.writerow([name, "certified", 0, repr(float(value)), repr(proven.upper_bound), *times])
            for seed in range(SEEDS):
                torch.manual_seed(seed)
                (_, value), *times = timed(
                    lambda: optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=512)
                )
                out.writerow([name, "optimize_acqf", seed, repr(float(value)), "", *times])
            file.flush()
            print(name, flush=True)


def report(folder):
    with (folder / "raw.csv").open() as file:
        rows = list(csv.DictReader(file))
    by_problem = defaultdict(lambda: defaultdict(list))
    for row in rows:
        by_problem[row["problem"]][row["method"]].append(row)
    lines = [
        "Made from raw.csv by `crates/bench/python/botorch_certified.py report`. Values are maximised. Short: more than "
        f"{SHORT:g} below the value that Fathom has found. Times are of the CPU, medians.",
        "",
        "| problem | Fathom: value | gap | time | optimize_acqf: best value | worst value | time | provably short | by up to |",
        "|---" * 9 + "|",
    ]
    all_short = all_runs = 0
    for name, methods in by_problem.items():
        [ours], theirs = methods["certified"], methods["optimize_acqf"]
        value, bound = float(ours["value"]), float(ours["upper_bound"])
        values = [float(row["value"]) for row in theirs]
        short = [value - other for other in values if value - other > SHORT]
        all_short, all_runs = all_short + len(short), all_runs + len(values)
        worst = f"{max(short):.2g}" if short else ""
        lines.append(
            f"| {name} | {value:.5f} | {bound - value:.1e} | {float(ours['cpu_seconds']) * 1e3:.0f} ms | {max(values):.5f} | "
            f"{min(values):.5f} | {median(float(row['cpu_seconds']) for row in theirs) * 1e3:.0f} ms | "
            f"{len(short)} of {len(values)} | {worst} |"
        )
    lines += ["", f"In all, {all_short} of {all_runs} runs of `optimize_acqf` are provably short.", ""]
    (folder / "tables.md").write_text("\n".join(lines))


if __name__ == "__main__":
    {"run": run, "report": report}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
