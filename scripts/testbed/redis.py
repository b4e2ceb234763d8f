"""A Redis server on this machine, or a private one.

tests/conftest.py selects a database for each test, and never touches a user's keys.
"""

import os
import secrets
import shutil
import signal
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from redis import Redis
from redis.exceptions import RedisError

from scripts.testbed import compose, debian
from scripts.testbed.errors import MissingError
from scripts.testbed.processes import Server, free_port, private_folder

LOCAL = ("localhost", "127.0.0.1", "::1")


def bring_up(stack: ExitStack, *, own: bool, record: Path) -> str:
    """Return a server's URL. `stack` stops a server that was started. Raise MissingError."""
    if not own and (url := _answering()):
        return url
    if not shutil.which("redis-server") and debian.can_install():
        debian.install("redis-server")
    if program := shutil.which("redis-server"):
        return _private(stack, program, record)
    if compose.is_usable():
        compose.start("redis")
        stack.callback(compose.stop, "redis")
        return f"redis://127.0.0.1:{compose.port('redis', 6379)}/0"
    raise MissingError(
        "No Redis answers on 127.0.0.1:6379, and none is installed.\n"
        "    apt-get install redis-server     (as root; it need not be running)\n"
        "or set TEST_REDIS_URL=redis://127.0.0.1:6379/0"
    )


def _answering() -> str | None:
    urls = [os.environ.get("TEST_REDIS_URL", ""), os.environ.get("REDIS_URL", "")]
    local = [url for url in urls if urlsplit(url).hostname in LOCAL]
    return next(filter(_answers, [*local, "redis://127.0.0.1:6379/0"]), None)


def _answers(url: str) -> bool:
    try:
        with Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3) as client:
            return bool(client.ping())
    except RedisError:
        return False


def _private(stack: ExitStack, program: str, record: Path) -> str:
    folder = private_folder(record)
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    password, port = secrets.token_hex(16), free_port()
    # The password is in a file, because all users of the machine can read arguments.
    settings = folder / "redis.conf"
    settings.write_text(
        f'bind 127.0.0.1\nport {port}\nrequirepass {password}\nsave ""\nappendonly no\n'
        f"databases 64\ndir {folder}\n"
    )
    shutil.chown(settings, folder.owner())
    settings.chmod(0o600)
    server = Server([program, str(settings)], folder=folder, stop=signal.SIGTERM)
    stack.callback(server.stop)
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    server.wait_until(lambda: _answers(url))
    return url
