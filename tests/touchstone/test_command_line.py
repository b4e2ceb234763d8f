"""The command `touchstone`, which is `python -m touchstone` here."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.environment import ROOT
from touchstone.command_list import OF_DJANGO, commands, subjects

BASH = """
source <(python -m touchstone completion bash)
complete -p touchstone
touchstone() { python -m touchstone "$@"; }
for words in "export_" "help ev" "rehearse --wor" "rehearse gold."; do
    COMP_WORDS=(touchstone $words); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
    _touchstone 2>/dev/null
    echo "${COMPREPLY[*]}"
done
"""


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "touchstone", *arguments],
        cwd=ROOT,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"], ["-h"]])
def test_help_lists_commands_by_subject(arguments):
    process = run(*arguments)
    assert process.returncode == 0
    assert process.stdout.startswith("Touchstone: ")
    titles = re.findall(r"^(\S.*):$", process.stdout, re.MULTILINE)
    assert titles == [subject.title for subject in subjects()]
    assert titles[0] == "Run a site"
    shown = re.findall(r"^  (\w+) ", process.stdout, re.MULTILINE)
    assert shown == [name for subject in subjects() for name in subject.commands]
    assert shown[0] == "demo"


def test_modules_of_the_current_folder_hide_no_others(tmp_path):
    for name in ("config", "metrics", "secrets", "statistics", "logging"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the current folder')")
    process = subprocess.run(
        [sys.executable, ROOT / "manage.py", "evaluate", "qasrl", "expert.csv", "predicted.csv"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert process.stderr.startswith("CommandError: expert.csv: cannot be opened")


def test_every_command_of_the_site_is_listed_with_its_purpose():
    own = {name for name, app in get_commands().items() if (ROOT / app).is_dir()}
    assert own == set(commands()) - set(OF_DJANGO)
    assert {name for name, purpose in commands().items() if not 10 < len(purpose) < 140} == set()


def test_listed_commands_of_django_exist():
    assert set(OF_DJANGO) <= set(get_commands())


def test_help_of_a_checkout_names_manage_py():
    process = subprocess.run(
        [sys.executable, "manage.py", "help"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert "usage: python manage.py COMMAND" in process.stdout
    assert "touchstone COMMAND" not in process.stdout


@pytest.mark.parametrize("argument", ["--version", "version"])
def test_version_is_that_of_the_package(argument):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert run(argument).stdout == f"Touchstone {version}\n"


@pytest.mark.slow
def test_unknown_command_is_answered_with_a_similar_one(embedded_site):
    process = run("exprt_gold", env=embedded_site)
    assert process.returncode == 1
    assert process.stderr == (
        "Unknown command: 'exprt_gold'. Did you mean export_gold?\nType 'touchstone help' for usage.\n"
    )


@pytest.mark.slow
def test_help_of_a_command_shows_how_it_was_called(embedded_site):
    process = run("export_gold", "--help", env=embedded_site)
    assert process.stdout.startswith("usage: touchstone export_gold ")
    assert "\n  touchstone export_gold wikinews-dev --format" in process.stdout
    assert "manage.py" not in process.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["evaluate", "reproduce"])
def test_help_of_a_scheme_shows_how_it_was_called(embedded_site, name):
    process = run(name, "qasrl", "--help", env=embedded_site)
    assert f"\n  touchstone {name} qasrl " in process.stdout
    assert "manage.py" not in process.stdout


@pytest.mark.slow
def test_exit_codes_are_those_of_the_commands(embedded_site):
    process = run("evaluate", "qasrl", "missing.csv", "missing.csv", "--json", env=embedded_site)
    assert process.returncode == 2
    assert "missing.csv" in process.stderr
    wrong = run("check", env={**embedded_site, "SITE_URL": "nonsense"})
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("SITE_URL is 'nonsense'")


def test_completion_needs_a_known_shell():
    for arguments in ([], ["fish"], ["bash", "zsh"]):
        process = run("completion", *arguments)
        assert process.returncode == 2
        assert "touchstone completion zsh" in process.stderr


@pytest.mark.slow
def test_bash_completes_commands_and_options(embedded_site):
    path = f"{Path(sys.executable).parent}:{embedded_site['PATH']}"
    process = subprocess.run(
        ["bash", "-c", BASH],
        cwd=ROOT,
        env={**embedded_site, "PATH": path},
        check=True,
        capture_output=True,
        text=True,
    )
    declared, *lines = process.stdout.splitlines()
    assert declared == "complete -o default -F _touchstone touchstone"
    assert lines == ["export_gold export_submissions", "evaluate", "--workers=", ""]


def test_zsh_script_describes_each_command():
    script = run("completion", "zsh").stdout
    assert script.startswith("#compdef touchstone\n")
    rows = re.findall(r"^        '(\w+):(?:[^']|'\\'')+'$", script, re.MULTILINE)
    assert rows == sorted({*commands(), "completion", "help"})


@pytest.mark.slow
def test_new_database_without_tables_is_reported(embedded_site):
    process = run("create_project", "news", "--scheme", "qasrl", env=embedded_site)
    assert process.returncode == 2
    assert process.stderr == (
        "InputError: The database has no tables yet. Run `touchstone migrate` first.\n"
    )
