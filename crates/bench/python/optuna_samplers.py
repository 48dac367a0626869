"""Regret and time of samplers in Optuna: Fathom's, Optuna's Gaussian process and its Parzen trees.

Four functions of the paper's Section 5.3, the same seeds for everyone, every sampler with its default settings. The two
linear constraints of KS224 are known to Fathom; Optuna's samplers can only learn of them from values, as they learn of
the objective. Each study is one block of rows in FOLDER/raw.csv; a run goes on with the blocks that are missing.

    OMP_NUM_THREADS=1 python optuna_samplers.py run FOLDER
    python optuna_samplers.py report FOLDER          # tables.md and regret.svg from raw.csv alone
"""

import csv
import math
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from statistics import median

TRIALS, SEEDS = 40, 10
SAMPLERS = ["fathom", "gp", "tpe"]
# To be told apart in grey too.
DASHES = {"fathom": "solid", "gp": "dashed", "tpe": "dotted"}
NAMES = {"fathom": "Fathom", "gp": "Optuna GPSampler", "tpe": "Optuna TPESampler"}
COLUMNS = ["function", "sampler", "seed", "trial", "value", "feasible", "seconds", "cpu_seconds"]


def ackley(x):
    waves = math.cos(2 * math.pi * x[0]) + math.cos(2 * math.pi * x[1])
    return 20 + math.e - 20 * math.exp(-0.2 * math.sqrt(0.5 * (x[0] ** 2 + x[1] ** 2))) - math.exp(0.5 * waves)


def branin(x):
    valley = x[1] - 5.1 / (4 * math.pi**2) * x[0] ** 2 + 5 / math.pi * x[0] - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x[0]) + 10


def hartmann3(x):
    hills = [
        (1.0, (3.0, 10.0, 30.0), (0.3689, 0.1170, 0.2673)),
        (1.2, (0.1, 10.0, 35.0), (0.4699, 0.4387, 0.7470)),
        (3.0, (3.0, 10.0, 30.0), (0.1091, 0.8732, 0.5547)),
        (3.2, (0.1, 10.0, 35.0), (0.0381, 0.5743, 0.8828)),
    ]
    return -sum(c * math.exp(-sum(a * (u - p) ** 2 for a, u, p in zip(A, x, P))) for c, A, P in hills)


def ks224(x):
    return 2 * x[0] ** 2 + x[1] ** 2 - 48 * x[0] - 40 * x[1]


# Function, box, minimum, constraints as Fathom reads them and as values that must not be positive.
FUNCTIONS = {
    "branin": (branin, [(-5, 10), (0, 15)], 0.3978874, [], lambda x: {}),
    "ackley": (ackley, [(-32, 16)] * 2, 0.0, [], lambda x: {}),
    "hartmann3": (hartmann3, [(0, 1)] * 3, -3.8627798, [], lambda x: {}),
    "ks224": (
        ks224,
        [(0, 6)] * 2,
        -304.0,
        ["x1 + 3*x2 <= 18", "x1 + x2 <= 8"],
        lambda x: {"first": x[0] + 3 * x[1] - 18, "second": x[0] + x[1] - 8},
    ),
}


# The defaults of the sampler when the committed run was made.
THEN = {
    "n_startup_trials": 10,
    "kernel": "matern52",
    "fit": "likelihood",
    "mean": 0,
    "noise": 1e-6,
    "warp": "none",
    "acquisition": "lcb",
    "beta": "paper",
    "patience": 10.0,
    "time_limit": 10.0,
}


def sampler(name, seed, box, constraints):
    import optuna

    if name == "gp":
        return optuna.samplers.GPSampler(seed=seed)
    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed)
    from fathom.optuna import FathomSampler

    space = {f"x{j + 1}": optuna.distributions.FloatDistribution(*ends) for j, ends in enumerate(box)}
    known = {"search_space": space, "constraints": constraints} if constraints else {}
    return FathomSampler(seed=seed, **THEN, **known)


def study(name, function, seed):
    """One row per trial."""
    import optuna

    call, box, _, constraints, broken_by = FUNCTIONS[function]
    record = optuna.create_study(sampler=sampler(name, seed, box, constraints))
    for number in range(TRIALS):
        clock, cpu = time.perf_counter(), time.process_time()
        trial = record.ask()
        x = [trial.suggest_float(f"x{j + 1}", *ends) for j, ends in enumerate(box)]
        seconds, cpu_seconds = time.perf_counter() - clock, time.process_time() - cpu
        off = broken_by(x)
        if name != "fathom":
            for key, value in off.items():
                trial.set_constraint(key, value)
        value = call(x)
        record.tell(trial, value)
        feasible = int(all(value <= 1e-6 for value in off.values()))
        yield [function, name, seed, number + 1, repr(value), feasible, f"{seconds:.6f}", f"{cpu_seconds:.6f}"]


