"""A simulated reaction, for trying things out without a laboratory: the yield in per cent, with a little noise.

Takes a line of `fathom ask --json` on stdin. The first product decays, so long and hot is not best.
"""

import json
import math
import random
import sys

trial = json.loads(sys.stdin.readline())
point = trial["point"]
kelvin = 273.15 + point["temperature"]
strength = {"water": 0.3, "ethanol": 1.0, "toluene": 0.5}[point["solvent"]]
forward = strength * 4e6 * point["catalyst"] ** 0.5 * math.exp(-45000 / (8.314 * kelvin))
decay = 8e9 * math.exp(-72000 / (8.314 * kelvin))
hours = point["hours"]
made = forward / (forward - decay) * (math.exp(-decay * hours) - math.exp(-forward * hours))
random.seed(trial["id"])
print(round(100 * made + random.gauss(0.0, 0.5), 1))
