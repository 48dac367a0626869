"""Plays studies as they are asked for: a line of JSON for each on stdin, and its row as a line of JSON on stdout.

`fathom-bench arena` starts this program once, so that libraries are imported once. By hand:

    echo '{"rival": "random", "problem": "branin", "seed": 1, "budget": 20}' | python crates/bench/arena/play.py
"""

import json
import os
import sys
import warnings

# Before any library is imported: everyone has one thread.
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[name] = "1"


def main():
    # Libraries that print must not do so among our answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    from referee import play
    from rivals import Declined

    for line in sys.stdin:
        study = json.loads(line)
        try:
            answer = play(study["rival"], study["problem"], study["seed"], study["budget"])
        except Declined as error:
            answer = {"declined": f"{study['rival']} declines {study['problem']}: {error}"}
        except Exception as error:  # no such rival, problem or key, or a package is missing: whoever asked must know
            answer = {"refused": f"{study['rival']} on {study['problem']}: {error}"}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
