"""What a worker's page tells its script arrives as it was, and can't end the script's element."""

import json
from decimal import Decimal

import pytest
from django.utils.translation import gettext_lazy

from annotation.page_script import page_scripts

FRAMES = {
    "shared": ('<script id="shared" type="application/json">', "</script>"),
    "script": ('<script id="page" type="application/json">', "</script>"),
}
HALF = "\ud83d"  # of an emoji


def told(page) -> str:
    scripts = page_scripts({**page, "shared": page})
    within = {}
    for name, (begin, end) in FRAMES.items():
        assert scripts[name].startswith(begin)
        assert scripts[name].endswith(end)
        within[name] = scripts[name][len(begin) : -len(end)]
    assert within["shared"] == within["script"]
    return within["script"]


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
