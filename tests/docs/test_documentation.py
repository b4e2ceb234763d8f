"""The documentation builds, and no link in it is dead."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100", "DATABASE_URL": "sqlite:///:memory:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_documentation_builds_without_a_dead_link(site):
    assert (site / "tutorial" / "index.html").exists()


def test_every_command_is_in_the_reference(site):
    page = (site / "commands" / "index.html").read_text("utf-8")
    own = {
        path.stem
        for path in ROOT.glob("*/management/commands/*.py")
        if not path.stem.startswith("_")
    }
    assert own
    assert {name for name in own if f'id="{name}"' not in page} == set()


def test_no_page_asks_another_host_for_anything(site):
    fetched = re.compile(r'<(?:link|script|img|iframe)[^>]+(?:href|src)="(?:https?:)?//([^"/]+)')
    found = {
        (path.relative_to(site), host)
        for path in site.rglob("*.html")
        for host in fetched.findall(path.read_text("utf-8"))
    }
    assert found == set()


def test_links_of_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text("utf-8")
    links = [one for one in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in one]
    assert links
    assert [one for one in links if not (ROOT / one).exists()] == []
