"""The environment of a test run, settled before Django reads its settings.

pytest loads this as a plugin (`-p` in pyproject.toml): pytest-django configures Django before any
conftest is read. Nothing of the caller's shell reaches the settings; what is kept goes to a folder
that disappears with the run. The ordinary database is TEST_POSTGRES_URL where `make test` has set
it, SQLite otherwise or with TEST_DATABASE=sqlite.
"""

import atexit
import hashlib
import os
import re
import shutil
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent
# One name per checkout (and, through pytest-django, per xdist worker): runs of two checkouts can
# share a server, and what a killed run leaves is replaced by the next one.
DATABASE_PREFIX = "touchstone_" + hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]
MIGRATED_DATABASE = f"{DATABASE_PREFIX}_migrated"
_READ = re.compile(r'\b(?:env\.[a-z_]+|_[a-z_]+)\(\s*"([A-Z][A-Z0-9_]*)"')
OURS_TOO = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE")


def settings_variables() -> set[str]:
    """The environment variables that config/settings.py reads, found in its source."""
    return set(_READ.findall((ROOT / "config" / "settings.py").read_text()))


def postgres_server() -> str:
    """The URL of the PostgreSQL to use, or ''."""
    return os.environ.get("TEST_POSTGRES_URL", "")


def database_url(server: str, name: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def find_free_port() -> int:
    """Return a port that is free at the moment, as is the next one, which a demo uses too."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            with suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port


def _settle() -> None:
    for name in (*settings_variables(), *OURS_TOO):
        os.environ.pop(name, None)
    # Nothing may look for credentials outside the machine.
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    folder = tempfile.mkdtemp(prefix="touchstone-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["VAR_DIR"] = folder
    Path(folder, "static").mkdir()  # whitenoise warns where there is none
    if postgres_server() and os.environ.get("TEST_DATABASE") != "sqlite":
        os.environ["DATABASE_URL"] = database_url(postgres_server(), DATABASE_PREFIX)


_settle()
