"""The environment of a test run, prepared before Django reads its settings.

pytest loads this module as a plugin (`-p` in pyproject.toml), because pytest-django configures
Django before any conftest is read. No variable of the caller's shell reaches the settings. Files go
to a folder that is deleted after the run. The default database is TEST_POSTGRES_URL where `make
test` has set it. Otherwise, and with TEST_DATABASE=sqlite, it is SQLite.
"""

import atexit
import hashlib
import os
import shutil
import socket
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from config.environment.model import Environment

ROOT = Path(__file__).resolve().parent.parent
# Each checkout has its own name, and pytest-django adds the xdist worker. Runs of two checkouts can
# share a server, and the next run replaces the databases of a killed run.
DATABASE_PREFIX = "touchstone_" + hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]
MIGRATED_DATABASE = f"{DATABASE_PREFIX}_migrated"
AWS_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE")


def settings_variables() -> set[str]:
    """Return the environment variables that the settings read."""
    return set(Environment.model_fields)


def postgres_server() -> str:
    """Return the URL of the PostgreSQL server, or an empty string."""
    return os.environ.get("TEST_POSTGRES_URL", "")


def database_url(server: str, name: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def find_free_port() -> int:
    """Return a port that is free at present.

    The next port is also free, because a demo uses both.
    """
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            with suppress(OSError, OverflowError):
                second.bind(("127.0.0.1", port + 1))
                return port


def tables_digest() -> str:
    """Return a digest of everything that decides on the tables of an empty database."""
    modules = (
        "*/migrations/*.py",
        "*/models.py",
        "*/apps.py",
        "*/append_only.py",
        "*/trigram_index.py",
    )
    files = {file for pattern in modules for file in ROOT.glob(pattern)}
    files |= {*ROOT.glob("requirements/*.txt"), *ROOT.glob("database/**/*.py")}
    files |= {*ROOT.glob("config/environment/*.py"), *ROOT.glob("config/settings/*.py")}
    return _digest_of(files)


def static_files_digest() -> str:
    """Return a digest of everything that decides on the collected static files."""
    files = {*ROOT.glob("requirements/*.txt"), *ROOT.glob("config/settings/*.py")}
    files |= {ROOT / "config" / "static_files.py", ROOT / "web" / "collected_static.py"}
    files |= {file for file in (ROOT / "static").rglob("*") if file.is_file()}
    return _digest_of(files)


def _digest_of(files: set[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(ROOT)}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _prepare() -> None:
    for name in (*settings_variables(), *AWS_VARIABLES):
        os.environ.pop(name, None)
    # Prevent look-ups of credentials outside the machine.
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    # Without cached bytecode, each test process would compile and rewrite all modules again.
    sys.dont_write_bytecode = False
    folder = tempfile.mkdtemp(prefix="touchstone-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["VAR_DIR"] = folder
    Path(folder, "static").mkdir()  # whitenoise warns if the folder is missing
    if postgres_server() and os.environ.get("TEST_DATABASE") != "sqlite":
        os.environ["DATABASE_URL"] = database_url(postgres_server(), DATABASE_PREFIX)


_prepare()
