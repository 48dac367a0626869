"""Compares this checker with the other one: `python -m recheck.agree FOLDER`.

The folder holds proofs and `index.csv` with the columns file, kind, is_false and verdict, as `fathom-bench forge --keep` writes
them. The checkers disagree about a proof that one of them accepts and the other refuses. Two kinds of answers are defects: the
other checker accepts a proof that this checker refuses, or this checker accepts a false claim. If this checker accepts a true
claim that the other checker refuses, this checker is sharper, and nothing is wrong.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import check
from .errors import Refused, Unreadable


@dataclass(frozen=True)
class Case:
    """A file, and the other checker's verdict."""

    path: Path
    kind: str
    is_false: str
    verdict: str


def cases(folder: Path, most_bytes: int) -> Iterator[Case]:
    """The files of the folder with at most `most_bytes` bytes."""
    with (folder / "index.csv").open(newline="") as table:
        for row in csv.DictReader(table):
            path = folder / row["file"]
            if path.stat().st_size <= most_bytes:
                yield Case(path, row["kind"], row["is_false"], row["verdict"])


def accepts(case: Case) -> bool:
    """Whether this checker accepts the file."""
    try:
        check(case.path.read_bytes())
    except (Refused, Unreadable):
        return False
    return True


def defect(case: Case, accepted: bool) -> str | None:
    """The defect, if there is one."""
    if accepted and case.is_false == "true":
        return "this checker accepts a false claim"
    if not accepted and case.kind == "honest":
        return "this checker refuses an honest proof"
    if not accepted and case.verdict == "accepted":
        return "the other checker accepts a proof that this checker refuses"
    return None


def main() -> int:
    """Prints every defect and the counts; returns 1 if there is a defect."""
    parser = argparse.ArgumentParser(prog="python -m recheck.agree", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--most-bytes", type=int, default=1 << 30, help="larger files are left out")
    arguments = parser.parse_args()
    every = list(cases(arguments.folder, arguments.most_bytes))
    with ProcessPoolExecutor(arguments.jobs) as pool:
        verdicts = list(pool.map(accepts, every, chunksize=8))
    counts: Counter[str] = Counter()
    defects = 0
    for case, accepted in zip(every, verdicts):
        counts[f"{'accepted' if case.verdict == 'accepted' else 'refused'} there, {'accepted' if accepted else 'refused'} here"] += 1
        reason = defect(case, accepted)
        if reason is not None:
            defects += 1
            print(f"{case.path.name}: {reason}")
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    print(f"{len(every) - defects} passed, {defects} failed")
    return 1 if defects or not every else 0


if __name__ == "__main__":
    sys.exit(main())
