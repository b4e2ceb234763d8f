"""What a worker's page tells its script arrives as it was, and can't end the script's element."""

import json
from decimal import Decimal

import pytest
from django.template import engines
from django.utils.translation import gettext_lazy

PAGE = engines["django"].from_string('{% load page_data %}{{ page|page_script:"page" }}')
FRAME = ('<script id="page" type="application/json">', "</script>")
HALF = "\ud83d"  # of an emoji


def told(page) -> str:
    text = PAGE.render({"page": page})
    assert text.startswith(FRAME[0])
    assert text.endswith(FRAME[1])
    return text[len(FRAME[0]) : -len(FRAME[1])]


@pytest.mark.parametrize("last", ["🎉", HALF])
def test_tells_what_it_was_given(last):
    page = {
        "tokens": ["Zoë", "said", '"', "\\", "\n", "\u2028", "\x00", last],
        "none": None,
        "sure": True,
        "pay": {"cents": 2.5, "7": []},
    }
    assert json.loads(told(page)) == page


def test_text_stays_within_the_element():
    words = ["</script><script>alert(1)</script>", "<!--", "&lt;", "]]>"]
    text = told({"tokens": words})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"tokens": words}


def test_other_values_are_told_as_text():
    assert json.loads(told({"title": gettext_lazy("Later"), "at": Decimal("1.50")})) == {
        "title": "Later",
        "at": "1.50",
    }
