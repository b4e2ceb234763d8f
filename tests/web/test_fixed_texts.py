"""Templates remember fixed texts in each language, and no others."""

import pytest
from django.template import Context, Template
from django.utils import translation

from web.templatetags.fixed_texts import FixedTextNode


def render(text: str, **values: object) -> dict[str, str]:
    """Return what a template renders in English, in German, and in English again."""
    template = Template("{% load i18n %}" + text)
    rendered = {}
    for language in ("en", "de", "en"):
        with translation.override(language):
            shown = template.render(Context(values))
        assert rendered.setdefault(language, shown) == shown
    return rendered


def test_fixed_text_is_in_the_language_of_each_request():
    assert render('{% translate "Tasks" %}') == {"en": "Tasks", "de": "Aufgaben"}
    [_, node] = Template('{% load i18n %}{% translate "Tasks" %}').nodelist
    assert isinstance(node, FixedTextNode)


@pytest.mark.parametrize(
    "text",
    [
        "{% translate name %}",
        '{% translate "Tasks"|upper %}',
        '{% translate "Tasks" as name %}{{ name }}',
        '{% translate "Tasks" context "a list" %}',
        "{% trans name %}",
        "{% blocktranslate %}{{ name }} is here{% endblocktranslate %}",
    ],
)
def test_other_texts_are_rendered_by_django(text):
    assert not any(isinstance(node, FixedTextNode) for node in Template(text_of(text)).nodelist)
    first, second = render(text, name="Tasks"), render(text, name="Continue")
    assert first["en"] == second["en"].replace("Continue", "Tasks")


def text_of(text: str) -> str:
    return "{% load i18n %}" + text


def test_markup_of_a_fixed_text_is_as_django_renders_it():
    text = '{% translate "a < b" %}{% autoescape off %}{% translate "a < b" %}{% endautoescape %}'
    assert render(text)["en"] == "a < ba < b"
