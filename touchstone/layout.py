"""Where the parts of the site are, in a checkout and in an installed package."""

import os
import tomllib
from pathlib import Path

_OF_A_WHEEL = Path(__file__).with_name("_site")
IS_INSTALLED = _OF_A_WHEEL.is_dir()
# Both have the same layout: packages, templates, static files, documentation and pyproject.toml.
BASE_DIR = _OF_A_WHEEL if IS_INSTALLED else Path(__file__).resolve().parents[1]
# Collected static files and empty tables, which only a wheel contains.
PREPARED_DIR = BASE_DIR / "prepared"


def version() -> str:
    """Return the version in pyproject.toml."""
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def data_folder() -> Path:
    """Return the default of VAR_DIR: `var` in a checkout, else the user's folder for data."""
    if not IS_INSTALLED:
        return BASE_DIR / "var"
    shared = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The specification of base directories says that relative paths are ignored.
    return (shared if shared.is_absolute() else Path.home() / ".local" / "share") / "touchstone"
