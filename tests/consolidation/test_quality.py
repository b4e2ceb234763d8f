"""Gold against an expert's, both ways, with and without a person's corrections."""

import json
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from consolidation.domain.quality import quality_report
from consolidation.domain.record_gold import add_gold
from consolidation.models import Decision
from schemes.registry import get_scheme
from tests.consolidation.factories import SURVEY, source, span_of
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def gold():
    """Consolidated: USGS in two answers, the basin, 1996. The expert's: the whole name at once, the
    basin under another role, no date, and the gas."""
    gold = make_gold_item()
    content = source(
        SURVEY,
        ("Who identified something?", ["U.S. Geological Survey"]),
        ("Who did someone identify?", ["a basin"]),
        ("Why did someone identify something?", ["natural gas"]),
    )
    parsed = get_scheme("qasrl").parse_gold(
        {"questions": content["questions"]}, tokens=SURVEY, target=gold.item.target
    )
    add_gold(item=gold.item, source="expert", content=parsed, provenance=[{}] * 3, now=NOW)
    return gold


def report(gold):
    return quality_report(project=gold.item.project, source="consolidated", against="expert")


def test_both_directions_and_yields_are_reported(gold):
    found = report(gold)
    automatic = found.forward.automatic
    # The survey and the basin are found; USGS and 1996 are extra, the gas is missed.
    assert (automatic.ua.tp, automatic.ua.fp, automatic.ua.fn) == (2, 2, 1)
    assert (automatic.la.tp, automatic.la.fp, automatic.la.fn) == (1, 3, 2)
    assert (found.backward.ua.tp, found.backward.ua.fp, found.backward.ua.fn) == (2, 1, 2)
    assert found.yields["consolidated"].as_json()["arguments_per_item"] == 4
    assert found.yields["expert"].as_json()["roles_per_item"] == 3


def test_decisions_correct_the_automatic_match(gold):
    expert = get_user_model().objects.create_user("eva", password="a long enough password")
    reference = gold.item.gold.get(source="expert")
    basin = span_of(SURVEY, "a basin")
    for kind in ("label-refused", "label-accepted"):  # the last word counts
        Decision.objects.create(
            reference=reference, submission=gold.submission, kind=kind, reference_span=basin,
            predicted_span=basin, decided_by=expert, decided_at=NOW,
        )  # fmt: skip
    found = report(gold)
    assert found.forward.automatic.la.tp == 1
    assert (found.forward.corrected.la.tp, found.forward.corrected.ua.tp) == (2, 2)


def test_command_prints_the_table_and_json(gold):
    out = StringIO()
    call_command("quality", gold.item.project.slug, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].split()[:4] == ["Reference", "Matching", "UA", "P"]
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["expert", "automatic"],
        ["expert", "corrected"],
        ["consolidated", "automatic"],
    ]
    out = StringIO()
    call_command("quality", gold.item.project.slug, "--json", stdout=out)
    facts = json.loads(out.getvalue())
    assert facts["rows"][0]["UA"]["recall"] == pytest.approx(2 / 3)


def test_sources_without_a_shared_item_are_refused():
    gold = make_gold_item()
    with pytest.raises(CommandError, match="import a reference") as refused:
        call_command("quality", gold.item.project.slug)
    assert refused.value.returncode == 2
