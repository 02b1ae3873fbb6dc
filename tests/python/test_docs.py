"""The examples of docs/python.md and of the recipes, and the notebook-style example."""
import doctest
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_examples(page):
    """How many examples the page has; all must be true."""
    sessions = re.findall(r"^```pycon\n(.*?)^```", (ROOT / page).read_text(),
                          re.MULTILINE | re.DOTALL)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    parsed = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, page, None, 0)
    said = []
    result = runner.run(parsed, out=said.append)
    assert result.failed == 0, "".join(said)
    return result.attempted


def test_the_examples_of_the_guide(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    assert run_examples("docs/python.md") > 40


def test_the_examples_of_the_recipes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages = [str(page.relative_to(ROOT)) for page in (ROOT / "docs/recipes").iterdir()]
    assert sum(map(run_examples, pages)) > 20


def test_the_figures_of_the_papers(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "papers.svg"
    subprocess.run([sys.executable, ROOT / "examples/papers.py", picture], check=True,
                   env=os.environ, timeout=120)
    drawn = picture.read_text()
    assert drawn.count("<path") > 50
    committed = (ROOT / "docs/python-papers.svg").read_text()
    # Coordinates may differ in their last digits between versions of matplotlib.
    assert committed.count('id="line2d_') == drawn.count('id="line2d_')
