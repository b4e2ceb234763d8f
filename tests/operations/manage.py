"""manage.py in a separate process with its own environment."""

import subprocess
import sys

import requests

from tests import environment


def manage(env: dict[str, str], *arguments: object) -> str:
    """Return the command's output. Fail with its errors if it does."""
    process = subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=environment.ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, f"{arguments}\n{process.stdout}\n{process.stderr}"
    return process.stdout


def is_up(url: str) -> bool:
    try:
        return requests.get(f"{url}/health/live", timeout=2).ok
    except requests.RequestException:
        return False
