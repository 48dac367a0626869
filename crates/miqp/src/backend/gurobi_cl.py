# This script does what gurobi_cl does with the same arguments: Parameter=value ... model
import sys
import gurobipy


def parsed(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


*pairs, path = sys.argv[1:]
pairs = [pair.split("=", 1) for pair in pairs]
model = gurobipy.read(path)
for name, value in pairs:
    if name not in ("InputFile", "ResultFile"):
        model.setParam(name, parsed(value))
for name, value in pairs:
    if name == "InputFile":
        model.read(value)
model.optimize()
for name, value in pairs:
    if name == "ResultFile":
        model.write(value)
