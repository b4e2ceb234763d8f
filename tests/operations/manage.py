"""manage.py in a separate process with its own environment."""

import requests

from tests.starts import starter


def manage(env: dict[str, str], *arguments: object) -> str:
    """Return the command's output. Fail with its errors if it does."""
    process = starter().run("manage.py", *map(str, arguments), env=env)
    assert process.returncode == 0, f"{arguments}\n{process.stdout}\n{process.stderr}"
    return process.stdout


def is_up(url: str) -> bool:
    try:
        return requests.get(f"{url}/health/live", timeout=2).ok
    except requests.RequestException:
        return False
