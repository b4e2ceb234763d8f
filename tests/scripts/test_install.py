"""The script `scripts/install`, which reports problems of a machine and keeps other environments."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import environment


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with an empty requirements lock."""
    for name in ("scripts", "requirements", "programs"):
        (tmp_path / name).mkdir()
    shutil.copy(environment.ROOT / "scripts" / "install", tmp_path / "scripts")
    for kind in ("base", "dev"):
        (tmp_path / "requirements" / f"{kind}.txt").write_text("# nothing\n")
    return tmp_path


def python(checkout: Path, *, new: bool, venv: bool = True) -> Path:
    """Create a fake Python that answers the checks of the script."""
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
    result = install(checkout, PYTHON=str(python(checkout, new=False)))
    assert result.returncode == 1
    assert "needs Python 3.11 or newer; found: Python 3.9.2" in result.stderr
    assert not (checkout / ".venv").exists()


def test_venv_module_missing(checkout):
    result = install(checkout, PYTHON=str(python(checkout, new=True, venv=False)))
    assert result.returncode == 1
    assert "apt-get install python3.11-venv" in result.stderr


def test_linked_environment_is_left_alone(checkout, tmp_path):
    other = tmp_path / "theirs" / "bin"
    other.mkdir(parents=True)
    (other / "python").symlink_to(shutil.which("true"))
    (checkout / ".venv").symlink_to(other.parent)
    assert install(checkout).returncode == 0
    assert [path.name for path in other.parent.iterdir()] == ["bin"]


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
    """Create an environment that was built for another lock."""
    built = checkout / ".venv"
    (built / "bin").mkdir(parents=True)
    (built / "bin" / "python").symlink_to(shutil.which("true"))
    (built / "installed-base").write_text("of another lock")
    (built / "old").touch()
    return built


def test_run_after_an_interrupted_run_rebuilds_the_environment(checkout, earlier):
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


def test_unavailable_packages(checkout):
    lock = checkout / "requirements" / "base.txt"
    lock.write_text(f"nowhere-to-be-found==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
    result = install(checkout, PIP_NO_INDEX="1", PIP_CONFIG_FILE=os.devnull)
    assert result.returncode == 1
    assert "Check the network" in result.stderr
    assert (checkout / ".venv" / "incomplete").exists()
