"""The layout of an installed package, in a copy of the modules that decide on it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment import ROOT
from touchstone import layout, program

PROGRAM = """
from touchstone import layout, program
print(layout.IS_INSTALLED, layout.BASE_DIR, layout.data_folder(), layout.version())
print(program.as_called("Run python manage.py demo, or manage.py serve."))
print(program.command_prefix(), *program.command_line("demo")[1:])
"""


@pytest.fixture
def installed(tmp_path) -> Path:
    """Return a folder that looks like the installed wheel."""
    shutil.copytree(ROOT / "touchstone", tmp_path / "touchstone")
    (tmp_path / "touchstone" / "_site").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "touchstone" / "_site")
    return tmp_path


def lines(folder: Path, **env: str) -> list[str]:
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return process.stdout.splitlines()


def test_installed_package_has_its_site_inside_and_its_data_outside(installed):
    site = installed / "touchstone" / "_site"
    facts, text, command = lines(installed, HOME="/mnt/ada")
    assert facts == f"True {site} /mnt/ada/.local/share/touchstone {layout.version()}"
    assert text == "Run touchstone demo, or touchstone serve."
    assert command == "touchstone -P -m touchstone demo"


def test_data_are_in_the_folder_that_the_desktop_names(installed):
    facts, *_ = lines(installed, HOME="/mnt/ada", XDG_DATA_HOME="/mnt/data")
    assert " /mnt/data/touchstone " in facts
    relative, *_ = lines(installed, HOME="/mnt/ada", XDG_DATA_HOME="data")
    assert " /mnt/ada/.local/share/touchstone " in relative


def test_checkout_is_its_own_site():
    assert not layout.IS_INSTALLED
    assert ROOT == layout.BASE_DIR
    assert layout.data_folder() == ROOT / "var"
    assert program.command_line("demo")[1:] == [str(ROOT / "manage.py"), "demo"]


def test_metrics_are_imported_without_django_and_without_names_of_the_site():
    code = (
        "import sys\n"
        "from touchstone.metrics.clustering import cluster_scores\n"
        "from touchstone import metrics\n"
        "assert metrics.clustering.cluster_scores is cluster_scores\n"
        "print(cluster_scores([1, 1, 2], [1, 1, 2]).purity)\n"
        "print(sorted({'django', 'metrics', 'config'} & set(sys.modules)))\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={},
        check=True,
        capture_output=True,
        text=True,
    )
    assert process.stdout == "1.0\n[]\n"
