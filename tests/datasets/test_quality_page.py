import csv
import io
import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from annotation.domain.corpus.item_context import context_of
from audit.models import StateChange
from consolidation.domain.gold.add_gold import add_gold
from consolidation.models import Gold
from datasets.domain.quality.decide_match import DecisionError, decide_match
from datasets.domain.quality.quality import quality_report
from datasets.models import Decision
from projects.enums import MemberRole
from schemes.qasrl.span_keys import key_of
from schemes.registry import get_scheme
from tests.consolidation.factories import SURVEY, source, span_of
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.view_names import VIEW_NAMES

pytestmark = pytest.mark.django_db
BASIN, GAS = (key_of(span_of(SURVEY, words)) for words in ("a basin", "natural gas"))


@pytest.fixture
def gold():
    gold = make_gold_item()
    content = source(
        SURVEY,
        ("Who identified something?", ["U.S. Geological Survey"]),
        ("Who did someone identify?", ["a basin"]),
        ("Why did someone identify something?", ["natural gas"]),
    )
    parsed = get_scheme("qasrl").content.parse_gold(
        {"questions": content["questions"]}, context_of(gold.item)
    )
    add_gold(item=gold.item, source="expert", content=parsed, provenance=[], now=NOW)
    return gold


@pytest.fixture
def expert(gold):
    return make_user("eva", gold.item.project, MemberRole.EXPERT)


@pytest.fixture
def judge(expert):
    client = Client()
    client.force_login(expert)
    return client


def url(gold, name="quality", *arguments):
    return reverse(VIEW_NAMES[name], args=[gold.item.project.slug, *arguments])


def button(kind: str, reference: str = "", predicted: str = "") -> str:
    """Return the value of a button on the page of an item."""
    return json.dumps([kind, reference, predicted])


def post(judge, gold, **data):
    sources = {"source": "consolidated", "against": "expert"}
    return judge.post(url(gold, "decide_match", gold.item_id), sources | data)


def corrected(gold):
    report = quality_report(project=gold.item.project, source="consolidated", against="expert")
    return report.corrected.totals


def test_compared_items_are_downloaded(judge, gold):
    address = reverse("datasets:quality", args=[gold.item.project.slug])
    response = judge.get(address, {"format": "csv"})
    heading, row = csv.reader(io.StringIO(response.getvalue().decode()))
    page = judge.get(address)
    assert "1 item" in page.content.decode()
    [row_shown] = page.context["listing"].shown
    assert heading == [column.heading for column, _ in row_shown.cells]
    assert row[1:] == [str(cell) for _, cell in row_shown.cells[1:]]


def test_page_shows_both_directions_without_worker_ids(judge, gold):
    page = judge.get(url(gold)).content.decode()
    assert page.count("manually corrected") == 1
    assert "66.7 %" in page  # two of the expert's three answers match
    assert gold.submission.worker.pseudonym not in page


def test_files_have_the_rows_of_the_table(judge, gold):
    response = judge.get(url(gold, "quality_file", "csv"))
    rows = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert [(row["reference"], row["predicted"], row["matching"]) for row in rows] == [
        ("expert", "consolidated", "automatic"),
        ("expert", "consolidated", "corrected"),
        ("consolidated", "expert", "automatic"),
    ]
    facts = judge.get(url(gold, "quality_file", "json")).json()
    assert facts["rows"][0]["UA"]["tp"] == int(rows[0]["ua_tp"]) == 2


@pytest.mark.parametrize(
    "query", ["", "?source=imported", "?source=x&against=<b>", "?page=after~z"]
)
def test_unknown_query_values_show_a_page(judge, gold, query):
    assert judge.get(url(gold) + query).status_code == 200


def test_sources_without_shared_items_explain_what_to_do(judge, gold):
    page = judge.get(url(gold) + "?source=imported").content.decode()
    assert "Nothing to compare" in page
    assert judge.get(url(gold, "quality_file", "csv") + "?source=imported").status_code == 404


