"""python -m recheck FILE..."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .check import PRECISION, check
from .errors import Refused, Unreadable

HOLDS, REFUSED, UNREADABLE = 0, 1, 2
WORDS = ("holds", "refused", "unreadable")


@dataclass(frozen=True)
class Answer:
    """The result for one file."""

    file: str
    code: int
    boxes: int
    reason: str
    seconds: float

    def line(self) -> str:
        """One line of text."""
        if self.code == HOLDS:
            return f"{self.file}: holds, {self.boxes} boxes"
        word = "refused" if self.code == REFUSED else "cannot be read"
        return f"{self.file}: {word}: {self.reason}"

    def as_json(self) -> str:
        """One line of JSON."""
        known: dict[str, object] = {"file": self.file, "verdict": WORDS[self.code]}
        known |= {"boxes": self.boxes} if self.code == HOLDS else {"reason": self.reason}
        return json.dumps(known | {"seconds": round(self.seconds, 3)})


def check_file(file: str, precision: int) -> Answer:
    """Checks one file."""
    start = time.monotonic()
    code, boxes, reason = HOLDS, 0, ""
    try:
        boxes = check(Path(file).read_bytes(), precision).boxes
    except (OSError, Unreadable) as error:
        code, reason = UNREADABLE, str(error)
    except Refused as error:
        code, reason = REFUSED, str(error)
    return Answer(file, code, boxes, reason, time.monotonic() - start)


def check_files(files: list[str], precision: int, jobs: int) -> Iterator[Answer]:
    """Checks files in `jobs` processes; the answers are in the order of the files."""
    one = partial(check_file, precision=precision)
    if jobs == 1:
        yield from map(one, files)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(one, files)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="recheck", description="Checks proof files, format 5.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON object for each file")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="check N files at a time")
    parser.add_argument("--precision", type=int, default=PRECISION, metavar="BITS", help="working precision")
    arguments = parser.parse_args()
    if arguments.jobs < 1 or not 53 <= arguments.precision <= 4096:
        parser.error("--jobs must be at least 1, and --precision within 53 … 4096")
    return arguments


def main() -> int:
    """Checks the files of the command line and returns the exit code."""
    arguments = _arguments()
    worst = HOLDS
    for answer in check_files(arguments.files, arguments.precision, arguments.jobs):
        print(answer.as_json() if arguments.json else answer.line(), flush=True)
        worst = max(worst, answer.code)
    return worst


if __name__ == "__main__":
    sys.exit(main())
