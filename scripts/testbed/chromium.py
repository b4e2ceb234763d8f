"""The browser of the tests, which is the machine's Chromium or Chrome.

The headless shell draws no window. The browser tests take a third of the processor time with it.
"""

import os
import shutil

from scripts.testbed import debian
from scripts.testbed.errors import MissingError

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


def find() -> str | None:
    """Return the path of TEST_CHROMIUM, or of the first browser on the PATH."""
    name = os.environ.get("TEST_CHROMIUM", "")
    return next(filter(None, map(shutil.which, [name, *NAMES])), None)


def bring_up() -> str:
    if not find() and debian.can_install():
        debian.install("chromium-headless-shell")
    if path := find():
        return path
    raise MissingError(
        "No Chromium was found on the PATH.\n"
        "    apt-get install chromium-headless-shell   (as root; on Ubuntu, install Google Chrome)\n"
        "or set TEST_CHROMIUM=/path/to/chrome"
    )
