"""The tutorial of custom schemes, whose files and commands are used as they are printed."""

import re
import shlex
from textwrap import dedent

import pytest

from consolidation.models import Gold
from schemes.custom.read_definition import read_definition
from tests.environment import ROOT
from tests.schemes.custom.samples import NAMES
from tests.walk import run

TUTORIAL = ROOT / "docs" / "tutorials" / "own-scheme.md"
_BLOCK = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)
_FILE = re.compile(r"Save this as `([\w.]+)`")
# Rehearsals need a site.
COMMANDS = ("create_project", "import_corpus", "import_gold")


def blocks() -> list[tuple[str, str]]:
    """Return the indented blocks with the text before each."""
    text, found, end = TUTORIAL.read_text("utf-8"), [], 0
    for match in _BLOCK.finditer(text):
        found.append((text[end : match.start()], dedent(match[0]).strip("\n") + "\n"))
        end = match.end()
    return found


@pytest.mark.django_db
def test_tutorial_s_files_are_imported_by_its_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outputs = []
    for before, block in blocks():
        if names := _FILE.findall(before):
            (tmp_path / names[-1]).write_text(block, "utf-8")
        outputs += [
            run(*shlex.split(line)[1:])
            for line in block.splitlines()
            if line.startswith("manage ") and line.split()[1] in COMMANDS
        ]
    assert len(outputs) == len(COMMANDS)
    assert [gold.item.sentence.external_id for gold in Gold.objects.order_by("pk")] == ["r1", "r2"]
    definition = read_definition((tmp_path / "opinions.yaml").read_bytes())
    shown = [
        [" ".join(example.texts["text"].split()[:1]) for example in definition.examples],
        [span["label"] for span in definition.examples[0].answers["targets"]],
    ]
    assert shown == [["Friendly", "Great"], ["praised", "criticised"]]


def test_tutorial_lists_all_starters():
    text = TUTORIAL.read_text("utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)`", text, re.MULTILINE)) == set(NAMES)
