"""scripts/install says what is wrong with a machine, and leaves a foreign environment alone."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import environment


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose lock asks for nothing."""
    for name in ("scripts", "requirements", "programs"):
        (tmp_path / name).mkdir()
    shutil.copy(environment.ROOT / "scripts" / "install", tmp_path / "scripts")
    for kind in ("base", "dev"):
        (tmp_path / "requirements" / f"{kind}.txt").write_text("# nothing\n")
    return tmp_path


def python(checkout: Path, *, new: bool, venv: bool = True) -> Path:
    """A stand-in for a Python that says of itself what a machine's own would."""
    program = checkout / "programs" / "python-here"
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        f"*'< (3, 11)'*) exit {0 if new else 1} ;;\n"
        f"*ensurepip*) exit {0 if venv else 1} ;;\n"
        "*version_info*) echo 3.11 ;;\n"
        "--version) echo Python 3.9.2 ;;\n"
        "esac\n"
    )
    program.chmod(0o755)
    return program


def install(checkout: Path, kind: str = "base", **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "scripts" / "install", kind],
        env={"PATH": os.environ["PATH"], **env},
        check=False,
        capture_output=True,
        text=True,
    )


def test_python_too_old(checkout):
    done = install(checkout, PYTHON=str(python(checkout, new=False)))
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; found: Python 3.9.2" in done.stderr
    assert not (checkout / ".venv").exists()


def test_venv_module_missing(checkout):
    done = install(checkout, PYTHON=str(python(checkout, new=True, venv=False)))
    assert done.returncode == 1
    assert "apt-get install python3.11-venv" in done.stderr


def test_linked_environment_is_left_alone(checkout, tmp_path):
    theirs = tmp_path / "theirs" / "bin"
    theirs.mkdir(parents=True)
    (theirs / "python").symlink_to(shutil.which("true"))
    (checkout / ".venv").symlink_to(theirs.parent)
    assert install(checkout).returncode == 0
    assert [path.name for path in theirs.parent.iterdir()] == ["bin"]


def test_second_run_does_nothing(checkout):
    first = install(checkout)
    assert first.returncode == 0, first.stderr
    marker = checkout / ".venv" / "marker"
    marker.touch()
    second = install(checkout)
    assert (second.returncode, second.stderr) == (0, "")
    assert marker.exists()


@pytest.fixture
def earlier(checkout: Path) -> Path:
    """An environment built before, for another lock."""
    environment_there = checkout / ".venv"
    (environment_there / "bin").mkdir(parents=True)
    (environment_there / "bin" / "python").symlink_to(shutil.which("true"))
    (environment_there / "installed-base").write_text("of another lock")
    (environment_there / "old").touch()
    return environment_there


def test_run_after_an_interrupted_one_builds_anew(checkout, earlier):
    lock = (checkout / "requirements" / "base.txt").read_bytes()
    stamp = subprocess.run(["cksum"], input=lock, capture_output=True, check=True).stdout
    (earlier / "installed-base").write_bytes(stamp)
    (earlier / "incomplete").touch()
    assert "Creating .venv" in install(checkout).stderr
    assert [(earlier / name).exists() for name in ("old", "incomplete")] == [False, False]
    assert (earlier / "installed-base").read_bytes() == stamp


def test_changed_lock_rebuilds_environment(checkout, earlier):
    assert "Creating .venv" in install(checkout).stderr
    assert not (earlier / "old").exists()


def test_packages_out_of_reach(checkout):
    lock = checkout / "requirements" / "base.txt"
    lock.write_text(f"nowhere-to-be-found==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
    done = install(checkout, PIP_NO_INDEX="1", PIP_CONFIG_FILE=os.devnull)
    assert done.returncode == 1
    assert "Check the network" in done.stderr
    assert (checkout / ".venv" / "incomplete").exists()
