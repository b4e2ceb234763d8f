import re
from html import unescape

import pytest
from django.urls import reverse

from web.fields import sentence_case

OPTION = re.compile(r"<option[^>]*>([^<]+)")
# Selects with the names of formats and domains.
NAMES = re.compile(r'<select name="(fmt|domain)".*?</select>', re.DOTALL)


def test_only_the_first_letter_of_a_label_changes():
    choices = [("live", "live at MTurk"), ("hit", "HIT"), ("", "")]
    assert sentence_case(choices) == [("live", "Live at MTurk"), ("hit", "HIT"), ("", "")]


@pytest.mark.parametrize(
    "page",
    [
        "consolidation:batches",
        "consolidation:items",
        "consolidation:gold_import",
        "consolidation:submissions",
        "dashboard:log",
        "datasets:costs",
        "datasets:error_samples",
        "datasets:exports",
        "datasets:gold",
        "datasets:ledger",
        "datasets:quality",
        "annotation:publish",
        "annotation:corpus",
    ],
)
def test_options_are_in_sentence_case(office, campaign, page):
    html = office.get(reverse(page, args=["demo"])).content.decode()
    options = {unescape(label).strip() for label in OPTION.findall(NAMES.sub("", html))}
    assert [label for label in options if label[:1].islower()] == []
