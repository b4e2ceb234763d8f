"""PostgreSQL and Redis in containers, for machines that cannot install them."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.testbed.errors import MissingError

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "deploy" / "test-services.yml"
PROJECT = "touchstone-test-" + hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]


def is_usable() -> bool:
    return shutil.which("docker") is not None and all(
        subprocess.run(["docker", *arguments], capture_output=True, check=False).returncode == 0
        for arguments in (["compose", "version"], ["info"])
    )


def start(service: str) -> None:
    print(f"testbed: starting {service} with docker compose", file=sys.stderr)
    _compose("up", "--detach", "--wait", service)


def port(service: str, inside: int) -> int:
    return int(_compose("port", service, str(inside)).strip().rpartition(":")[2])


def stop(service: str) -> None:
    _compose("rm", "--stop", "--force", "--volumes", service)


def _compose(*arguments: str) -> str:
    done = subprocess.run(
        ["docker", "compose", "--file", str(FILE), "--project-name", PROJECT, *arguments],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise MissingError(f"docker compose {' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return done.stdout
