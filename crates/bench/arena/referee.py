"""Plays one study of a rival on a problem and says what came of it: one row of raw data.

The referee asks, evaluates and tells, so that every rival has the same budget, the same noise and the same clock.
"""

import time

import numpy as np

from problems import problem as find_problem
from rivals import rival as find_rival

# After how many evaluations a rival is asked what can still be gained, if it says so at all.
CLAIMS = (20, 25, 40, 60, 100, 150, 200)


def play(name, problem, seed, budget):
    """The row of one study. An error of a rival that plays ends its study and is a part of the row."""
    problem = find_problem(problem)
    build = find_rival(name)
    rival, cpu = timed(lambda: build(problem.space, seed, budget))
    record = Record()
    error = ""
    generator = np.random.default_rng([seed, 7])
    try:
        for count in range(1, budget + 1):
            point, seconds = timed(rival.ask)
            if not problem.space.keeps(point):
                raise ValueError(f"evaluation {count} breaks a known constraint: {point}")
            value = problem.value(point)
            told = value + problem.noise * generator.standard_normal()
            _, more = timed(lambda: rival.tell(point, told))
            record.add(value, told, cpu + seconds + more)
            cpu = 0.0
            if count in CLAIMS and hasattr(rival, "claim"):
                record.claim(rival.claim())
        if hasattr(rival, "recommend"):
            record.recommended = problem.value(rival.recommend())
    except Exception as reason:  # whatever a rival does, the others go on
        error = f"{type(reason).__name__}: {reason}".replace("\n", " ")[:200]
    return {
        "rival": name,
        "version": build.version(),
        "problem": problem.name,
        "family": problem.family,
        "inputs": len(problem.space),
        "seed": seed,
        "budget": budget,
        "optimum": problem.optimum,
        "scale": problem.scale,
        **record.columns(),
        "error": error,
    }


def timed(call):
    """What a call gives and the processor time it takes, that of its threads included."""
    start = time.process_time()
    return call(), time.process_time() - start


class Record:
    """What happened so far."""

    def __init__(self):
        self.count = 0
        self.bests = []
        self.claims = []
        self.seconds = []
        self.best = None
        self.recommended = None
        self.low, self.high = np.inf, -np.inf

    def add(self, value, told, seconds):
        """The best point is the one that was told the least; its true value counts."""
        self.count += 1
        if told < self.low:
            self.best = value
            self.bests.append(f"{self.count}:{value!r}")
        self.low, self.high = min(self.low, told), max(self.high, told)
        self.seconds.append(seconds)

    def claim(self, gain):
        if gain is not None:
            self.claims.append(f"{self.count}:{self.best!r}:{float(gain)!r}:{self.high - self.low!r}")

    def columns(self):
        late = self.seconds[len(self.seconds) // 2 :]
        return {
            "evaluations": self.count,
            "bests": " ".join(self.bests),
            "claims": " ".join(self.claims),
            "recommended": self.recommended,
            "cpu_seconds": round(sum(self.seconds), 4),
            "cpu_late": round(float(np.median(late)), 6) if late else 0.0,
            "cpu_longest": round(max(self.seconds, default=0.0), 4),
        }
