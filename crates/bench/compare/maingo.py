"""MAiNGO beside Fathom: the lower confidence bound of problems of `instances/`, to the same absolute gap.

MAiNGO (Bongartz et al., RWTH Aachen) takes Gaussian processes from MeLOn, with the relaxations of Schweidtmann et al.
(Math. Program. Comput. 13, 553-581, 2021). The model is handed over as MeLOn wants it, with the inverse of K; all options but
the tolerances are MAiNGO's own. Both programs run on one thread.

    pip install maingopy numpy
    OMP_NUM_THREADS=1 python maingo.py run FOLDER INSTANCES FATHOM
    python maingo.py report FOLDER        # tables.md from raw.csv alone
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import programs

PROBLEMS = [f"prior_d{d}_{kernel}_r0{r}" for d in (1, 2, 3) for kernel in ("matern32", "rbf") for r in (0, 1)]
PROBLEMS += [f"bo_d{d}_n50_{kernel}_r0" for d in (2, 3) for kernel in ("matern32", "rbf")]
GAP = 1e-3
# CPU seconds for MAiNGO, clock seconds for Fathom.
LIMIT = 60


def melon_data(problem):
    """The model as MeLOn takes it."""
    from maingopy import melonpy

    model, data, kernel = programs.Model(problem), melonpy.GPData(), melonpy.KernelData()
    kernel.sf2, kernel.ell = model.variance, model.lengthscales.tolist()
    data.kernelData, data.matern = kernel, {"matern32": 3, "rbf": 999}[problem["kernel"]]
    data.nX, data.DX, data.DY = len(model.y), model.x.shape[1], 1
    data.X, data.Y = model.x.tolist(), model.y.tolist()
    data.K, data.invK = model.gram.tolist(), np.linalg.inv(model.gram).tolist()
    data.stdOfOutput, data.meanFunction = 1.0, 0.0
    for side in ("inputScalerData", "predictionScalerData"):
        scaler = melonpy.ScalerData()
        scaler.type = melonpy.IDENTITY
        setattr(data, side, scaler)
    return data


def maingo(problem):
    """MAiNGO's minimum: point, bound, status, iterations and seconds, its set-up included."""
    import maingopy
    from maingopy import melonpy

    class Lcb(maingopy.MAiNGOmodel):
        def __init__(self):
            maingopy.MAiNGOmodel.__init__(self)
            self.process = melonpy.GaussianProcess()
            self.process.load_model(melon_data(problem))

        def get_variables(self):
            sides = (maingopy.Bounds(*side) for side in problem["bounds"])
            return [maingopy.OptimizationVariable(side, maingopy.VT_CONTINUOUS, f"x{j}") for j, side in enumerate(sides)]

        def evaluate(self, x):
            mean = self.process.calculate_prediction_reduced_space(x)
            deviation = maingopy.sqrt(self.process.calculate_variance_reduced_space(x))
            result = maingopy.EvaluationContainer()
            result.objective = maingopy.af_lcb(mean, deviation, problem["beta_sqrt"])
            return result

    clock, cpu = time.perf_counter(), time.process_time()
    model = Lcb()
    solver = maingopy.MAiNGO(model)
    solver.set_option("epsilonA", GAP)
    # The absolute gap alone shall count.
    solver.set_option("epsilonR", 1e-9)
    solver.set_option("maxTime", LIMIT)
    solver.set_option("loggingDestination", maingopy.LOGGING_NONE)
    status = solver.solve()
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    return {
        "x": solver.get_solution_point(),
        # The largest number of all stands for no bound.
        "lower_bound": solver.get_final_LBD() if solver.get_final_LBD() > -sys.float_info.max else None,
        "status": status.name if cpu < LIMIT else "cpu_limit",
        "nodes": int(solver.get_iterations()),
        "cpu_seconds": cpu,
        "seconds": clock,
    }


def run(folder, instances, program):
    raw = programs.Raw(folder)
    for name in PROBLEMS:
        problem = json.loads((Path(instances) / f"{name}.json").read_text())
        raw.add(problem, "Fathom", lambda problem=problem: programs.fathom(program, problem, GAP, LIMIT))
        raw.add(problem, "MAiNGO", lambda problem=problem: maingo(problem))


def report(folder):
    text = (
        "Made from raw.csv by `crates/bench/compare/maingo.py report`. The lower confidence bound is minimised; values are the "
        f"function at each program's point, evaluated alike. Absolute gap {GAP:g}; at most {LIMIT} s of the CPU. Nodes: boxes "
        "bounded (Fathom), iterations (MAiNGO).\n\n"
    )
    (folder / "tables.md").write_text(text + programs.table(programs.read(folder), ["Fathom", "MAiNGO"]))


if __name__ == "__main__":
    {"run": run, "report": report}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
