"""The reference of file formats, whose examples are imported as they are printed.

A section has files, each in a block below a line with its name, and blocks of commands with their
output. Each section starts with new projects and the picture that the page describes.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from PIL import Image

from projects.domain.create_project import create_project
from schemes.registry import SCHEMES
from tests.annotation.factories import NOW
from tests.environment import ROOT

PAGE = ROOT / "docs" / "reference" / "file-formats.md"
PROJECTS = {"news": "qasrl", "books": "frames", "pictures": "grounding"}
_BLOCK = re.compile(
    r"(?:^`(?P<name>[^`\n]+)`:\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_PROMPT = "$ python manage.py "


@dataclass
class Section:
    """A section of the page. Its steps are files, with a name, and sessions of commands."""

    title: str
    text: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    @property
    def has_commands(self) -> bool:
        return any(not name for name, _ in self.steps)


def sections() -> Iterator[Section]:
    for text in re.split(r"^(?=##+ )", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        title = text.split("\n", 1)[0].lstrip("# ")
        steps = [
            (match["name"] or "", match["text"])
            for match in _BLOCK.finditer(text)
            if match["name"] or match["language"] == "console"
        ]
        yield Section(title, text, steps)


def pattern_of(session: str) -> re.Pattern[str]:
    """Return a pattern for the output of a session, in which a line `...` stands for any lines."""
    escaped = re.escape(session)
    return re.compile(escaped.replace(re.escape("...\n"), ".*?"), re.DOTALL)


def output_of(command: str) -> str:
    """Return what a command prints, and the message with which it fails."""
    out = StringIO()
    name, *arguments = shlex.split(command)
    try:
        call_command(name, *arguments, stdout=out, stderr=out)
    except CommandError as error:
        out.write(f"{error}\n")
    return out.getvalue()


def replayed(session: str) -> str:
    """Return a session with the output that its commands have now."""
    lines = session.replace("\\\n", "").splitlines()
    commands = [line.removeprefix(_PROMPT) for line in lines if line.startswith(_PROMPT)]
    printed = re.findall(r"^\$ .*?(?<!\\)\n", session, re.DOTALL | re.MULTILINE)
    assert len(printed) == len(commands) > 0
    outputs = map(output_of, commands)
    return "".join(text + output for text, output in zip(printed, outputs, strict=True))


@pytest.fixture
def folder(tmp_path, monkeypatch, settings) -> Path:
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    for slug, scheme in PROJECTS.items():
        create_project(slug=slug, scheme=scheme, now=NOW)
    folder = tmp_path / "files"
    (folder / "pictures").mkdir(parents=True)
    Image.new("RGB", (640, 480), "green").save(folder / "pictures" / "meadow.png")
    get_user_model().objects.create_superuser("admin")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.django_db
@pytest.mark.parametrize(
    "section",
    [section for section in sections() if section.has_commands],
    ids=lambda section: section.title,
)
def test_examples_of_a_section_do_what_the_page_shows(section, folder):
    for name, text in section.steps:
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        else:
            actual = replayed(text)
            assert pattern_of(text).fullmatch(actual), f"{text}\nis now\n{actual}"


def test_files_of_examples_are_used():
    unused = [
        (section.title, name)
        for section in sections()
        for name, _ in section.steps
        if name
        and not any(name.split("/")[0] in text for other, text in section.steps if not other)
    ]
    assert unused == []


@pytest.mark.parametrize("name", SCHEMES)
def test_every_format_has_a_section_or_a_row(name):
    corpus, exports = SCHEMES[name].corpus, SCHEMES[name].exports
    formats = {*corpus.formats, *corpus.gold_formats, *(exports.formats if exports else ())}
    page = PAGE.read_text("utf-8")
    named = {fmt for fmt in formats if f"`{fmt.removesuffix('-images')}`" in page}
    assert named == formats


@pytest.mark.parametrize("name", SCHEMES)
def test_every_column_is_in_the_table_of_its_format(name):
    corpus = SCHEMES[name].corpus
    layouts = [*corpus.layouts.items(), *corpus.item_layouts.items(), *corpus.gold_layouts.items()]
    names = {
        (fmt, column)
        for fmt, layout in layouts
        for column in (*(column.name for column in layout.columns), *layout.keys, *layout.any_keys)
    }
    tables = "\n".join(re.findall(r"^\| .*$", PAGE.read_text("utf-8"), re.MULTILINE))
    assert {pair for pair in names if f"`{pair[1]}`" not in tables} == set()
