"""The entry point of `touchstone`, `python -m touchstone` and `manage.py`."""

import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from importlib import import_module

from touchstone import completion, program
from touchstone.command_list import subjects
from touchstone.layout import BASE_DIR, version


def main(name: str = program.INSTALLED, arguments: Sequence[str] | None = None) -> None:
    """Run the command of the arguments, and exit with its code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    program.set_name(name)
    _make_importable()
    if "DJANGO_AUTO_COMPLETE" in os.environ:
        _run_in_django(name, arguments)
    elif arguments in ([], ["help"], ["--help"], ["-h"]):
        _print(help_text(name))
    elif arguments in (["version"], ["--version"]):
        _print(f"Touchstone {version()}")
    elif arguments[0] == "completion":
        _print_completion(name, arguments[1:])
    else:
        _run_in_django(name, arguments)


def help_text(name: str) -> str:
    """Return the commands by subject, as wide as the terminal."""
    prefix = program.command_prefix()
    listed = subjects()
    names = [command for subject in listed for command in subject.commands]
    indent = max(map(len, names)) + 4
    width = max(60, min(100, shutil.get_terminal_size().columns))
    lines = [
        "Touchstone: from ordinary crowd workers to a gold dataset.",
        "",
        f"usage: {prefix} COMMAND [OPTION...]",
        f"       {prefix} COMMAND --help    describe a command, with an example",
    ]
    for subject in listed:
        lines += ["", f"{subject.title}:"]
        for command, purpose in subject.commands.items():
            text = f"  {command}".ljust(indent) + purpose
            lines += textwrap.wrap(text, width, subsequent_indent=" " * indent)
    lines += [
        "",
        f"`{prefix} help --commands` lists all commands, including the rest of Django's.",
        f"`{prefix} completion bash` prints a script that completes commands in a shell.",
    ]
    return "\n".join(lines)


def _make_importable() -> None:
    """Let the site's packages be imported before any others of the same names."""
    if str(BASE_DIR) in sys.path:
        sys.path.remove(str(BASE_DIR))
    sys.path.insert(0, str(BASE_DIR))


def _print_completion(name: str, arguments: Sequence[str]) -> None:
    if len(arguments) != 1 or arguments[0] not in completion.SHELLS:
        shells = " or ".join(f"`{name} completion {shell}`" for shell in completion.SHELLS)
        sys.stderr.write(f"Name your shell: {shells}.\n")
        sys.exit(2)
    _print(completion.SHELLS[arguments[0]]().rstrip())


def _run_in_django(name: str, arguments: Sequence[str]) -> None:
    path = sys.path.copy()
    # These are packages of the site, which main() makes importable, and Django.
    import_module("config")
    # Celery, which `config` imports, puts the current folder first. Its modules would hide others.
    sys.path[:] = path
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    from config.environment.start import StartError, prepare_start  # noqa: PLC0415

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        prepare_start(arguments, os.environ)
        execute_from_command_line([name, *arguments])
    except (ImproperlyConfigured, StartError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
