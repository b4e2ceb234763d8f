"""Exports of gold, which are deterministic and never leave partial files under a final name."""

import csv
import gzip
import hashlib
import json
import resource
from contextlib import contextmanager

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.utils import timezone

from consolidation.domain.add_gold import add_gold
from consolidation.domain.current_gold import current_gold
from consolidation.domain.import_gold import import_gold
from consolidation.models import Case, Gold
from datasets.domain.export_gold import ExportOptions, export_gold, formats_of
from datasets.domain.partitions import freeze_partitions
from schemes.registry import get_scheme
from tests.consolidation.factories import SURVEY, span_of
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW

FORMATS = ["qasrl-csv", "qasrl-bank", "qanom-csv", "jsonl"]
pytestmark = pytest.mark.django_db

STEM = "wikinews.dev.gold"
SLOTS = ("wh", "aux", "subj", "verb", "obj", "prep", "obj2")


@pytest.fixture
def project():
    return make_gold_project()


def export(project, folder, fmt="qasrl-csv", **options):
    return export_gold(project=project, options=ExportOptions(fmt=fmt, **options), folder=folder)


def csv_rows(folder) -> list[dict[str, str]]:
    with (folder / f"{STEM}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def bank_entries(folder) -> list[dict]:
    with gzip.open(folder / f"{STEM}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# --- the formats


def test_csv_has_the_gold_and_its_provenance(project, tmp_path):
    export(project, tmp_path)
    gold = Gold.objects.get()
    rows = csv_rows(tmp_path)
    assert [(row["question"], row["answer"]) for row in rows] == [
        ("Who identified something?", "the U.S. Geological Survey~!~USGS"),
        ("What did someone identify?", "a basin"),
        ("When did someone identify something?", "1996"),
    ]
    sources = [source.submission.assignment.external_id for source in gold.case.sources.all()]
    assert [row["source_assign_id"] for row in rows] == [sources[0], sources[0], sources[1]]
    assert {row["worker_id"] for row in rows} == {gold.submission.worker.pseudonym}


def test_bank_has_every_annotators_judgment(project, tmp_path):
    export(project, tmp_path, "qasrl-bank")
    gold = Gold.objects.get()
    first, second = (
        f"turk-{source.submission.worker.pseudonym}" for source in gold.case.sources.all()
    )
    merged = f"turk-{gold.submission.worker.pseudonym}-gold"
    [entry] = bank_entries(tmp_path)
    [verb] = entry["verbEntries"].values()
    labels = {
        text: (
            label["questionSources"],
            {judgment["sourceId"]: judgment.get("spans") for judgment in label["answerJudgments"]},
        )
        for text, label in verb["questionLabels"].items()
    }
    survey = span_of(SURVEY, "the U.S. Geological Survey")
    usgs, basin = span_of(SURVEY, "USGS"), span_of(SURVEY, "a basin")
    year, gas = span_of(SURVEY, "1996"), span_of(SURVEY, "natural gas")
    assert labels == {
        "Who identified something?": (
            sorted([first, second]),
            {
                merged: [survey, usgs],
                first: [span_of(SURVEY, "the U.S. Geological Survey ( USGS )")],
                second: [survey],
            },
        ),
        "What did someone identify?": ([first], {merged: [basin], first: [basin]}),
        "When did someone identify something?": ([second], {merged: [year], second: [year]}),
        "Why did someone identify something?": ([first], {merged: None, first: [gas]}),
        "What was identified?": ([second], {second: [basin]}),
    }


def check_bank_entry(entry: dict) -> None:
    """Check an entry against the format of the QA-SRL Bank 2.0."""
    assert set(entry) == {"sentenceId", "sentenceTokens", "verbEntries"}
    length = len(entry["sentenceTokens"])
    assert all(token and isinstance(token, str) for token in entry["sentenceTokens"])
    for index, verb in entry["verbEntries"].items():
        assert set(verb) == {"verbIndex", "verbInflectedForms", "questionLabels"}
        assert index == str(verb["verbIndex"])
        assert 0 <= verb["verbIndex"] < length
        forms = {"stem", "presentSingular3rd", "presentParticiple", "past", "pastParticiple"}
        assert set(verb["verbInflectedForms"]) == forms
        for text, label in verb["questionLabels"].items():
            assert text == label["questionString"]
            assert set(label) == {
                "questionString", "questionSources", "answerJudgments", "questionSlots", "tense",
                "isPerfect", "isProgressive", "isNegated", "isPassive",
            }  # fmt: skip
            assert len(set(label["questionSources"])) == len(label["questionSources"]) > 0
            assert set(label["questionSlots"]) == set(SLOTS)
            assert all(label["questionSlots"].values())
            for judgment in label["answerJudgments"]:
                assert isinstance(judgment["isValid"], bool)
                assert ("spans" in judgment) == judgment["isValid"]
                for start, end in judgment.get("spans", ()):
                    assert 0 <= start < end <= length


def test_bank_follows_its_format_and_agrees_with_the_csv(project, tmp_path):
    export(project, tmp_path)
    export(project, tmp_path, "qasrl-bank")
    entries = bank_entries(tmp_path)
    for entry in entries:
        check_bank_entry(entry)
    labels = {
        (entry["sentenceId"], index, text): label
        for entry in entries
        for index, verb in entry["verbEntries"].items()
        for text, label in verb["questionLabels"].items()
    }
    rows = csv_rows(tmp_path)
    assert rows
    for row in rows:
        label = labels[row["qasrl_id"], row["verb_idx"], row["question"]]
        gold = [
            judgment
            for judgment in label["answerJudgments"]
            if judgment["sourceId"].endswith("-gold")
        ]
        spans = "~!~".join(f"{start}:{end}" for start, end in gold[0]["spans"])
        assert (len(gold), spans) == (1, row["answer_range"])
        for slot in ("wh", "aux", "subj", "obj", "prep", "obj2"):
            assert label["questionSlots"][slot] == (row[slot] or "_")
        assert (label["isPassive"], label["isNegated"]) == (
            row["is_passive"] == "True",
            row["is_negated"] == "True",
        )


@pytest.mark.parametrize("fmt", ["qasrl-csv", "qasrl-bank"])
def test_exported_gold_is_unchanged_after_import(project, tmp_path, fmt):
    export(project, tmp_path, fmt)
    before = Gold.objects.get()
    path = tmp_path / f"{STEM}.{get_scheme('qasrl').exports.formats[fmt]}"
    item = before.item
    item.key = f"{item.sentence.external_id}/{item.target['verb_idx']}"
    item.save()
    report = import_gold(
        project=project, paths=[path], fmt=fmt, source="imported", on_error=pytest.fail, now=NOW
    )
    assert report.added == 1
    assert Gold.objects.get(source="imported").content == before.content


def test_jsonl_has_one_item_per_line(project, tmp_path):
    export(project, tmp_path, "jsonl")
    [line] = (tmp_path / f"{STEM}.jsonl").read_text("utf-8").splitlines()
    gold = Gold.objects.get()
    entry = json.loads(line)
    assert (entry["sentence_id"], entry["tokens"]) == ("Wiki1k:n:1:0:0", SURVEY)
    assert (entry["target"], entry["content"]) == (gold.item.target, gold.content)
    assert len(entry["provenance"]) == 3


# --- determinism, the newest version, the manifest


@pytest.mark.parametrize("fmt", FORMATS)
def test_exports_of_the_same_gold_are_identical(project, tmp_path, fmt):
    first = export(project, tmp_path / "one", fmt, licence="CC-BY-SA-4.0")
    second = export(project, tmp_path / "two", fmt, licence="CC-BY-SA-4.0")
    for name in [*first.manifest["files"], "manifest.json"]:
        assert (first.folder / name).read_bytes() == (second.folder / name).read_bytes()


def test_manifest_has_the_checksum_of_every_file(project, tmp_path):
    freeze_partitions(project=project, now=NOW)
    result = export(project, tmp_path, partition="dev")
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert manifest == result.manifest
    assert {path.name for path in tmp_path.iterdir()} == {*manifest["files"], "manifest.json"}
    for name, facts in manifest["files"].items():
        body = (tmp_path / name).read_bytes()
        assert (len(body), hashlib.sha256(body).hexdigest()) == (facts["bytes"], facts["sha256"])
    assert manifest["files"][f"{STEM}.csv"]["rows"] == len(csv_rows(tmp_path)) == 3
    assert manifest["filters"] == {"domain": None, "partition": "dev"}
    assert manifest["rules"]["comparison"] == "qasrl.ua-la.v1"
    assert manifest["seed"] == project.seed
    assert manifest["partitions"]["frozen"] == NOW.isoformat()
    assert manifest["counts"] == {"items": 1, "roles": 3, "arguments": 4}


def test_correction_is_exported_but_a_second_consolidation_is_not(project, tmp_path):
    gold = Gold.objects.get()
    content = {"questions": gold.content["questions"][:1]}
    corrected = add_gold(
        item=gold.item,
        source="consolidated",
        content=content,
        provenance=gold.provenance[:1],
        case=gold.case,
        now=NOW,
    )
    second = Case.objects.create(item=gold.item, attempt=1, opened_at=timezone.now())
    add_gold(
        item=gold.item, source="consolidated", content=gold.content, provenance=gold.provenance,
        case=second, now=NOW,
    )  # fmt: skip
    assert current_gold(project, "consolidated").get() == corrected
    export(project, tmp_path)
    [row] = csv_rows(tmp_path)
    assert row["worker_id"] == "expert"


def test_workers_are_exported_as_pseudonyms_by_default(project, tmp_path):
    workers = [source.submission.worker for source in Gold.objects.get().case.sources.all()]
    for fmt in formats_of(project):
        assert fmt in FORMATS
        for path in export(project, tmp_path, fmt).folder.iterdir():
            body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            assert not [worker for worker in workers if worker.external_id.encode() in body]
    export(project, tmp_path, "qasrl-bank", raw_worker_ids=True)
    assert workers[0].external_id in json.dumps(bank_entries(tmp_path))


# --- the data card


def test_data_card_follows_the_format_of_dataset_hubs(project, tmp_path):
    project.title = 'Survey: "gold" – naïve'
    project.save()
    export(project, tmp_path, licence="CC-BY-SA-4.0")
    text = (tmp_path / "README.md").read_text("utf-8")
    _, front, body = text.split("---\n", 2)
    facts = yaml.safe_load(front)
    assert (facts["license"], facts["pretty_name"]) == ("cc-by-sa-4.0", project.title)
    assert facts["size_categories"] == ["n<1K"]
    assert facts["configs"] == [
        {
            "config_name": "default",
            "data_files": [{"split": "validation", "path": [f"{STEM}.csv"]}],
        }
    ]
    assert "| generator | 2 | 2 | 5 |" in body
    assert "| consolidator | 1 | 1 | 5 |" in body
    assert get_scheme("qasrl").title in body
    assert "## Known limitations" in body
    # Answers match for the survey, although one includes "( USGS )", and for the basin. The gas and
    # 1996 do not match.
    assert "UA F1 66.7 %" in body
    assert "over 1 item annotated by two." in body


def test_simulated_work_is_declared_in_the_card_and_the_manifest(project, tmp_path):
    export(project, tmp_path / "before")
    assert "Simulated data." not in (tmp_path / "before" / "README.md").read_text("utf-8")
    project.has_simulated_work = True
    project.save()
    result = export(project, tmp_path / "after")
    assert result.manifest["simulated"] is True
    text = (tmp_path / "after" / "README.md").read_text("utf-8")
    assert "**Simulated data.** Simulated workers made" in text
    assert "| Role | Workers, some simulated |" in text


# --- bad input


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--partition", "train"], "the partition 'train'. Choose from: dev"),
        (["--domain", "wikipedia"], "the domain 'wikipedia'. Choose from: wikinews"),
        (["--source", "expert"], "no expert gold"),
        (["--licence", "my own!"], "not an SPDX identifier"),
        (["--format", "xml"], "invalid choice"),
    ],
)
def test_bad_filter_is_reported_and_writes_nothing(project, tmp_path, words, message):
    words = words if "--format" in words else [*words, "--format", "qasrl-csv"]
    with pytest.raises(CommandError, match=message):
        call_command("export_gold", project.slug, *words, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_changed_frozen_partition_is_not_exported(project, tmp_path):
    freeze_partitions(project=project, now=NOW)
    project.sentences.update(partition="test")
    with pytest.raises(CommandError, match=r"frozen on .* changed since"):
        call_command(
            "export_gold", project.slug, "--format", "jsonl", "--out", str(tmp_path / "out")
        )
    assert not (tmp_path / "out").exists()


@contextmanager
def files_no_larger_than(size: int):
    """Limit the size of files, so that writing fails half-way as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("fmt", FORMATS)
def test_full_disk_leaves_the_earlier_export_unchanged(project, tmp_path, fmt):
    export(project, tmp_path, fmt)
    contents = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with files_no_larger_than(200), pytest.raises(CommandError, match="File too large") as excinfo:
        call_command("export_gold", project.slug, "--format", fmt, "--out", str(tmp_path))
    assert excinfo.value.returncode == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == contents
