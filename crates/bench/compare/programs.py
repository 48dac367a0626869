"""What the comparisons with other programs share: problem files, one evaluation for all, Fathom, and the raw data.

Every value in the raw data is the function at the point that a program returned, evaluated here, so that no program's own
arithmetic flatters it. Bounds are each program's own word.
"""

import csv
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

COLUMNS = ["problem", "kernel", "d", "n", "program", "value", "lower_bound", "status", "nodes", "cpu_seconds", "seconds"]
CURVES = {
    "rbf": lambda r: np.exp(-0.5 * r**2),
    "matern32": lambda r: (1 + 3**0.5 * r) * np.exp(-(3**0.5) * r),
}


class Model:
    """The posterior of a problem file, by Cholesky's decomposition."""

    def __init__(self, problem):
        self.problem = problem
        self.x, self.y = np.array(problem["x"]), np.array(problem["y"])
        self.lengthscales, self.variance = np.array(problem["lengthscales"]), problem["sigma_f2"]
        self.gram = self.covariance(self.x) + problem["noise"] * np.eye(len(self.y))
        self.factor = np.linalg.cholesky(self.gram)
        self.weights = np.linalg.solve(self.gram, self.y)

    def covariance(self, x):
        """Of every row of `x` with every observation."""
        steps = (x[:, None, :] - self.x[None, :, :]) / self.lengthscales
        return self.variance * CURVES[self.problem["kernel"]](np.sqrt((steps**2).sum(-1)))

    def value(self, x):
        """The lower confidence bound; the posterior mean if κ is 0."""
        covariance = self.covariance(np.array([x]))[0]
        half = np.linalg.solve(self.factor, covariance)
        deviation = np.sqrt(max(self.variance - half @ half, 0.0))
        return float(covariance @ self.weights - self.problem.get("kappa", self.problem.get("beta_sqrt")) * deviation)


def fathom(program, problem, gap, limit):
    """Fathom's certified minimum of a problem: point, bound, status, nodes and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.json"
        path.write_text(json.dumps(problem))
        options = ["--gap", str(gap), "--time-limit", f"{limit}s", "--json"]
        done = subprocess.run([program, "solve", str(path), *options], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(done.stderr)
    answer = json.loads(done.stdout)
    return {
        "x": answer["x"],
        "lower_bound": answer["lower_bound"],
        "status": answer["status"],
        "nodes": answer["nodes"],
        "cpu_seconds": answer["cpu_seconds"],
        "seconds": answer["seconds"],
    }


class Raw:
    """raw.csv of a folder; a run that was cut short is taken up."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "raw.csv"
        if not self.path.exists():
            self.path.write_text(",".join(COLUMNS) + "\n")
        self.known = {(row["problem"], row["program"]) for row in read(folder)}

    def add(self, problem, program, solve):
        """Solves with `program` unless that is done."""
        if (problem["name"], program) in self.known:
            return
        found = solve()
        value = None if found["x"] is None else Model(problem).value(found["x"])
        sizes = [problem["kernel"], len(problem["bounds"]), len(problem["y"])]
        cells = [found[column] for column in COLUMNS[6:]]
        with self.path.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow([problem["name"], *sizes, program, value, *cells])
        print(problem["name"], program, value, *cells, flush=True)


def read(folder):
    with (folder / "raw.csv").open() as file:
        return list(csv.DictReader(file))


def seconds(value):
    return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def table(rows, programs):
    """A line for each problem; for each program value, gap and CPU time. Then what the bounds say of each other."""
    lines = ["| problem | N | " + " | ".join(f"{name}: value | gap | nodes | CPU" for name in programs) + " |"]
    lines.append("|---" * (2 + 4 * len(programs)) + "|")
    names = list(dict.fromkeys(row["problem"] for row in rows))
    crossed = []
    for name in names:
        own = {row["program"]: row for row in rows if row["problem"] == name}
        cells = []
        for program in programs:
            row = own.get(program)
            if row is None:
                cells += ["–"] * 4
                continue
            value, bound = (float(row[column]) if row[column] else None for column in ("value", "lower_bound"))
            gap = "–" if value is None or bound is None else f"{value - bound:.1e}"
            cells += ["–" if value is None else f"{value:.5f}", gap, row["nodes"], seconds(float(row["cpu_seconds"]))]
            if row["status"] not in ("optimal", "GLOBALLY_OPTIMAL"):
                cells[-1] += f" ({row['status'].lower().replace('_', ' ')})"
            for other in own.values():
                if bound is not None and other["value"] and bound > float(other["value"]) + 1e-9:
                    crossed.append(f"{name}: {program}'s bound {bound!r} is above {other['program']}'s {other['value']}")
        lines.append(f"| {name} | {next(iter(own.values()))['n']} | " + " | ".join(cells) + " |")
    lines += ["", "Bounds above a value that is known (must be none): " + ("; ".join(crossed) or "none") + ".", ""]
    return "\n".join(lines)
