"""The browser of the tests: the machine's own Chromium or Chrome."""

import os
import shutil

from scripts.testbed import debian
from scripts.testbed.errors import MissingError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The path of TEST_CHROMIUM, or of the first browser on the PATH."""
    given = os.environ.get("TEST_CHROMIUM", "")
    return next(filter(None, map(shutil.which, [given, *NAMES])), None)


def bring_up() -> str:
    if not find() and debian.can_install():
        debian.install("chromium")
    if path := find():
        return path
    raise MissingError(
        "Chromium: none on the PATH.\n"
        "    apt-get install chromium   (as root; Ubuntu has only a snap: take Google Chrome)\n"
        "or name one: TEST_CHROMIUM=/path/to/chrome"
    )
