"""The message catalogues are current, complete, and compiled."""

import gettext
import re

import pytest

from scripts.write_messages import catalogue_text, catalogues, compiled, merged, read_catalogue
from web.script_texts import texts_of_script

LANGUAGES = sorted(catalogues())
PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|\{\w*\}|</?\w+[^>]*>")


def test_german_is_shipped():
    assert "de" in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_is_what_the_sources_give(language):
    path = catalogues()[language]
    header, messages = read_catalogue(path)
    current = merged(messages)
    assert [m.text for m in current if not m.is_translated] == []
    # Otherwise run: python -m scripts.write_messages
    assert path.read_text("utf-8") == catalogue_text(header, current)
    assert path.with_suffix(".mo").read_bytes() == compiled(header, current)


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_the_placeholders_and_elements_of_the_text(language):
    _, messages = read_catalogue(catalogues()[language])
    wrong = [
        (message.text, translation)
        for message in messages
        for translation in message.translations[-1:]
        if placeholders(translation) != placeholders(message.plural or message.text)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_no_doubts(language):
    _, messages = read_catalogue(catalogues()[language])
    assert [m.text for m in messages if any("fuzzy" in line for line in m.comments)] == []


def placeholders(text: str) -> list[str]:
    return sorted(PLACEHOLDER.findall(text))


def test_compiled_catalogue_is_read_by_gettext():
    with catalogues()["de"].with_suffix(".mo").open("rb") as file:
        german = gettext.GNUTranslations(file)
    assert german.gettext("Sign in") == "Anmelden"
    assert german.ngettext("%(count)s day", "%(count)s days", 1) == "%(count)s Tag"
    assert german.ngettext("%(count)s day", "%(count)s days", 3) == "%(count)s Tage"
    assert german.pgettext("js", "Saved") == "Gespeichert"


def test_texts_of_scripts_are_found_in_nested_templates():
    source = (
        r"say(t`Question ${at + 1}: ${ok ? t`fine` : `${t`not`} {yet}`}\n`); element(`t ${x}`);"
    )
    assert [text for text, _ in texts_of_script(source)] == ["Question {0}: {1}\n", "fine", "not"]
