"""Writes functions.csv: for each function and argument the two neighbouring floats with the exact value between them,
as bit patterns, from arithmetic with 120 digits (mpmath). Both are equal if the value is itself a float."""

import math
import random
import struct

import mpmath

mpmath.mp.dps = 120
random.seed(20)


def bits(x):
    return struct.pack(">d", x).hex()


def around(exact):
    """The largest float that is not above the exact value, and the smallest that is not below."""
    if exact > mpmath.mpf(1.7976931348623157e308):
        return 1.7976931348623157e308, math.inf
    near = float(mpmath.nstr(exact, 60))
    if mpmath.mpf(near) == exact:
        return near, near
    if mpmath.mpf(near) < exact:
        return near, math.nextafter(near, math.inf)
    return math.nextafter(near, -math.inf), near


def spread(low, high, count):
    return [random.uniform(low, high) for _ in range(count)]


def powers(low, high, count):
    return [2.0 ** random.uniform(low, high) for _ in range(count)]


tiny = [5e-324, 2.2250738585072014e-308, 1e-300, 2.0**-54, math.nextafter(2.0**-54, 0.0), 2.0**-53, 1e-10]
near_one = [1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0), 1 + 2.0**-40, 1 - 2.0**-40, math.sqrt(2), math.sqrt(0.5)]
huge = [2.0**60, math.nextafter(2.0**60, 0.0), 1e100, 1.7976931348623157e308]
arguments = {
    "exp": [0.0, 709.782712893384, 709.7827128933841, 710.0, 711.0, -745.1332191019411, -745.1332191019412, -745.2, -746.0, -747.0,
            -708.396418532264, -708.4] + tiny + [-x for x in tiny]
    + [k * math.log(2) / 64 for k in range(-70, 70, 7)] + spread(-746, 710, 150) + spread(-1, 1, 80) + spread(-745.2, -708, 60)
    + [-x for x in powers(-60, 9, 80)],
    "ln": tiny + near_one + huge + [2.0**k for k in range(-1070, 1020, 110)] + powers(-1074, 1023, 150)
    + spread(0.5, 2, 150) + [1 + s * x for x in powers(-52, -2, 60) for s in (1, -1)],
    "ln_1p": [0.0] + tiny + huge + [0.5, math.nextafter(0.5, 0.0), math.sqrt(2) - 1, 1.0, 2.0**53, 2.0**54] + powers(-1074, 1023, 100)
    + powers(-60, 62, 200) + spread(0, 3, 120),
    "erfc": [0.0, 3.0, math.nextafter(3.0, 0.0), -3.0, 26.5, 26.543258, 27.0, 27.2260, 27.23, 28.0, 30.0, -6.0, -30.0] + tiny
    + spread(-4, 4, 200) + spread(2.9, 3.1, 40) + spread(3, 27.3, 150) + spread(26.4, 27.3, 60) + powers(-60, 1, 60),
}
exact = {"exp": mpmath.exp, "ln": mpmath.log, "ln_1p": mpmath.log1p, "erfc": mpmath.erfc}

with open("functions.csv", "w") as file:
    for name, values in arguments.items():
        for x in values:
            low, high = around(exact[name](mpmath.mpf(x)))
            file.write(f"{name},{bits(x)},{bits(low)},{bits(high)}\n")
