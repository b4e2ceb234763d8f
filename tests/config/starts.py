"""A process that has imported the libraries and forks itself to start the program.

A fork is about ten times as fast as a new interpreter.
"""

import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from typing import Self

from tests import environment

# The libraries that the settings and manage.py import.
LIBRARIES = (
    "celery",
    "cryptography.fernet",
    "csp.constants",
    "django.conf",
    "django.core.management",
    "django_guid.integrations",
    "environ",
    "kombu",
    "pydantic_settings",
    "pythonjsonlogger.core",
)


class Starter:
    """A runner of Python programs in forks, with the interface of `subprocess.run`."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tests.config.starts import serve; serve()"],
            cwd=environment.ROOT,
            env={"PATH": os.environ["PATH"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, *arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([arguments, env]) + "\n")
        self._process.stdin.flush()
        code, stdout, stderr = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, stdout, stderr)


def serve() -> None:
    for name in LIBRARIES:
        __import__(name)
    assert "config.settings" not in sys.modules
    for line in sys.stdin:
        arguments, env = json.loads(line)
        print(json.dumps(_start(arguments, env)), flush=True)  # noqa: T201


def _start(arguments: list[str], env: dict[str, str]) -> tuple[int, str, str]:
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        child = os.fork()
        if not child:
            os.dup2(stdout.fileno(), 1)
            os.dup2(stderr.fileno(), 2)
            os.environ.clear()
            os.environ.update(env)
            code = _run(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        stdout.seek(0)
        stderr.seek(0)
        return code, stdout.read(), stderr.read()


def _run(arguments: list[str]) -> int:
    sys.argv = arguments
    try:
        if arguments[0] == "-c":
            exec(arguments[1], {"__name__": "__main__"})
        else:
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
