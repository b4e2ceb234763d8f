"""The equivalence of labels, learned from decisions."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.corpus.item_context import context_of
from consolidation.domain.gold.add_gold import add_gold
from datasets.domain.quality.equivalence import (
    TooFewDecisionsError,
    equivalence_rows,
    learned_total,
    model_of,
    train_equivalence,
)
from datasets.domain.quality.quality import quality_report
from datasets.models import Decision, EquivalenceModel
from projects.command import InputError
from projects.enums import MemberRole
from schemes.qasrl import equivalence
from schemes.qasrl.span_keys import key_of
from schemes.registry import get_scheme
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_item,
    make_project,
    source,
    span_of,
)
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

# The same role in other words, the same question, and another role
PASSIVE = ("What did someone identify?", "What was identified?")
SAME = ("When did someone identify something?", "When did someone identify something?")
OTHER = ("Who identified something?", "Why did someone identify something?")
ANSWERS = ("a basin", "1996", "the U.S. Geological Survey")
ITEMS = 8
SOURCES = {"source": "imported", "against": "expert"}
COMMAND = ("label_equivalence", "--source", "imported")


def gold_of(item, questions):
    rows = [(text, [words]) for text, words in zip(questions, ANSWERS, strict=True)]
    return get_scheme("qasrl").content.parse_gold(
        {"questions": source(SURVEY, *rows)["questions"]}, context_of(item)
    )


@pytest.fixture
def expert(project):
    return make_user("eva", project, MemberRole.EXPERT)


@pytest.fixture
def project():
    """Create items whose gold asks in the passive what the expert asks in the active."""
    project = make_project()
    pairs = (PASSIVE, SAME, OTHER)
    for _ in range(ITEMS):
        item = make_item(SURVEY, IDENTIFIED, project)
        for name, side in (("expert", 0), ("imported", 1)):
            content = gold_of(item, [pair[side] for pair in pairs])
            add_gold(item=item, source=name, content=content, provenance=[{}] * 3, now=NOW)
    return project


@pytest.fixture
def decided(project, expert):
    """Accept the passive question of every item."""
    key = key_of(span_of(SURVEY, "a basin"))
    for item in project.items.all():
        Decision.objects.create(
            reference=item.gold.get(source="expert"),
            predicted=item.gold.get(source="imported"),
            kind="label-accepted",
            reference_key=key,
            predicted_key=key,
            decided_by=expert,
            decided_at=NOW,
        )
    return project


def train(project):
    return train_equivalence(
        project=project, source="imported", against="expert", by="eva", now=NOW
    )


def test_features_of_pairs():
    contents = [
        {"questions": [{"question": text, "answers": [[0, 3]], "slots": None}]} for text in SAME
    ]
    [pair] = equivalence.pairs(*contents)
    assert (pair.is_same, pair.alternatives) == (True, {"roles": True})
    assert len(pair.features) == len(equivalence.features)
    features = dict(zip(equivalence.features, pair.features, strict=True))
    assert features["same text"] == 1
    assert features["same answers"] == 1


def test_passive_question_is_the_same_role_but_no_strict_match(project):
    item = project.items.first()
    contents = (item.gold.get(source=name).content for name in ("expert", "imported"))
    pairs = {pair.reference: pair for pair in equivalence.pairs(*contents)}
    basin, year, survey = (pairs[key_of(span_of(SURVEY, words))] for words in ANSWERS)
    assert [pair.is_same for pair in (basin, year, survey)] == [False, True, False]
    assert [pair.alternatives["roles"] for pair in (basin, year, survey)] == [True, True, False]
    features = dict(zip(equivalence.features, basin.features, strict=True))
    assert (features["strict match"], features["same role"], features["same is_passive"]) == (
        0,
        1,
        0,
    )


def test_learned_rule_is_between_the_automatic_one_and_people(decided):
    model = train(decided)
    assert (model.version, model.pairs, model.items) == (1, 3 * ITEMS, ITEMS)
    assert model.weights["features"] == list(equivalence.features)
    totals = {row["key"]: row["total"] for row in model.figures}
    assert list(totals) == ["automatic", "roles", "learned", "manual"]
    assert {key: total["tp"] for key, total in totals.items()} == {
        "automatic": ITEMS,
        "roles": 2 * ITEMS,
        "learned": 2 * ITEMS,
        "manual": 2 * ITEMS,
    }
    assert totals["learned"]["f1"] == totals["manual"]["f1"] == pytest.approx(2 / 3)


def test_stored_weights_apply_to_items_without_decisions(decided):
    item = make_item(SURVEY, IDENTIFIED, decided)
    for name, side in (("expert", 0), ("imported", 1)):
        content = gold_of(item, [pair[side] for pair in (PASSIVE, SAME, OTHER)])
        add_gold(item=item, source=name, content=content, provenance=[{}] * 3, now=NOW)
    model = train(decided)
    items, total = learned_total(model=EquivalenceModel.objects.get(pk=model.pk))
    assert items == ITEMS + 1
    assert (total["tp"], total["fn"]) == (2 * (ITEMS + 1), ITEMS + 1)
    assert len(model_of(model).weights) == len(equivalence.features)


def test_every_training_is_a_new_version_and_changes_no_figure(decided):
    def report():
        found = quality_report(project=decided, source="imported", against="expert")
        return [scores.totals for _, _, scores in found.rows()]

    before = report()
    assert [train(decided).version, train(decided).version] == [1, 2]
    assert report() == before


def test_a_refused_pair_is_not_learned_from(decided, expert):
    item = decided.items.first()
    key = key_of(span_of(SURVEY, "1996"))
    Decision.objects.create(
        reference=item.gold.get(source="expert"),
        predicted=item.gold.get(source="imported"),
        kind="pair-refused",
        reference_key=key,
        predicted_key=key,
        decided_by=expert,
        decided_at=NOW,
    )
    assert train(decided).pairs == 3 * ITEMS - 1


def test_without_decisions_nothing_is_learned(project):
    with pytest.raises(TooFewDecisionsError, match="labels of 0 items with 0 pairs"):
        train(project)


def test_file_of_equivalences_adds_to_the_automatic_rule(decided):
    listed = frozenset({frozenset(text.casefold() for text in PASSIVE)})
    rows = equivalence_rows(
        project=decided, source="imported", against="expert", equivalences=listed
    )
    totals = {row.key: row.total["tp"] for row in rows}
    assert totals["file"] == 2 * ITEMS
    assert totals["automatic"] == ITEMS


def test_without_decisions_the_other_rules_are_compared_on_all_items(project):
    rows = equivalence_rows(project=project, **SOURCES)
    assert [(row.key, row.items, row.total["tp"]) for row in rows] == [
        ("automatic", ITEMS, ITEMS),
        ("roles", ITEMS, 2 * ITEMS),
    ]


def test_command_prints_all_rules(decided, capsys, tmp_path):
    path = tmp_path / "same.csv"
    path.write_text("first,second\n{},{}\n".format(*PASSIVE), "utf-8")
    call_command(*COMMAND, decided.slug, "--train", equivalences=path)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        "Rule",
        "STRICT-MATCH",
        "Roles of He et al. 2015",
        "STRICT-MATCH and the file of equivalences",
        "Learned, cross-validated",
        "Manual decisions",
        "Version 1 on all items",
    ]
    call_command(*COMMAND, decided.slug, "--train", "--json")
    facts = json.loads(capsys.readouterr().out)
    assert facts["version"] == 2
    assert facts["learned"]["tp"] == 2 * ITEMS


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\n", "the columns first and second are missing"), ("first,second\nx,\n", "line 2")],
)
def test_wrong_files_are_refused(decided, tmp_path, text, message):
    path = tmp_path / "same.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        call_command(*COMMAND, decided.slug, equivalences=path)


def test_schemes_without_labels_are_refused():
    project = make_project()
    project.scheme = "grounding"
    project.save()
    with pytest.raises(CommandError, match="compares no labels"):
        call_command(*COMMAND, project.slug)


def test_page_learns_and_shows_the_third_figure(decided, expert):
    client = Client()
    client.force_login(expert)
    page = client.get(reverse("datasets:quality", args=[decided.slug]), SOURCES).content.decode()
    assert "Learn from decisions" in page
    response = client.post(
        reverse("datasets:learn_equivalence", args=[decided.slug]),
        SOURCES,
        follow=True,
    )
    page = response.content.decode()
    assert "Version 1 was learned from 24 pairs." in page
    assert "Learned, cross-validated" in page


def test_page_names_what_is_missing(project, expert):
    client = Client()
    client.force_login(expert)
    address = reverse("datasets:learn_equivalence", args=[project.slug])
    assert "At least 5 items" in client.post(address, SOURCES, follow=True).content.decode()
    assert client.post(address, {"source": "nobody"}).status_code == 404