def test_decision_changes_the_corrected_figures_and_can_be_undone(judge, expert, gold):
    assert (corrected(gold)["UA"]["tp"], corrected(gold)["LA"]["tp"]) == (2, 1)
    decision = button("label-accepted", BASIN, BASIN)
    response = post(judge, gold, decision=decision, reason="Who may be a thing.")
    assert response.status_code == 302
    assert corrected(gold)["LA"]["tp"] == 2
    decision = Decision.objects.get()
    assert (decision.predicted, decision.decided_by) == (gold, expert)
    page = judge.get(response.url).content.decode()
    assert "Who may be a thing." in page
    post(judge, gold, undo=decision.pk)
    assert corrected(gold)["LA"]["tp"] == 1
    log = StateChange.objects.filter(aggregate="datasets.Decision").order_by("pk")
    assert [(entry.old, entry.new) for entry in log] == [
        ("", "label-accepted"),
        ("label-accepted", "undone"),
    ]


def test_missed_answer_can_be_paired_with_an_equivalent_answer(judge, gold):
    date = key_of(span_of(SURVEY, "1996"))
    decision = button("pair-accepted", GAS)
    response = post(judge, gold, decision=decision, **{f"with-{GAS}": date})
    assert response.status_code == 302
    assert (corrected(gold)["UA"]["tp"], corrected(gold)["UA"]["fn"]) == (3, 0)


def test_extra_answer_can_be_accepted_alone(judge, gold):
    date = key_of(span_of(SURVEY, "1996"))
    page = judge.get(url(gold, "quality_item", gold.item_id)).content.decode()
    decision = button("answer-accepted", "", date)
    assert escape(decision) in page
    assert post(judge, gold, decision=decision).status_code == 302
    total = corrected(gold)["UA"]
    assert (total["tp"], total["fp"], total["fn"]) == (3, 1, 1)
    page = judge.get(url(gold, "quality_item", gold.item_id)).content.decode()
    assert "“1996”: correct, although the expert didn&#x27;t mark it" in " ".join(page.split())


def test_latest_decision_on_a_pair_counts(judge, gold):
    post(judge, gold, decision=button("pair-refused", BASIN, BASIN))
    assert corrected(gold)["UA"]["tp"] == 1
    post(judge, gold, decision=button("pair-accepted", BASIN, BASIN))
    assert corrected(gold)["UA"]["tp"] == 2


@pytest.mark.parametrize(
    "decision",
    [
        "",
        "pair-accepted",
        "[1, 2, 3]",
        '["pair-accepted"]',
        button("pair-accepted", "0-1", "0-1"),
        button("hurrah", BASIN, BASIN),
        button("pair-accepted", GAS),
        button("pair-accepted", "x", "y"),
        button("pair-accepted", GAS, GAS),
    ],
)
def test_decision_about_an_unknown_answer_is_refused(judge, gold, decision):
    response = post(judge, gold, decision=decision)
    assert response.status_code == 422
    assert b'role="alert"' in response.content
    assert not Decision.objects.exists()


def test_requester_cannot_decide(gold):
    client = Client()
    client.force_login(make_user("rita", gold.item.project, MemberRole.REQUESTER))
    page = client.get(url(gold, "quality_item", gold.item_id))
    assert page.status_code == 200
    assert b"Not the same answer" not in page.content
    assert post(client, gold, decision=button("pair-refused", "0-1", "0-1")).status_code == 403


def test_decision_of_another_item_cannot_be_undone(judge, expert, gold):
    other = make_gold_item()
    add_gold(item=other.item, source="expert", content=other.content, provenance=[], now=NOW)
    foreign = decide_match(
        reference=Gold.objects.get(item=other.item, source="expert"),
        predicted=other,
        kind="pair-refused",
        reference_key=BASIN,
        predicted_key=BASIN,
        by=expert,
        now=NOW,
    )
    assert post(judge, gold, undo=foreign.pk).status_code == 404
    assert Decision.objects.filter(pk=foreign.pk).exists()


def test_gold_of_two_items_cannot_be_compared(expert, gold):
    other = make_gold_item()
    with pytest.raises(DecisionError):
        decide_match(
            reference=other, predicted=gold, kind="pair-refused", reference_key=BASIN,
            predicted_key=BASIN, by=expert, now=NOW,
        )  # fmt: skip
