"""Exports of gold, which are deterministic and never leave partial files under a final name."""

import csv
import gzip
import hashlib
import json
import resource
from contextlib import contextmanager
from io import StringIO

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.utils import timezone

from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.current_gold import current_gold
from consolidation.domain.gold.import_gold import import_gold
from consolidation.models import Case, Gold
from datasets.domain.exports.export_gold import (
    ExportOptions,
    NothingToExportError,
    export_gold,
    formats_of,
)
from datasets.domain.exports.partitions import freeze_partitions
from schemes.original_text import align
from schemes.registry import get_scheme
from tests.consolidation.factories import SURVEY, span_of
from tests.consolidation.gold import make_gold_item, make_gold_project, make_noun_gold
from tests.crowd.factories import NOW

FORMATS = ["qasrl-csv", "qasrl-bank", "qanom-csv", "jsonl"]
pytestmark = pytest.mark.django_db

STEM = "wikinews.dev.gold"
SLOTS = ("wh", "aux", "subj", "verb", "obj", "prep", "obj2")


@pytest.fixture
def project():
    return make_gold_project()


@pytest.fixture
def noun_project():
    return make_gold_project(make_noun_gold())


def project_with_item_of(fmt: str):
    return make_gold_project(make_noun_gold() if fmt == "qanom-csv" else None)


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


def test_bank_is_compact_json(project, tmp_path):
    export(project, tmp_path, "qasrl-bank")
    [path] = tmp_path.rglob("*.gold.jsonl.gz")
    lines = gzip.decompress(path.read_bytes()).decode()
    for line in lines.splitlines():
        assert line == json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
    assert lines.endswith("}\n")


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
def test_exports_of_the_same_gold_are_identical(tmp_path, fmt):
    project = project_with_item_of(fmt)
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


@pytest.mark.parametrize("fmt", FORMATS)
def test_workers_are_exported_as_pseudonyms_by_default(tmp_path, fmt):
    project = project_with_item_of(fmt)
    assert set(formats_of(project)) == set(FORMATS)
    gold = Gold.objects.get()
    workers = [source.submission.worker for source in gold.case.sources.all()]
    for path in export(project, tmp_path, fmt).folder.iterdir():
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for worker in [*workers, gold.submission.worker]:
            assert worker.external_id.encode() not in body


def test_workers_are_exported_with_raw_ids_on_request(project, noun_project, tmp_path):
    ids = [
        [source.submission.worker.external_id for source in gold.case.sources.all()]
        for gold in Gold.objects.order_by("pk")
    ]
    export(project, tmp_path / "verbs", "qasrl-bank", raw_worker_ids=True)
    assert ids[0][0] in json.dumps(bank_entries(tmp_path / "verbs"))
    export(noun_project, tmp_path / "nouns", "qanom-csv", raw_worker_ids=True)
    sources = {row["source_worker_ids"] for row in csv_rows(tmp_path / "nouns")}
    assert sources == {"~!~".join(ids[1])}


# --- nouns


def test_nouns_have_the_columns_that_the_tools_of_qanom_read(noun_project, tmp_path):
    gold = Gold.objects.get()
    export(noun_project, tmp_path, "qanom-csv")
    rows = csv_rows(tmp_path)
    assert [(row["question"], row["answer_range"]) for row in rows] == [
        ("Who identified something?", "3:7~!~8:9"),
        ("What did someone identify?", "11:13"),
        ("When did someone identify something?", "1:2"),
    ]
    generators = [source.submission.worker.pseudonym for source in gold.case.sources.all()]
    for row in rows:
        at = int(row["target_idx"])
        assert row["sentence"].split(" ")[at] == row["noun"] == "identified"
        for span, answer in zip(
            row["answer_range"].split("~!~"), row["answer"].split("~!~"), strict=True
        ):
            start, end = map(int, span.split(":"))
            assert " ".join(row["sentence"].split(" ")[start:end]) == answer
        assert row["key"] == f"{row['qasrl_id']}_{at}"
        assert row["worker_id"] == gold.submission.worker.pseudonym
        assert row["source_worker_ids"] == "~!~".join(generators)


def test_noun_without_questions_names_its_annotators(tmp_path):
    gold = make_noun_gold(is_verbal=False)
    result = export(make_gold_project(gold), tmp_path, "qanom-csv")
    [row] = csv_rows(tmp_path)
    assert (row["is_verbal"], row["question"], row["wh"]) == ("False", "", "")
    assert row["worker_id"] == gold.submission.worker.pseudonym
    assert row["source_worker_ids"].count("~!~") == 1
    assert result.manifest["counts"] == {"items": 1, "roles": 0, "arguments": 0}


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("is_verbal", [True, False])
def test_exported_nouns_are_imported_and_exported_again(tmp_path, is_written, is_verbal):
    """The sentence in the file has the tokens, also if the sentence was written otherwise."""
    gold = make_noun_gold(is_verbal=is_verbal)
    project, item = make_gold_project(gold), gold.item
    if is_written:
        text = " ".join(item.sentence.tokens).replace(" ,", ",").replace("( USGS )", "(USGS)")
        item.sentence.text, item.sentence.offsets = text, align(item.sentence.tokens, text)
        item.sentence.save()
    item.key = f"{item.sentence.external_id}/{item.target['verb_idx']}"
    item.save()
    export(project, tmp_path / "first", "qanom-csv")
    report = import_gold(
        project=project, paths=[tmp_path / "first" / f"{STEM}.csv"], fmt="qasrl-csv",
        source="imported", on_error=pytest.fail, now=NOW,
    )  # fmt: skip
    assert report.added == 1
    imported = Gold.objects.get(source="imported")
    assert imported.content == gold.content
    export(project, tmp_path / "second", "qanom-csv", source="imported")
    ids = {"worker_id", "assign_id", "source_assign_id", "source_worker_ids"}
    first, second = (
        [{name: row[name] for name in row.keys() - ids} for row in csv_rows(tmp_path / name)]
        for name in ("first", "second")
    )
    assert first == second


