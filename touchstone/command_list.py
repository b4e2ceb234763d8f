"""The commands by subject, from the tables of docs/reference/commands.md."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from touchstone.layout import BASE_DIR

_ROW = re.compile(r"^\| `(\w+)[^|]*\| (.+) \|$")
_LINK = re.compile(r"\[([^]]+)\]\([^)]*\)")
# Commands of Django that an administrator needs. They have no page of their own.
OF_DJANGO = {
    "changepassword": "Change a user's password",
    "check": "Check the settings",
    "createsuperuser": "Create an administrator",
    "dbshell": "Open the shell of the database",
    "shell": "Open a Python shell of the site",
    "showmigrations": "List the migrations and those that are applied",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A group of commands, as pairs of name and purpose, with the most used first."""

    title: str
    commands: dict[str, str]


def subjects() -> list[Subject]:
    page = (BASE_DIR / "docs" / "reference" / "commands.md").read_text("utf-8")
    return [*_of_page(page), Subject("Django", OF_DJANGO)]


def commands() -> dict[str, str]:
    """Return the purposes of all listed commands by name."""
    return {name: text for subject in subjects() for name, text in subject.commands.items()}


def _of_page(page: str) -> Iterator[Subject]:
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        rows: dict[str, str] = {}
        for match in filter(None, map(_ROW.match, text.splitlines())):
            rows.setdefault(match[1], _first_sentence(match[2]))
        if rows:
            yield Subject(title, rows)


def _first_sentence(markdown: str) -> str:
    text = _LINK.sub(r"\1", markdown).replace("`", "").replace("*", "")
    return re.split(r"\. |: | \(", text)[0].rstrip(".")
