"""A simulated wing, half a second long: its parameters as JSON on stdin, its drag on the last line."""

from __future__ import annotations

import json
import math
import sys
import time


def drag(span: float, chord: float, sweep: float, layers: int) -> float:
    """Of a wing that carries its load: induced, of friction, and of what its mass needs."""
    area = span * chord
    induced = 4.0 / span**2 * (1 + (sweep - 12) ** 2 / 900)
    bend = span**3 / (layers * chord**2)
    mass = 0.4 * area * (1 + 0.15 * layers)
    return induced + 0.9 * area + mass + 0.02 * max(bend - 12, 0.0) ** 2 + 0.05 * math.cos(0.3 * sweep)


if __name__ == "__main__":
    wing = json.load(sys.stdin)
    time.sleep(0.5)
    print(drag(**wing))
