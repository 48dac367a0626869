"""The examples that are written in Python do what their pages say."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT

EXAMPLES = ROOT / "examples"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What depends on the versions of other libraries: numbers, and a choice.
VARIES = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?|(?<=loss = )\w+")


def steps(page: str) -> list[tuple[str, str]]:
    """Every command of a page with what is printed below it."""
    found: list[tuple[str, str]] = []
    for block in CONSOLE.findall(page):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], ""))
            else:
                found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    return found


def followed(example: str, folder: Path, programs: str, most_lines: int = 45) -> list[str]:
    """What the commands of a page print, one answer each; all but the numbers must be as the page has it."""
    shutil.copytree(EXAMPLES / example, folder, dirs_exist_ok=True)
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= most_lines, "a page is a screen"
    path = os.pathsep.join([programs, str(Path(sys.executable).parent), os.environ["PATH"]])
    answers = []
    for command, expected in steps(page):
        command = re.sub(r"\bpython3\b", sys.executable, command)
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert VARIES.sub("#", done.stdout) == VARIES.sub("#", expected), command
        answers.append(done.stdout)
    assert answers
    return answers


def first_number(text: str) -> float:
    found = re.search(r"-?\d+\.\d+", text)
    assert found, text
    return float(found[0])


def test_gradient_boosting_is_tuned_through_optuna(tmp_path: Path) -> None:
    for library in ("optuna", "sklearn"):
        pytest.importorskip(library)
    (answer,) = followed("optuna", tmp_path, "")
    # Twenty points at random reached 0.443 to 0.462 in five tries. The level finds a broken loop, and ranks nothing.
    assert first_number(answer.partition("R²")[2]) > 0.44, answer


def test_a_trained_model_is_minimised_with_a_proof(tmp_path: Path, program: Callable[[str], str]) -> None:
    pytest.importorskip("sklearn")
    answers = followed("trained", tmp_path, str(Path(program("fathom")).parent))
    cheapest, theirs, bound = (first_number(line) for line in answers[0].splitlines()[:3])
    assert abs(cheapest - theirs) < 2e-3 and cheapest - 2e-3 <= bound <= cheapest
    assert first_number(answers[0].splitlines()[3]) > 1, "the local solver ends at a local minimum"


@pytest.mark.skipif("FATHOM_POSTGRES" not in os.environ, reason="no server: crates/study/tests/with-postgres pytest")
def test_several_runs_share_a_study_on_postgresql(tmp_path: Path, program: Callable[[str], str]) -> None:
    shutil.copytree(EXAMPLES / "cluster", tmp_path, dirs_exist_ok=True)
    name = f"cluster-{os.getpid()}"
    study = tmp_path / "cluster.toml"
    study.write_text(study.read_text().replace('name = "cluster"', f'name = "{name}"').replace("python3", sys.executable))
    page = (EXAMPLES / "cluster" / "README.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 45, "a page is a screen"
    commands = [command for command, _ in steps(page)]
    assert commands[0] == "export STORE=postgres://fathom@database/postgres"
    commands[0] = f"export STORE={os.environ['FATHOM_POSTGRES']}"
    path = os.pathsep.join([str(Path(program("fathom")).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-ec", "\n".join(commands)], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300
    )
    if "needs PostgreSQL support" in done.stderr:
        pytest.skip("this fathom was built without PostgreSQL")
    assert done.returncode == 0, done.stderr
    assert done.stdout == steps(page)[-1][1].replace("cluster", name), done.stdout


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs Ray: pip install 'ray[tune]'")
def test_the_wing_is_tuned_by_ray(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "cluster", tmp_path, dirs_exist_ok=True)
    done = subprocess.run(
        [sys.executable, "tune_ray.py", "--trials", "12", "--at-once", "2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    drag, certificates = done.stdout.splitlines()[-2:]
    assert drag.startswith("drag ") and re.fullmatch(r"[1-4] of 12 suggestions have a certificate", certificates), done.stdout
