"""The browser of the tests, which is the machine's Chromium or Chrome.

The headless shell draws no window. The browser tests take a third of the processor time with it.
"""

import ctypes
import os
import shutil
import sys

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
    if debian.can_install():
        if not find():
            debian.install("chromium-headless-shell")
        if not _can_be_driven():
            debian.install("libatomic1")
    path = find()
    if path is None:
        raise MissingError(
            "No Chromium was found on the PATH.\n"
            "    apt-get install chromium-headless-shell   (as root; on Ubuntu, install Google Chrome)\n"
            "or set TEST_CHROMIUM=/path/to/chrome"
        )
    if not _can_be_driven():
        raise MissingError(
            "Playwright needs libatomic.so.1.\n    apt-get install libatomic1   (as root)"
        )
    return path


def _can_be_driven() -> bool:
    """Return True unless a library of Playwright's Node.js is missing, as on minimal systems."""
    if sys.platform != "linux":
        return True
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:
        return False
    return True
