"""Experiments of spreadsheets."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import fathom
import fathom.study

TABLE = "Versuch;Temp. Reaktor;Hours [h];Yield (%)\n1;46,2;3;17,5\n2;80;10;n.d.\n3;90;4,5;61,25\n"


def study() -> fathom.Study:
    return fathom.Study({"temperature": (20.0, 120.0), "hours": (1.0, 24.0)})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "past.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_spreadsheet_is_added_once_and_said_how_it_was_understood(table: Path) -> None:
    mine = study()
    columns = {"temperature": "Temp. Reaktor"}
    rehearsed = mine.add_table(table, value="Yield", columns=columns, dry_run=True)
    assert (rehearsed.added, rehearsed.known, mine.trials) == (2, 0, [])
    done = mine.add_table(table, value="Yield", columns=columns)
    assert done == rehearsed
    assert done.manner == "CSV, separated by semicolons, decimal commas"
    assert done.columns[:2] == [("Versuch", "ignored"), ("Temp. Reaktor", "parameter temperature")]
    assert done.left_out == ["line 3: no value"]
    assert [trial.value for trial in mine.trials] == [17.5, 61.25]
    again = mine.add_table(str(table), value="Yield", columns=columns)
    assert (again.added, again.known) == (0, 2)


def test_what_is_wrong_with_a_spreadsheet_is_said(table: Path, tmp_path: Path) -> None:
    mine = study()
    with pytest.raises(fathom.InputError, match="there is no column `temperature`, `value`"):
        mine.add_table(table)
    with pytest.raises(fathom.InputError, match="decimal is `dot`: it may be `point` or `comma`"):
        mine.add_table(table, decimal="dot")
    with pytest.raises(fathom.InputError, match="separator is `:`"):
        mine.add_table(table, separator=":")
    with pytest.raises(FileNotFoundError, match="could not read .*none.csv"):
        mine.add_table(tmp_path / "none.csv")
    assert mine.trials == []


def test_the_example_of_the_docstring_works() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner()
    examples = finder.find(fathom.study.Study.add_table, "add_table", globs={})
    assert [runner.run(example).failed for example in examples] == [0]
