"""The scripts of the pages about other libraries run as they are printed, if the library is installed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[3] / "docs" / "guide"


@pytest.mark.parametrize("library", ["optuna", "ray", "botorch"])
def test_the_script_of_a_page_runs(library: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"needs {library}")
    [script] = re.findall(r"```python\n(.*?)```", (PAGES / f"{library}.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
