"""Published files import as before: the same items and figures, and no false alarm."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from tests.borders.site import gold, items, sentences
from tests.environment import ROOT

DATA = ROOT.parent / "shared" / "data"
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="the published files are not here"),
]
QASRL = DATA / "qasrl-gs"
SENTENCES, GOLD = QASRL / "wikinews.dev.full.csv", QASRL / "wikinews.dev.gold.csv"
EXPERT = QASRL / "wikinews.dev.large_sample.ground_truth.csv"


def test_published_gold_is_imported_without_a_refusal(desk):
    corpus = desk.corpus("qasrl", "qasrl-csv", SENTENCES, items=[GOLD])
    assert (corpus.code, corpus.facts["error_count"]) == (0, 0)
    assert (len(sentences()), len(items())) == (917, 1264)
    outcome = desk.gold("qasrl", "qasrl-csv", GOLD, source="imported")
    assert (outcome.code, outcome.errors) == (0, "")
    assert outcome.facts == {
        "added": 1264,
        "known": 0,
        "blank": 0,
        "error_count": 0,
        "items_left_out": 0,
        "notes": {},
    }
    questions = [question for content in gold().values() for question in content["questions"]]
    assert len(questions) == 3713
    assert sum(len(question["answers"]) for question in questions) == 4315


def test_the_only_contradiction_of_the_expert_sample_is_refused(desk):
    desk.corpus("qasrl", "qasrl-csv", SENTENCES, items=[GOLD])
    outcome = desk.gold("qasrl", "qasrl-csv", EXPERT)
    assert (outcome.facts["added"], outcome.facts["error_count"]) == (48, 1)
    assert f"{EXPERT.name}, line 13: answer: 17:26 is “World Championship" in outcome.errors
    assert "not “behind World Championship" in outcome.errors


def test_evaluation_scores_the_positions_and_lists_the_contradiction():
    out = StringIO()
    words = [str(path) for path in (EXPERT, GOLD)]
    call_command("evaluate", "qasrl", *words, sentences=SENTENCES, json=True, stdout=out)
    figures = json.loads(out.getvalue())
    assert [figures["UA"][name] for name in ("tp", "fp", "fn")] == [155, 12, 22]
    assert [figures["LA"][name] for name in ("tp", "fp", "fn")] == [134, 33, 43]
    (message,) = figures["contradictions"]
    assert message.startswith(f"{EXPERT.name}, line 13: answer: 17:26")


@pytest.mark.parametrize(
    ("scheme", "name", "counts"),
    [
        ("qasrl", "en_ewt-ud-dev", (2001, 2707)),
        ("frames", "en_ewt-ud-dev", (2001, 2707)),
        ("qasrl", "ar_pud-ud-test", (1000, 1750)),
    ],
)
def test_treebank_is_imported_whole(desk, scheme, name, counts):
    outcome = desk.corpus(scheme, "conllu", DATA / "ud" / f"{name}.conllu")
    assert (outcome.facts["sentences_added"], outcome.facts["items_added"]) == counts
    assert (outcome.facts["error_count"], outcome.facts["warning_count"]) == (0, 0)
