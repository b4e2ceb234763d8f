"""manage.py in a process and an environment of its own."""

import subprocess
import sys

import requests

from tests import environment


def manage(env: dict[str, str], *arguments: object) -> str:
    """What the command prints; fails with its errors when it does."""
    done = subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=environment.ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def is_up(url: str) -> bool:
    try:
        return requests.get(f"{url}/health/live", timeout=2).ok
    except requests.RequestException:
        return False
