"""Addresses that are looked up once: the same as Django's, and no more than once."""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template import Context, Template
from django.template.exceptions import TemplateSyntaxError
from django.urls import NoReverseMatch, reverse

FILE = "css/base.css"


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """The names of files that the storage was asked for."""
    names: list[str] = []

    def url(name: str, force: bool = False) -> str:
        names.append(name)
        return f"/static/{name}?a&b"

    monkeypatch.setattr(staticfiles_storage, "url", url)
    return names


def kept(text: str) -> Template:
    return Template("{% load kept_addresses %}" + text)


def test_fixed_file_is_looked_up_once_and_escaped(asked):
    page = kept(f"{{% static '{FILE}' %}}")
    assert [page.render(Context()) for _ in range(3)] == [f"/static/{FILE}?a&amp;b"] * 3
    assert asked == [FILE]


def test_file_named_by_a_variable_is_looked_up_each_time(asked):
    page = kept("{% static name %}")
    for name in ("one.css", "two.css"):
        assert page.render(Context({"name": name})) == f"/static/{name}?a&amp;b"
    assert (
        kept(f"{{% static '{FILE}' as there %}}{{{{ there }}}}").render(Context()).startswith("/")
    )


def test_files_are_looked_up_anew_while_they_change(asked, settings):
    settings.DEBUG = True
    page = kept(f"{{% static '{FILE}' %}}")
    page.render(Context())
    page.render(Context())
    assert asked == [FILE, FILE]


def test_pages_are_those_of_django():
    fixed, other = "{% url 'marketplace:groups' %}", "{% url 'marketplace:work' code %}"
    for code in ("3A", "3B"):
        page = kept(fixed + other).render(Context({"code": code}))
        assert page == reverse("marketplace:groups") + reverse("marketplace:work", args=[code])


def test_fixed_page_is_looked_up_once(monkeypatch):
    page = kept("{% url 'marketplace:groups' %}")
    first = page.render(Context())
    monkeypatch.setattr("django.urls.reverse", lambda *_, **__: pytest.fail("asked again"))
    assert page.render(Context()) == first


def test_wrong_names_are_refused_as_ever():
    with pytest.raises(NoReverseMatch):
        kept("{% url 'marketplace:nowhere' %}").render(Context())
    with pytest.raises(TemplateSyntaxError):
        kept("{% static %}")
