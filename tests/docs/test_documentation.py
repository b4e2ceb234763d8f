"""The documentation, which builds without broken links and describes every command."""

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
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100", "DATABASE_URL": "sqlite:///:memory:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return folder


def test_documentation_builds_without_broken_links(site):
    assert (site / "tutorials" / "first-dataset" / "index.html").exists()


def test_reference_lists_every_command():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    commands = {
        path.stem
        for path in ROOT.glob("*/management/commands/*.py")
        if not path.stem.startswith("_")
    }
    assert commands
    assert set(re.findall(r"^\| `(\w+)", page, re.MULTILINE)) == commands


def test_pages_load_nothing_from_other_hosts(site):
    fetched = re.compile(r'<(?:link|script|img|iframe)[^>]+(?:href|src)="(?:https?:)?//([^"/]+)')
    external = {
        (path.relative_to(site), host)
        for path in site.rglob("*.html")
        for host in fetched.findall(path.read_text("utf-8"))
    }
    assert external == set()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_of_a_page_at_the_root_resolve(name):
    text = (ROOT / name).read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_images_are_used_and_described():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    images = {
        (page.parent / path).resolve(): alt
        for page in pages
        for alt, path in re.findall(r"!\[(.*?)\]\((.+?)\)", page.read_text("utf-8"))
    }
    assert set((ROOT / "docs" / "images").iterdir()) == images.keys()
    assert [path.name for path, alt in images.items() if len(alt.split()) < 5] == []
    assert [path.name for path in images if path.stat().st_size > 150_000] == []


def test_places_of_changes_exist():
    text = (ROOT / "docs/explanation/architecture.md").read_text("utf-8")
    table = text.partition("## Where to make a change")[2]
    paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", table)
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []
