"""The environment with which a command starts, prepared before the settings are read."""

from collections.abc import MutableMapping, Sequence
from pathlib import Path

from config.environment.model import secret_names
from touchstone.layout import data_folder

# The variables that connect a site to services, which a demo does not use.
_SERVICES = (
    *("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "BACKUP_URL", "ARCHIVE_DIR"),
    *("MTURK_ENDPOINT_URL", "PROLIFIC_URL", "PROLIFIC_TOKEN"),
)
# The commands that start a site, and their option for the port.
_SITES = ("demo", "serve")
_PORT = "--port"
_SQLITE = "sqlite:///"
_TRUE = ("1", "on", "t", "true", "y", "yes")


class StartError(Exception):
    """The arguments are invalid."""


def prepare_start(arguments: Sequence[str], environment: MutableMapping[str, str]) -> None:
    """Change the environment to that of the command. Raise StartError."""
    _make_paths_absolute(environment)
    command = arguments[0] if arguments else ""
    if command in _SITES and (port := _port_in(arguments)):
        environment["SITE_URL"] = f"http://127.0.0.1:{port}"
    if command == "demo" and environment.get("DEMO", "").lower() not in _TRUE:
        _use_demo(environment)


def _make_paths_absolute(environment: MutableMapping[str, str]) -> None:
    """Make relative paths those of the current folder, because child processes run in another."""
    for name in ("VAR_DIR", "STATIC_ROOT", *(f"{secret}_FILE" for secret in secret_names())):
        if path := environment.get(name):
            environment[name] = str(Path(path).absolute())
    url = environment.get("DATABASE_URL", "")
    path = url.removeprefix(_SQLITE)
    if path not in (url, "", ":memory:"):
        environment["DATABASE_URL"] = f"{_SQLITE}{Path(path).absolute()}"


def _use_demo(environment: MutableMapping[str, str]) -> None:
    """Set demo mode with data of its own, because the demo's passwords are public."""
    folder = Path(environment.get("VAR_DIR") or data_folder()) / "demo"
    environment.update(DEMO="true", VAR_DIR=str(folder))
    for name in _SERVICES:
        environment.pop(name, None)
        environment.pop(f"{name}_FILE", None)


def _port_in(arguments: Sequence[str]) -> str:
    """Return the value of --port, or an empty string. The command itself checks other options."""
    for number, argument in enumerate(arguments):
        option, _, value = argument.partition("=")
        if option != _PORT:
            continue
        value = value or (arguments[number + 1] if number + 1 < len(arguments) else "")
        if not value.isdecimal() or not 0 < int(value) < 65535:
            raise StartError(f"--port {value or '(missing)'} is not a port from 1 to 65534.")
        return value
    return ""