def test_workers_of_imported_nouns_are_pseudonyms(noun_project, tmp_path):
    gold = Gold.objects.get()
    ids = {"worker_id": "AMERGER", "source_worker_ids": ["AFIRST", "ASECOND"]}
    provenance = [ids, {**ids, "rows": [ids, ids]}, ids]
    add_gold(
        item=gold.item, source="imported", content=gold.content, provenance=provenance, now=NOW
    )
    for fmt in ("qanom-csv", "jsonl"):
        result = export(noun_project, tmp_path / fmt, fmt, source="imported")
        for name in result.manifest["files"]:
            text = (result.folder / name).read_text("utf-8")
            assert [worker for worker in ("AMERGER", "AFIRST", "ASECOND") if worker in text] == []
    [sources] = {row["source_worker_ids"] for row in csv_rows(tmp_path / "qanom-csv")}
    assert len(set(sources.split("~!~"))) == 2


# --- formats without a place for the gold


def test_export_without_rows_is_refused_and_leaves_nothing(project, noun_project, tmp_path):
    """A project of verbs has nothing for a file of nouns, and the other way round."""
    export(project, tmp_path / "kept")
    contents = {path.name: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    for out in ("kept", "new"):
        with pytest.raises(CommandError) as refusal:
            call_command(
                "export_gold", project.slug, "--format", "qanom-csv", "--out", str(tmp_path / out)
            )
        assert str(refusal.value) == (
            "The export would have no rows. qanom-csv has a place for none of the 1 items with "
            f"consolidated gold. Choose another format of {project.slug}: qasrl-csv, qasrl-bank, jsonl."
        )
        assert refusal.value.returncode == 2
    assert not (tmp_path / "new").exists()
    assert {path.name: path.read_bytes() for path in (tmp_path / "kept").iterdir()} == contents
    for fmt in ("qasrl-csv", "qasrl-bank"):
        with pytest.raises(
            NothingToExportError, match=f"{fmt} has a place for none of the 1 items"
        ):
            export(noun_project, tmp_path / fmt, fmt)


def test_verbs_without_questions_have_no_row_in_csv(project, tmp_path):
    item, content = project.items.get(), {"questions": []}
    add_gold(item=item, source="expert", content=content, provenance=[], now=NOW)
    with pytest.raises(NothingToExportError, match="would have no rows"):
        export(project, tmp_path, source="expert")
    assert export(project, tmp_path, "jsonl", source="expert").manifest["counts"]["items"] == 1


def test_items_without_a_place_are_not_counted_as_exported(noun_project, tmp_path):
    make_gold_item(noun_project)
    output = StringIO()
    call_command(
        "export_gold",
        noun_project.slug,
        "--format",
        "qanom-csv",
        "--out",
        str(tmp_path),
        stdout=output,
    )
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert manifest["counts"] == {"items": 1, "roles": 3, "arguments": 4}
    assert manifest["items_left_out"] == 1
    assert (
        "1 items, 3 roles, 4 arguments. 1 others have no place in qanom-csv." in output.getvalue()
    )


def test_answers_in_the_context_are_in_jsonl_only_and_counted_elsewhere(project, tmp_path):
    old = Gold.objects.get()
    first, *others = old.content["questions"]
    answer = {"sentence": "Wiki1k:n:1:0:1", "start": 0, "end": 1, "text": "Geologists"}
    content = {"questions": [{**first, "answers": [], "context_answers": [answer]}, *others]}
    provenance = [{"worker_id": "a"}] * 3
    add_gold(item=old.item, source="expert", content=content, provenance=provenance, now=NOW)
    left = [question["question"] for question in others]
    manifest = export(project, tmp_path / "csv", source="expert").manifest
    assert manifest["units_left_out"] == 1
    assert [row["question"] for row in csv_rows(tmp_path / "csv")] == left
    manifest = export(project, tmp_path / "bank", "qasrl-bank", source="expert").manifest
    assert manifest["units_left_out"] == 1
    [entry] = bank_entries(tmp_path / "bank")
    [verb] = entry["verbEntries"].values()
    assert first["question"] not in verb["questionLabels"]
    manifest = export(project, tmp_path / "jsonl", "jsonl", source="expert").manifest
    assert "units_left_out" not in manifest
    text = (tmp_path / "jsonl" / f"{STEM}.jsonl").read_text("utf-8")
    assert json.loads(text)["content"] == content


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
    assert "over the 1 item annotated by two." in body


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
def test_full_disk_leaves_the_earlier_export_unchanged(tmp_path, fmt):
    project = project_with_item_of(fmt)
    export(project, tmp_path, fmt)
    contents = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with files_no_larger_than(200), pytest.raises(CommandError, match="File too large") as excinfo:
        call_command("export_gold", project.slug, "--format", fmt, "--out", str(tmp_path))
    assert excinfo.value.returncode == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == contents
