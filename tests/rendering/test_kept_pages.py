"""Pages that are rendered once: the same as Django's, whatever their values say."""

import gzip

import pytest
from django.contrib import messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpResponse
from django.template import engines
from django.template.loader import render_to_string
from django.test import RequestFactory

from rendering import kept_pages
from rendering.kept_pages import ChangedValue, render_compressed, render_kept

TEMPLATE = """{% load kept_addresses %}<title>100 % {{ title }}</title>
{% if messages %}{% for one in messages %}<p>{{ one }}</p>{% endfor %}{% endif %}
{% if strict %}<a href="{% url 'marketplace:work' code %}" title="{{ title }}">{{ note }}</a>{% endif %}
<form>{% csrf_token %}</form>{% if is_demo %}demo{% endif %}"""
AWKWARD = ["plain", "<b>&amp; \"'</b>", "%(title)s %s %", "{{ title }}", "KEPT", "Zoë 🎉", ""]


@pytest.fixture(autouse=True)
def rendered(monkeypatch, settings, tmp_path) -> list[str]:
    """The templates rendered so far; one is page.html, of this test alone."""
    (tmp_path / "page.html").write_text(TEMPLATE)
    changed = {**settings.TEMPLATES[0], "DIRS": [tmp_path]}
    settings.TEMPLATES = [changed]
    seen: list[str] = []

    def watched(template, context=None):
        seen.append(template)
        return render_to_string(template, context)

    monkeypatch.setattr(kept_pages, "render_to_string", watched)
    kept_pages._kept_form.cache_clear()
    yield seen
    kept_pages._kept_form.cache_clear()


def asked(**headers: str):
    request = RequestFactory().get("/", headers=headers)
    request._messages = CookieStorage(request)
    return request


def values(text: str = "plain") -> dict[str, str]:
    return {"title": text, "note": text, "code": "3A", "csrf_token": "abc"}


@pytest.mark.parametrize("text", AWKWARD)
def test_page_is_the_one_that_django_renders(text):
    expected = engines["django"].get_template("page.html").render({**values(text), "strict": True})
    for _ in range(2):
        assert render_kept(asked(), "page.html", values(text), strict=True).text == expected
        compressed = render_compressed(asked(), "page.html", values(text), strict=True)
        assert compressed.text == expected


def test_page_is_rendered_once_for_all_values(rendered):
    texts = {render_kept(asked(), "page.html", values(one), strict=True).text for one in AWKWARD}
    assert len(texts) == len(AWKWARD)
    assert rendered == ["page.html"]


def test_page_is_rendered_anew_where_what_is_fixed_differs(rendered):
    short = {"title": "a", "csrf_token": "abc"}
    loose = render_kept(asked(), "page.html", short, strict=False).text
    strict = render_kept(asked(), "page.html", values(), strict=True).text
    demo = render_kept(asked(), "page.html", short, strict=False, is_demo=True).text
    assert ("<a " in loose, "<a " in strict) == (False, True)
    assert demo == f"{loose}demo"
    assert len(rendered) == 3


def test_waiting_messages_are_shown_once_and_kept_out_of_other_pages():
    quiet = render_kept(asked(), "page.html", values(), strict=True).text
    request = asked()
    messages.error(request, "Nothing is <left>.")
    told = render_kept(request, "page.html", values(), strict=True, status=409)
    assert "<p>Nothing is &lt;left&gt;.</p>" in told.text
    assert told.status_code == 409
    assert request._messages.used
    assert render_kept(asked(), "page.html", values(), strict=True).text == quiet


def test_value_that_the_template_changes_is_refused(tmp_path):
    (tmp_path / "page.html").write_text("{{ title|lower }}{{ note }}")
    with pytest.raises(ChangedValue, match=r"page\.html does not show title as such"):
        render_kept(asked(), "page.html", {"title": "A", "note": "B"})


def test_templates_are_read_anew_while_they_change(rendered, settings):
    settings.DEBUG = True
    for _ in range(2):
        render_kept(asked(), "page.html", values(), strict=True)
    assert rendered == ["page.html"] * 2


def test_page_is_compressed_for_who_reads_that():
    def page(text: str, **headers: str) -> HttpResponse:
        return render_compressed(asked(**headers), "page.html", values(text), strict=True)

    for text in [*AWKWARD, "long " * 50_000]:
        plain = page(text)
        assert "Content-Encoding" not in plain.headers
        for accepted in ("gzip", "deflate, gzip;q=1.0, *;q=0.5"):
            compressed = page(text, accept_encoding=accepted)
            assert compressed.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(compressed.content) == plain.content
        assert plain.headers["Vary"] == compressed.headers["Vary"] == "Accept-Encoding"
        assert "Content-Encoding" not in page(text, accept_encoding="br").headers
