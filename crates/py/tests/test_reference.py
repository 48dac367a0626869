"""docs/reference/python.md is what the package says of itself."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import fathom
from conftest import ROOT
from fathom import _fathom

TOOL = ROOT / "tools" / "python-reference"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("python_reference", str(TOOL))
    specification = importlib.util.spec_from_loader(loader.name, loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def test_the_page_is_as_the_package_has_it() -> None:
    check = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stderr


def test_a_page_that_differs_is_found(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    stale = ROOT / "docs" / "reference" / "problem.md"
    monkeypatch.setattr(tool, "PAGE", stale)
    monkeypatch.setattr(sys, "argv", ["python-reference", "--check"])
    assert tool.main() == 1


def test_every_public_name_has_a_heading(tool: ModuleType) -> None:
    lines = tool.page().splitlines()
    for name in fathom.__all__:
        assert name.startswith("__") or f"### {name}" in lines, name


def test_what_is_read_from_rust_is_what_python_shows(tool: ModuleType) -> None:
    comments = tool.rust_comments()
    assert len(comments) > 50
    for name, comment in comments.items():
        found: object = _fathom
        for part in name.split("."):
            found = getattr(found, part)
        assert inspect.getdoc(found) == inspect.cleandoc(comment), name


def test_an_argument_that_nobody_describes_is_named(tool: ModuleType) -> None:
    tree = tool.ast.parse("def f(found, lost): ...")
    with pytest.raises(tool.Mistake, match="of f does not say what `lost` is"):
        tool.function(tree.body, "f", "Uses `found`.")
