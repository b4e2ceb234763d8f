"""Comparison of gold with an expert's gold in both directions, with and without decisions."""

import json
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.corpus.item_context import context_of
from consolidation.domain.gold.add_gold import add_gold
from datasets.domain.quality.quality import quality_report
from datasets.models import Decision, StoredComparison
from projects.enums import MemberRole
from schemes.qasrl.span_keys import key_of
from schemes.registry import get_scheme
from tests.consolidation.factories import SURVEY, source, span_of
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def gold():
    """Create consolidated gold and an expert's gold.

    The consolidated gold has USGS in two answers, the basin and 1996. The expert's gold has the whole
    name as one answer, the basin under another role, no date, and the gas.
    """
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
    add_gold(item=gold.item, source="expert", content=parsed, provenance=[{}] * 3, now=NOW)
    return gold


def report(gold):
    return quality_report(project=gold.item.project, source="consolidated", against="expert")


def counts(total: dict) -> tuple[int, int, int]:
    return total["tp"], total["fp"], total["fn"]


def test_report_has_both_directions_and_yields(gold):
    quality = report(gold)
    automatic, backward = quality.automatic.totals, quality.backward.totals
    # The survey and the basin match. USGS and 1996 are extra, and the gas is missed.
    assert counts(automatic["UA"]) == (2, 2, 1)
    assert counts(automatic["LA"]) == (1, 3, 2)
    assert counts(backward["UA"]) == (2, 1, 2)
    assert quality.yields["consolidated"].as_json()["arguments_per_item"] == 4
    assert quality.yields["expert"].as_json()["roles_per_item"] == 3


def test_decisions_correct_the_automatic_match(gold):
    expert = get_user_model().objects.create_user("eva", password="a long enough password")
    reference = gold.item.gold.get(source="expert")
    basin = key_of(span_of(SURVEY, "a basin"))
    for kind in ("label-refused", "label-accepted"):  # the latest decision counts
        Decision.objects.create(
            reference=reference, submission=gold.submission, kind=kind, reference_key=basin,
            predicted_key=basin, decided_by=expert, decided_at=NOW,
        )  # fmt: skip
    quality = report(gold)
    assert counts(quality.automatic.totals["LA"]) == (1, 3, 2)
    assert counts(quality.corrected.totals["LA"]) == (2, 2, 1)
    assert counts(quality.corrected.totals["UA"]) == (2, 2, 1)


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
    assert json.loads(out.getvalue()) == {
        "source": "consolidated",
        "against": "expert",
        "yields": {
            "consolidated": {
                "items": 1, "roles": 3, "arguments": 4, "roles_per_item": 3, "arguments_per_item": 4,
            },
            "expert": {
                "items": 1, "roles": 3, "arguments": 3, "roles_per_item": 3, "arguments_per_item": 3,
            },
        },
        "rows": [
            {
                "reference": "expert", "matching": matching, "items": 1,
                "UA": {
                    "tp": 2, "fp": 2, "fn": 1, "precision": 0.5, "recall": 2 / 3, "f1": 4 / 7,
                },
                "LA": {
                    "tp": 1, "fp": 3, "fn": 2, "precision": 0.25, "recall": 1 / 3, "f1": 2 / 7,
                },
            }
            for matching in ("automatic", "corrected")
        ]
        + [
            {
                "reference": "consolidated", "matching": "automatic", "items": 1,
                "UA": {
                    "tp": 2, "fp": 1, "fn": 2, "precision": 2 / 3, "recall": 0.5, "f1": 4 / 7,
                },
                "LA": {
                    "tp": 1, "fp": 2, "fn": 3, "precision": 1 / 3, "recall": 0.25, "f1": 2 / 7,
                },
            }
        ],
    }  # fmt: skip


def test_sources_without_a_shared_item_are_refused():
    gold = make_gold_item()
    with pytest.raises(CommandError, match="Upload the annotations of an expert") as excinfo:
        call_command("quality", gold.item.project.slug)
    assert excinfo.value.returncode == 2


@pytest.fixture
def propbank(tmp_path):
    """Write a CoNLL-2009 file of the survey's sentence, in which `identified` has A1 on the basin."""
    rows = []
    for at, token in enumerate(SURVEY):
        is_verb = token == "identified"
        label = "A1" if token == "basin" and SURVEY[at - 1] == "a" else "_"
        head = SURVEY.index("basin") + 1 if token == "a" else 0
        facts = {1: token, 4: "VBD" if is_verb else "NN", 8: head, 12: "Y" if is_verb else "_"}
        facts |= {0: at + 1, 13: "identify.01" if is_verb else "_", 14: label}
        rows.append("\t".join(str(facts.get(column, "_")) for column in range(15)))
    path = tmp_path / "survey.conll"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def test_gold_is_compared_with_propbank(gold, propbank):
    out = StringIO()
    call_command(
        "quality", gold.item.project.slug, "--propbank", str(propbank), "--json", stdout=out
    )
    facts = json.loads(out.getvalue())
    assert facts["predicates"] == 1
    assert facts["core"]["recall"] == 1
    assert facts["core"]["precision"] == pytest.approx(1 / 3)


def test_external_option_names_the_kind_of_file(gold, propbank):
    outputs = []
    for words in (["--propbank"], ["--external", "propbank"]):
        out = StringIO()
        call_command("quality", gold.item.project.slug, *words, str(propbank), stdout=out)
        outputs.append(out.getvalue())
    assert outputs[0] == outputs[1]
    with pytest.raises(CommandError, match="can't be compared with 'framebank'") as excinfo:
        call_command("quality", gold.item.project.slug, "--external", "framebank", str(propbank))
    assert excinfo.value.returncode == 2


def test_page_shows_the_latest_comparison_with_propbank(gold, propbank):
    project = gold.item.project
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    url = reverse("datasets:quality", args=[project.slug])
    assert "PropBank" not in client.get(url).content.decode()
    for _ in range(2):
        call_command("quality", project.slug, "--propbank", str(propbank), stdout=StringIO())
    assert StoredComparison.objects.get(kind="propbank").figures["core"]["recall"] == 1
    page = " ".join(client.get(url).content.decode().split())
    assert "1 predicate that both annotate" in page
    core = (
        '<th scope="row">core</th> <td class="number">33.3 %</td> <td class="number">100.0 %</td>'
    )
    assert core in page
    assert "From survey.conll" in page
    assert "PropBank" not in client.get(f"{url}?source=expert").content.decode()


def test_propbank_of_other_sentences_is_refused(gold, propbank):
    propbank.write_text(propbank.read_text("utf-8").replace("basin", "lake"), "utf-8")
    with pytest.raises(CommandError, match="equal tokens") as excinfo:
        call_command("quality", gold.item.project.slug, "--propbank", str(propbank))
    assert excinfo.value.returncode == 2