def run(folder):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore")
    path = folder / "raw.csv"
    done = {(row["function"], row["sampler"], int(row["seed"])) for row in read(path)} if path.exists() else set()
    if not path.exists():
        path.write_text(",".join(COLUMNS) + "\n")
    for seed in range(SEEDS):
        for function in FUNCTIONS:
            for name in SAMPLERS:
                if (function, name, seed) in done:
                    continue
                rows = list(study(name, function, seed))
                with path.open("a", newline="") as file:
                    csv.writer(file, lineterminator="\n").writerows(rows)
                print(function, name, seed, rows[-1][4], flush=True)


def read(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def regrets(rows):
    """By function and sampler, a list of regret curves; without a feasible value there is none yet."""
    best, curves = defaultdict(lambda: math.inf), defaultdict(lambda: defaultdict(list))
    for row in rows:
        key = row["function"], row["sampler"], row["seed"]
        if row["feasible"] == "1":
            best[key] = min(best[key], float(row["value"]))
        curves[key[:2]][key[2]].append(max(best[key] - FUNCTIONS[row["function"]][2], 0.0))
    return {key: list(by_seed.values()) for key, by_seed in curves.items()}


def quartiles(values):
    ordered = sorted(values)
    place = lambda part: ordered[round(part * (len(ordered) - 1))]
    return place(0.25), median(ordered), place(0.75)


def number(value):
    return "none" if math.isinf(value) else f"{value:.2g}"


def report(folder):
    rows = read(folder / "raw.csv")
    curves = regrets(rows)
    lines = [f"Made from raw.csv by `crates/bench/python/optuna_samplers.py report`; {SEEDS} seeds, {TRIALS} trials.", ""]
    for at in (20, TRIALS):
        lines += [f"Regret after {at} trials: median over seeds (quartiles).", ""]
        lines += table(lambda key: "{1} ({0} to {2})".format(*map(number, quartiles([c[at - 1] for c in curves[key]]))))
    lines += ["Seconds for a suggestion with 30 to 39 trials before it, median (longest), by the clock.", ""]
    lines += table(lambda key: seconds(rows, key, "seconds"))
    lines += ["The same in seconds of CPU, which busy neighbours change less.", ""]
    lines += table(lambda key: seconds(rows, key, "cpu_seconds"))
    lines += ["Trials that broke a constraint of KS224, of all.", "", "| " + " | ".join(NAMES.values()) + " |", "|---" * 3 + "|"]
    broken = lambda name: [row["feasible"] == "0" for row in rows if (row["function"], row["sampler"]) == ("ks224", name)]
    lines += ["| " + " | ".join(f"{sum(broken(name))} of {len(broken(name))}" for name in SAMPLERS) + " |", ""]
    (folder / "tables.md").write_text("\n".join(lines))
    draw(folder, curves)


def table(cell):
    lines = ["| | " + " | ".join(NAMES.values()) + " |", "|---" * (len(SAMPLERS) + 1) + "|"]
    lines += [f"| {function} | " + " | ".join(cell((function, name)) for name in SAMPLERS) + " |" for function in FUNCTIONS]
    return [*lines, ""]


def seconds(rows, key, column):
    times = [float(r[column]) for r in rows if (r["function"], r["sampler"]) == key and int(r["trial"]) > 30]
    return f"{median(times):.3f} ({max(times):.2f})"


def draw(folder, curves):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "fathom"
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(FUNCTIONS), figsize=(14, 3.6), constrained_layout=True)
    for panel, function in zip(panels, FUNCTIONS):
        for name in SAMPLERS:
            bands = [quartiles(at) for at in zip(*curves[function, name])]
            low, middle, high = ([max(band[i], 1e-6) for band in bands] for i in range(3))
            trials = range(1, len(bands) + 1)
            shown = [i for i, value in enumerate(middle) if math.isfinite(value)]
            panel.plot([trials[i] for i in shown], [middle[i] for i in shown], label=NAMES[name], linestyle=DASHES[name])
            panel.fill_between(
                [trials[i] for i in shown], [low[i] for i in shown], [min(high[i], 1e4) for i in shown], alpha=0.2
            )
        panel.set(title=function, xlabel="trials", yscale="log")
    panels[0].set_ylabel("regret: median and quartiles")
    panels[0].legend()
    figure.savefig(folder / "regret.svg", metadata={"Date": None})


if __name__ == "__main__":
    {"run": run, "report": report}[sys.argv[1]](Path(sys.argv[2]))
