"""Installation of Debian packages, which needs root."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.testbed.errors import MissingError

POLICY = Path("/usr/sbin/policy-rc.d")
MARK = "# by Touchstone's make test"


def can_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(package: str) -> None:
    """Install a package without starting its service. Raise MissingError with apt's output."""
    print(f"testbed: installing {package} from the distribution's packages", file=sys.stderr)
    with _no_services_started():
        if _apt("install", package).returncode:
            _apt("update")
            result = _apt("install", package)
            if result.returncode:
                raise MissingError(
                    f"apt-get could not install {package}:\n{result.stdout[-2000:]}\n"
                    "Check the network and apt's sources, or install the package yourself."
                )


def _apt(verb: str, *packages: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["apt-get", verb, "-qq", "-y", "--no-install-recommends",
         "-o", "DPkg::Lock::Timeout=120", *packages],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )  # fmt: skip


@contextmanager
def _no_services_started() -> Iterator[None]:
    """Keep Debian from starting a server when it is installed.

    The policy checks that this process exists, so it has no effect if the process is killed.
    """
    if POLICY.exists() and MARK not in POLICY.read_text():
        yield  # the machine has its own policy
        return
    POLICY.write_text(f"#!/bin/sh\n{MARK}\nkill -0 {os.getpid()} 2>/dev/null && exit 101\nexit 0\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)
