import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import StateChange
from consolidation.domain.record_gold import add_gold
from consolidation.models import Gold
from datasets.domain.decide_match import DecisionError, decide_match
from datasets.domain.quality import quality_report
from datasets.models import Decision
from projects.enums import MemberRole
from schemes.registry import get_scheme
from tests.consolidation.factories import SURVEY, source, span_of
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.view_names import VIEW_NAMES

pytestmark = pytest.mark.django_db
BASIN, GAS = span_of(SURVEY, "a basin"), span_of(SURVEY, "natural gas")


@pytest.fixture
def gold():
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


def url(gold, name="quality", *more):
    return reverse(VIEW_NAMES[name], args=[gold.item.project.slug, *more])


def dashed(span) -> str:
    return f"{span[0]}-{span[1]}"


def post(judge, gold, **data):
    both = {"source": "consolidated", "against": "expert"}
    return judge.post(url(gold, "decide_match", gold.item_id), both | data)


def corrected(gold):
    report = quality_report(project=gold.item.project, source="consolidated", against="expert")
    return report.forward.corrected


def test_page_shows_both_directions_and_no_worker(judge, gold):
    page = judge.get(url(gold)).content.decode()
    assert page.count("corrected by hand") == 1
    assert "66.7 %" in page  # two of the expert's three answers are found
    assert gold.submission.worker.pseudonym not in page


def test_files_hold_the_lines_of_the_table(judge, gold):
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
def test_strange_question_is_answered_with_a_page(judge, gold, query):
    assert judge.get(url(gold) + query).status_code == 200


def test_sources_without_shared_items_say_what_to_do(judge, gold):
    page = judge.get(url(gold) + "?source=imported").content.decode()
    assert "Nothing to compare" in page
    assert judge.get(url(gold, "quality_file", "csv") + "?source=imported").status_code == 404


def test_word_of_an_expert_moves_the_corrected_figures_and_can_be_taken_back(judge, expert, gold):
    assert (corrected(gold).ua.tp, corrected(gold).la.tp) == (2, 1)
    pair = f"{dashed(BASIN)}|{dashed(BASIN)}"
    response = post(judge, gold, word=f"label-accepted|{pair}", reason="Who may be a thing.")
    assert response.status_code == 302
    assert corrected(gold).la.tp == 2
    decision = Decision.objects.get()
    assert (decision.predicted, decision.decided_by) == (gold, expert)
    page = judge.get(response.url).content.decode()
    assert "Who may be a thing." in page
    post(judge, gold, undo=decision.pk)
    assert corrected(gold).la.tp == 1
    log = StateChange.objects.filter(aggregate="datasets.Decision").order_by("pk")
    assert [(one.old, one.new) for one in log] == [
        ("", "label-accepted"),
        ("label-accepted", "undone"),
    ]


def test_missed_answer_is_paired_with_one_that_says_the_same(judge, gold):
    date = span_of(SURVEY, "1996")
    key = dashed(GAS)
    response = post(judge, gold, word=f"pair-accepted|{key}", **{f"with-{key}": dashed(date)})
    assert response.status_code == 302
    assert (corrected(gold).ua.tp, corrected(gold).ua.fn) == (3, 0)


def test_last_word_on_a_pair_counts(judge, gold):
    pair = f"{dashed(BASIN)}|{dashed(BASIN)}"
    post(judge, gold, word=f"pair-refused|{pair}")
    assert corrected(gold).ua.tp == 1
    post(judge, gold, word=f"pair-accepted|{pair}")
    assert corrected(gold).ua.tp == 2


@pytest.mark.parametrize(
    "word",
    [
        "",
        "pair-accepted",
        "pair-accepted|0-1|0-1",
        f"hurrah|{dashed(BASIN)}|{dashed(BASIN)}",
        f"pair-accepted|{dashed(GAS)}",
        "pair-accepted|x|y",
        f"pair-accepted|{dashed(GAS)}|{dashed(GAS)}",
    ],
)
def test_word_about_nothing_is_refused_and_not_kept(judge, gold, word):
    response = post(judge, gold, word=word)
    assert response.status_code == 422
    assert b'role="alert"' in response.content
    assert not Decision.objects.exists()


def test_requester_reads_and_does_not_decide(gold):
    client = Client()
    client.force_login(make_user("rita", gold.item.project, MemberRole.REQUESTER))
    page = client.get(url(gold, "quality_item", gold.item_id))
    assert page.status_code == 200
    assert b"Not the same answer" not in page.content
    assert post(client, gold, word="pair-refused|0-1|0-1").status_code == 403


def test_decision_of_another_item_can_not_be_taken_back(judge, expert, gold):
    other = make_gold_item()
    add_gold(item=other.item, source="expert", content=other.content, provenance=[], now=NOW)
    foreign = decide_match(
        reference=Gold.objects.get(item=other.item, source="expert"),
        predicted=other,
        kind="pair-refused",
        reference_span=BASIN,
        predicted_span=BASIN,
        by=expert,
        now=NOW,
    )
    assert post(judge, gold, undo=foreign.pk).status_code == 404
    assert Decision.objects.filter(pk=foreign.pk).exists()


def test_golds_of_two_items_are_no_pair(expert, gold):
    other = make_gold_item()
    with pytest.raises(DecisionError):
        decide_match(
            reference=other, predicted=gold, kind="pair-refused", reference_span=BASIN,
            predicted_span=BASIN, by=expert, now=NOW,
        )  # fmt: skip
