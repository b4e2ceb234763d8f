"""Debian's packages, for machines where we are root."""

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
    """Installs a package, no service started. Raises MissingError with apt's own words."""
    print(f"testbed: installing {package} from the distribution's packages", file=sys.stderr)
    with _no_services_started():
        if _apt("install", package).returncode:
            _apt("update")
            done = _apt("install", package)
            if done.returncode:
                raise MissingError(
                    f"apt-get could not install {package}:\n{done.stdout[-2000:]}\n"
                    "Check the network and apt's sources, or install it yourself."
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
    """Debian starts a server as soon as it is installed; we want its program only.

    The rule that forbids it asks whether we still live, so that it means nothing if we are killed
    before we take it away.
    """
    if POLICY.exists() and MARK not in POLICY.read_text():
        yield  # the machine has a rule of its own
        return
    POLICY.write_text(f"#!/bin/sh\n{MARK}\nkill -0 {os.getpid()} 2>/dev/null && exit 101\nexit 0\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)
