"""How the site's commands are called here, for texts that name a command."""

import sys

from touchstone.layout import BASE_DIR, IS_INSTALLED

INSTALLED, IN_CHECKOUT = "touchstone", "manage.py"
_name = INSTALLED if IS_INSTALLED else IN_CHECKOUT


def set_name(name: str) -> None:
    """Set the name by which the user called this process."""
    global _name  # noqa: PLW0603 - a process is called once
    _name = name


def command_prefix() -> str:
    """Return what to type before the name of a command."""
    return _name if _name == INSTALLED else f"python {_name}"


def as_called(text: str) -> str:
    """Return a text about `manage.py` with the program that the user called."""
    if _name == IN_CHECKOUT:
        return text
    return text.replace(f"python {IN_CHECKOUT}", _name).replace(IN_CHECKOUT, _name)


def command_line(*arguments: str) -> list[str]:
    """Return the command line of a command for a child process in any folder."""
    # -P keeps the packages of the current folder from hiding those of the site.
    start = ["-P", "-m", INSTALLED] if IS_INSTALLED else [str(BASE_DIR / IN_CHECKOUT)]
    return [sys.executable, *start, *arguments]
