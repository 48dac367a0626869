# This script does what gurobi_cl does with the same arguments: Parameter=value ... model
# EndOfSearch is our own: the time of day, in seconds since 1970, at which the search must end.
import sys
import time
import gurobipy


def parsed(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def run(pairs, path):
    model = gurobipy.read(path)
    own = ("InputFile", "ResultFile", "EndOfSearch")
    for name, value in pairs:
        if name not in own:
            model.setParam(name, parsed(value))
    for name, value in pairs:
        if name == "InputFile":
            model.read(value)
        if name == "EndOfSearch":
            model.setParam("TimeLimit", min(model.Params.TimeLimit, max(0.0, float(value) - time.time())))
    model.optimize()
    for name, value in pairs:
        if name == "ResultFile":
            model.write(value)


*pairs, path = sys.argv[1:]
try:
    run([pair.split("=", 1) for pair in pairs], path)
except gurobipy.GurobiError as error:
    sys.exit(f"Gurobi error {error.errno}: {error}")
