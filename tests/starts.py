"""A process that has imported the libraries and forks itself to start programs.

A fork takes a third of the processor time of a new interpreter.
"""

import atexit
import gc
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback
from functools import cache
from pathlib import Path
from typing import NoReturn, Self

from tests import environment

# Modules that read neither the environment nor the settings when they are imported.
LIBRARIES = (
    "PIL.Image",
    "boto3",
    "celery.app.control",
    "celery.bin.celery",
    "cryptography.fernet",
    "csp.constants",
    "django.conf",
    "django.core.management.commands.shell",
    "django.db.models",
    "django.forms",
    "django.template.defaulttags",
    "django.test",
    "django_guid.integrations",
    "dns.asyncresolver",
    "environ",
    "health_check",
    "jsonschema",
    "kombu.transport.redis",
    "markdown_it",
    "numpy",
    "psycopg2",
    "pydantic",
    "pydantic_settings",
    "pythonjsonlogger.core",
    "requests",
    "schemes.registry",
)


class Starter:
    """A runner of Python programs in forks, with the interface of `subprocess.run`."""

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tests.starts import serve; serve()"],
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
        """Run a program in the repository's root.

        The arguments are those of Python: `-c` and code, `-m` and a module, or a path, and then
        those of the program.
        """
        assert self._process.stdin
        assert self._process.stdout
        with self._lock:
            self._process.stdin.write(json.dumps([arguments, env]) + "\n")
            self._process.stdin.flush()
            code, stdout, stderr = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess(arguments, code, stdout, stderr)


@cache
def starter() -> Starter:
    """Return the starter of this test process."""
    starter = Starter().__enter__()
    atexit.register(starter.__exit__)
    return starter


def serve() -> None:
    gc.disable()
    for name in LIBRARIES:
        __import__(name)
    gc.freeze()  # the forks share this memory and need not visit it
    gc.enable()
    assert "config.settings" not in sys.modules
    for line in sys.stdin:
        arguments, env = json.loads(line)
        print(json.dumps(_start(arguments, env)), flush=True)  # noqa: T201


def _start(arguments: list[str], env: dict[str, str]) -> tuple[int, str, str]:
    with (
        tempfile.TemporaryFile("w+") as stdout,
        tempfile.TemporaryFile("w+") as stderr,
        Path(os.devnull).open() as stdin,
    ):
        child = os.fork()
        if not child:
            for number, file in enumerate((stdin, stdout, stderr)):
                os.dup2(file.fileno(), number)
            os.environ.clear()
            os.environ.update(env)
            _end(_run(arguments))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        stdout.seek(0)
        stderr.seek(0)
        return code, stdout.read(), stderr.read()


def _end(code: int) -> NoReturn:
    """End this process as Python does, without the half second in which it deletes all modules."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(arguments: list[str]) -> int:
    kind, *rest = arguments
    sys.argv = arguments
    try:
        if kind == "-c":
            exec(rest[0], {"__name__": "__main__"})
        elif kind == "-m":
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(kind, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
