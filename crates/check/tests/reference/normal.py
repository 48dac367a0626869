"""Write normal.json: z, and for cdf(z) and log h(z), h = pdf + z cdf, the two doubles around the exact value.

The values are computed by mpmath (1.4.1) at 60 digits:

    python normal.py > normal.json
"""

import json
import math

from mpmath import erfc, exp, log, mp, mpf, pi, sqrt

mp.dps = 60


def around(value):
    """The doubles next to a number, below and above."""
    near = float(value)
    low = near if mpf(near) <= value else math.nextafter(near, -math.inf)
    high = near if mpf(near) >= value else math.nextafter(near, math.inf)
    return [low, high]


def case(z):
    mp.dps = 60 + int(2 * math.log10(1 + abs(z)))
    x = mpf(z)
    cdf = erfc(-x / sqrt(2)) / 2
    return {"z": z, "cdf": around(cdf), "log_h": around(log(exp(-x * x / 2) / sqrt(2 * pi) + x * cdf))}


far = [-(10.0**k) for k in range(6, 1, -1)] + [-38.5, -20.25, -12.125, 12.5, 35.0, 100.0, 1e6]
near = [round(-10 + 0.173 * k, 3) for k in range(116)]
rows = [json.dumps(case(z)) for z in sorted(far + near + [-5.0, -4.999, 0.0])]
print("[\n" + ",\n".join(rows) + "\n]")
