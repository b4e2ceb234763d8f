"""The files of the wheel, by its configuration. tests/scripts/test_build.py builds it."""

import subprocess
import tomllib
from pathlib import PurePath

import pytest

from tests.environment import ROOT
from touchstone.command_line import main

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
# Tools of development, and the client, which is a package of its own
NOT_SHIPPED = {".ci", "client", "scripts", "tests"}


def tracked_files() -> list[PurePath]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [PurePath(name) for name in listed.stdout.split("\0") if name]


@pytest.fixture(scope="module")
def shipped() -> set[str]:
    folders = {name.removeprefix("/") for name in WHEEL["include"]}
    inside = {str(path) for path in tracked_files() if path.parts[0] in folders}
    return inside | set(WHEEL["force-include"])


def test_each_folder_is_shipped_or_left_out_on_purpose():
    folders = {path.parts[0] for path in tracked_files() if len(path.parts) > 1}
    included = {name.removeprefix("/") for name in WHEEL["include"]} - {"prepared"}
    of_files = {PurePath(name).parts[0] for name in WHEEL["force-include"]} & folders
    assert included | of_files | NOT_SHIPPED == folders
    assert not included & NOT_SHIPPED


def test_all_but_the_package_is_in_its_private_folder():
    included = {name.removeprefix("/") for name in WHEEL["include"]} - {"touchstone"}
    assert WHEEL["sources"] == {name: f"touchstone/_site/{name}" for name in included}
    names = WHEEL["force-include"]
    assert names == {name: f"touchstone/_site/{name}" for name in names}
    assert [name for name in names if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize(
    "name",
    [
        "touchstone/command_line.py",
        "annotation/migrations/0001_initial.py",
        "schemes/qasrl/samples/sentences.csv",
        "schemes/qasrl/ranking_weights.json",
        "schemes/custom/starters/entities.yaml",
        "marketplace/api/extras/mturk/2017-01-17/service-2.sdk-extras.json",
        "templates/datasets/fragments/gold.html",
        "templates/accounts/mail/invitation.txt",
        "deploy/web",
        "static/css/tokens.css",
        "static/img/touchstone.svg",
        "docs/reference/commands.md",
        "docs/images/overview.png",
        "mkdocs.yml",
        "pyproject.toml",
        "requirements/base.txt",
    ],
)
def test_files_that_the_site_reads_are_shipped(shipped, name):
    assert name in shipped


def test_no_file_is_ignored_by_git():
    """The build leaves out ignored files, except those of `prepared`."""
    ignored = subprocess.run(
        ["git", "check-ignore", "--stdin"],
        cwd=ROOT,
        input="\n".join(str(path) for path in tracked_files()),
        check=False,
        capture_output=True,
        text=True,
    )
    assert ignored.stdout == ""
    assert WHEEL["artifacts"] == ["/prepared/**"]


def test_product_imports_nothing_that_is_left_out(shipped):
    names = "|".join(sorted((NOT_SHIPPED | {"touchstone_client"}) - {".ci"}))
    found = subprocess.run(
        ["git", "grep", "-nE", rf"^\s*(from|import) ({names})\b", "--", "*.py"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    files = {line.partition(":")[0] for line in found.stdout.splitlines()}
    assert files
    assert files & shipped == set()


def test_entry_point_exists():
    assert PROJECT["project"]["scripts"] == {"touchstone": "touchstone.command_line:main"}
    assert callable(main)
