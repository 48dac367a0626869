"""Scripts in the documents do what the documents say."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

# The pages whose scripts are run here and in test_pages.py. docs/reference/python.md has signatures, not scripts: test_reference.py.
FOLLOWED = {
    "README.md",
    "docs/guide/botorch.md",
    "docs/guide/optuna.md",
    "docs/guide/python.md",
    "docs/guide/ray.md",
    "docs/reference/python.md",
}

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(document: Path) -> list[tuple[str, str | None]]:
    """Every script, with the answer that is printed below it, if there is one."""
    found: list[tuple[str, str | None]] = []
    for kind, body in BLOCK.findall(document.read_text(encoding="utf-8")):
        if kind == "python":
            found.append((body, None))
        elif found and found[-1][1] is None:
            found[-1] = (found[-1][0], body)
    return found


def masked(text: str) -> str:
    """A text without what differs from run to run and from processor to processor: work, and digits beyond the second."""
    text = re.sub(r"\d+ boxes in [\d.]+ ms|boxes=\d+", "(work)", text)
    return re.sub(r"-?\d+\.\d{5,}", lambda number: f"{float(number[0]):.2f}", text)


def test_the_page_about_python_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    page = steps(ROOT / "docs" / "guide" / "python.md")
    assert len(page) >= 7 and sum(answer is not None for _, answer in page) >= 6
    names: dict[str, object] = {"__name__": "__main__"}
    for script, answer in page:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(script, "docs/guide/python.md", "exec"), names)
        if answer is not None:
            assert masked(out.getvalue()) == masked(answer), script


def test_the_script_of_the_readme_runs(tmp_path: Path) -> None:
    scripts = [step for step in steps(ROOT / "README.md") if "import fathom" in step[0]]
    assert len(scripts) == 1
    script, answer = scripts[0]
    assert len([line for line in script.splitlines() if line.strip()]) <= 10 and answer is not None
    (tmp_path / "first.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "first.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert masked(done.stdout) == masked(answer)


def test_every_page_with_a_script_is_followed() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md"), *(ROOT / "examples").glob("**/README.md")]
    scripts = {str(page.relative_to(ROOT)) for page in pages if "```python" in page.read_text(encoding="utf-8")}
    assert scripts == FOLLOWED
