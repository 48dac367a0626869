"""PALM-Mean beside Fathom: minima of posterior means with a squared exponential kernel, to the same absolute gap.

PALM-Mean (Tang, Kudva, Tsay and Paulson, arXiv:2605.00855, 2026) is a spatial branch and bound whose nodes are mixed-integer
programs for Gurobi. The folder of its source code (github.com/PaulsonLab/PALM-Mean) is an argument; nothing of it is here.
Problems follow its example: inputs in [0, 1], lengthscales 0.1, variance 1, noise 1e-4; outputs are a sample of that prior.
All of its options but the gap and the time are those of its `main.py`. Gurobi's licence without a key refuses nodes with more
than about 200 terms; that is said as `licence`. Both programs run on one thread.

    pip install numpy scipy torch gurobipy
    OMP_NUM_THREADS=1 python palm_mean.py run FOLDER PALM_MEAN FATHOM
    python palm_mean.py report FOLDER        # tables.md from raw.csv alone
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import programs

# Inputs and observations; PALM-Mean gets those with at most MOST.
SIZES = [(d, n) for n in (20, 50, 100, 1000, 2000, 4000) for d in (2, 3)]
MOST = 1000
GAP = 0.1
# CPU seconds for PALM-Mean. Fathom's limit is by the clock, which busy neighbours shorten.
LIMIT = 60
CLOCK_LIMIT = 600


def problem(d, n):
    """A posterior mean as a problem file states it: the confidence bound with κ = 0."""
    rng = np.random.default_rng(1000 * d + n)
    x = rng.random((n, d))
    stated = {
        "name": f"mean_d{d}_n{n}",
        "kernel": "rbf",
        "acquisition": "mean",
        "sigma_f2": 1.0,
        "lengthscales": [0.1] * d,
        "noise": 1e-4,
        "kappa": 0.0,
        "bounds": [[0.0, 1.0]] * d,
        "x": x.tolist(),
        "y": [0.0] * n,
    }
    stated["y"] = (programs.Model(stated).factor @ rng.standard_normal(n)).tolist()
    return stated


def palm_mean(stated):
    """PALM-Mean's minimum: point, bound, status, nodes and seconds, with its first upper bound but without reading the files."""
    import gurobipy
    import torch
    from src import BranchBound1, PWL_Custom_LB
    from src.Build_GP import Build_GP

    class Model(gurobipy.Model):
        """Limits of 10 s by the clock become 10 units of work, about a second each."""

        def setParam(self, name, value):
            super().setParam("WorkLimit" if name == "TimeLimit" else name, value)

    # Its limits shall not depend on what else the machine does.
    BranchBound1.time = SimpleNamespace(time=time.process_time)
    PWL_Custom_LB.gp = SimpleNamespace(Model=Model, GRB=gurobipy.GRB, quicksum=gurobipy.quicksum)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("params.json", "X.npy", "Y.npy")]
        params = {".kernel.variance": stated["sigma_f2"], ".likelihood.variance": stated["noise"]}
        Path(paths[0]).write_text(json.dumps(params | {".kernel.lengthscales": stated["lengthscales"]}))
        np.save(paths[1], np.array(stated["x"]))
        np.save(paths[2], np.array(stated["y"])[:, None])
        clock, cpu = time.perf_counter(), time.process_time()
        gaps = {"abs_gap": GAP, "rel_gap": 0.0}
        own = {"Preprocess": True, "Thread_gurobi": 1, "PWL_segment": 6, "n_prepart": 10, "hyperparameter": 0.01, "n_multi": 2}
        files = dict(zip(("param_path", "X_path", "Y_path"), paths, strict=True))
        try:
            _, bound, nodes, x = BranchBound1.BranchBound(LIMIT, Build_GP(**own, **gaps, **files))
            status = "optimal" if time.process_time() - cpu < LIMIT else "cpu_limit"
        except gurobipy.GurobiError as error:
            if "size-limited" not in str(error):
                raise
            bound, nodes, x, status = None, 0, None, "licence"
        cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    return {
        "x": None if x is None else np.asarray(x).ravel().tolist(),
        "lower_bound": None if bound is None else float(bound),
        "status": status,
        "nodes": nodes,
        "cpu_seconds": cpu,
        "seconds": clock,
    }


def run(folder, source, program):
    sys.path.insert(0, source)
    raw = programs.Raw(folder)
    for d, n in SIZES:
        stated = problem(d, n)
        raw.add(stated, "Fathom", lambda stated=stated: programs.fathom(program, stated, GAP, CLOCK_LIMIT))
        if n <= MOST:
            raw.add(stated, "PALM-Mean", lambda stated=stated: palm_mean(stated))


def report(folder):
    text = (
        "Made from raw.csv by `crates/bench/compare/palm_mean.py report`. The posterior mean is minimised; values are the "
        f"function at each program's point, evaluated alike. Absolute gap {GAP:g}; at most {LIMIT} s of the CPU for PALM-Mean and {CLOCK_LIMIT} s by the clock for Fathom. Nodes: boxes "
        "bounded (Fathom), nodes of the tree (PALM-Mean).\n\n"
    )
    (folder / "tables.md").write_text(text + programs.table(programs.read(folder), ["Fathom", "PALM-Mean"]))


if __name__ == "__main__":
    {"run": run, "report": report}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
