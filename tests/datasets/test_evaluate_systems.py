"""Evaluations of several systems, from the upload to the downloads."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from datasets.domain.systems.evaluate_systems import (
    EvaluationError,
    Reference,
    name_of,
    queue_evaluation,
)
from datasets.domain.systems.evaluation_files import FILES, evaluation_file
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from metrics.document_bootstrap import MIN_DOCUMENTS
from projects.domain.create_project import create_project
from projects.models import Project
from schemes.contract.errors import MissingPartError
from schemes.frames.items import Task, read_items
from schemes.registry import SCHEMES
from tests.crowd.factories import NOW
from tests.datasets.systems import export_sample, make_sample, system_output
from tests.environment import ROOT
from tests.schemes.labels.scheme import SCHEME as LABELS

pytestmark = pytest.mark.django_db
NAMES = ("strong", "weak")
EXPERT = Reference(source="expert")


@pytest.fixture(autouse=True)
def _files(job_files):
    """Store uploads with the test."""


# Systems of custom schemes are imported and compared, because these have no other metric.
@pytest.fixture(params=["qasrl", "frames", "grounding"])
def sample(request, tmp_path):
    """Return a project, its exported gold, and the outputs of two systems by name."""
    project = make_sample(request.param)
    gold = export_sample(project, tmp_path / "gold")
    outputs = {
        name: system_output(project, gold, seed=1, share=share)
        for name, share in zip(NAMES, (0.9, 0.4), strict=True)
    }
    return project, gold, outputs


# The sample's gold, as references of projects without a corpus.
GOLD = {
    "qasrl": ROOT / "schemes/qasrl/samples/expert.csv",
    "frames": ROOT / "schemes/frames/samples/expert.task-a.txt",
    "grounding": ROOT / "schemes/grounding/samples/gold.jsonl",
}


def against_sample(scheme, systems, **options):
    """Evaluate systems against the sample's gold in a project without a corpus."""
    project = Project.objects.filter(slug="empty").first()
    project = project or create_project(slug="empty", scheme=scheme, now=NOW)
    gold = GOLD[scheme]
    reference = Reference(files=[upload(gold.name, gold.read_text("utf-8"))])
    return evaluated(project, systems, reference=reference, **options)


def upload(name: str, text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def uploads(gold, outputs) -> list[SimpleUploadedFile]:
    return [upload(f"{name}{gold.suffix}", text) for name, text in outputs.items()]


def evaluated(project, systems, *, reference=EXPERT, **options):
    job = queue_evaluation(
        project=project, reference=reference, systems=systems, actor="rita", now=NOW, **options
    )
    run_next_job(clock=lambda: NOW)
    job.refresh_from_db()
    return job


def figures_of_command(project, gold, system, capsys, folder):
    """Return the figures of `evaluate` by the keys of the measures."""
    if project.scheme == "grounding":
        # The command has gold and predictions in a file.
        gold_of = {
            f"{caption['id']}/{phrase['id']}": phrase
            for caption in map(json.loads, gold.read_text("utf-8").splitlines())
            for phrase in caption["phrases"]
        }
        lines = []
        for line in map(json.loads, system.read_text("utf-8").splitlines()):
            phrase = gold_of[line["id"]]
            lines.append({**line, "gold": phrase["boxes"], "plural": bool(phrase["plural"])})
        phrases = folder / "phrases.jsonl"
        phrases.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        call_command("evaluate", "grounding", str(phrases), "--json")
        figures = json.loads(capsys.readouterr().out)
        return {
            f"{metric}_{group}": figures[metric][group]["accuracy"]
            for metric in ("iou", "c_iou")
            for group in ("all", "singular", "plural")
        }
    task = ["--task", "A"] if project.scheme == "frames" else []
    call_command("evaluate", project.scheme, *task, str(gold), str(system), "--json")
    figures = json.loads(capsys.readouterr().out)
    if project.scheme == "frames":
        return figures
    return {
        f"{metric.lower()}_{part}": figures[metric][part]
        for metric in ("UA", "LA")
        for part in ("precision", "recall", "f1")
    }


def types_add_up(project, result):
    [table] = result["types"]
    recall = table["measures"][0]["key"]
    overall = {"qasrl": "ua_recall", "frames": "bcubed_recall", "grounding": "iou_all"}
    units = sum(row["count"] for row in table["rows"])
    for at, system in enumerate(result["systems"]):
        hits = sum(row["count"] * (row["systems"][at][recall] or 0) for row in table["rows"])
        value = system["figures"][overall[project.scheme]]["value"]
        if hits / units != pytest.approx(value, abs=0.02):
            return False
    return True


def test_figures_equal_those_of_the_command(sample, capsys, tmp_path, settings):
    project, gold, outputs = sample
    job = evaluated(project, uploads(gold, outputs))
    assert (job.state, job.problem) == (JobState.FINISHED, "")
    assert [system["name"] for system in job.result["systems"]] == list(NAMES)
    for system in job.result["systems"]:
        path = tmp_path / f"{system['name']}{gold.suffix}"
        path.write_text(outputs[system["name"]], "utf-8")
        expected = figures_of_command(project, gold, path, capsys, tmp_path)
        for key, figure in system["figures"].items():
            assert figure["value"] == pytest.approx(expected[key]), key
            assert figure["low"] <= figure["value"] <= figure["high"]
    assert types_add_up(project, job.result)
    assert [path for path in settings.UPLOAD_DIR.rglob("*") if path.is_file()] == []
    mains = [measure["key"] for measure in job.result["measures"] if measure["is_main"]]
    for difference, key in zip(job.result["differences"], mains, strict=True):
        strong, weak = (system["figures"][key]["value"] for system in job.result["systems"])
        assert (difference["measure"], difference["first"], difference["second"]) == (key, 0, 1)
        assert difference["value"] == pytest.approx(strong - weak)
        assert difference["low"] > 0
        is_tested = job.result["documents"] >= MIN_DOCUMENTS
        assert (difference["p_value"] is not None) == is_tested
        assert difference["p_value"] == difference["adjusted"]
        assert not is_tested or difference["p_value"] < 0.05


def test_downloads_have_all_figures(sample):
    project, gold, outputs = sample
    job = evaluated(project, uploads(gold, outputs))
    reference = Reference(files=[upload(gold.name, gold.read_text("utf-8"))])
    of_file = evaluated(project, uploads(gold, outputs), reference=reference)
    assert of_file.result == job.result
    files = {name: evaluation_file(job, name) for name in FILES}
    stated = json.loads(files["evaluation.json"])
    assert stated["reference"] == {"source": "expert", "partition": "", "files": []}
    assert stated["systems"] == job.result["systems"]
    rows = list(csv.DictReader(io.StringIO(files["figures.csv"].decode())))
    assert [row["system"] for row in rows] == list(NAMES)
    for row, system in zip(rows, job.result["systems"], strict=True):
        for key, figure in system["figures"].items():
            cells = [float(row[f"{key}{end}"]) for end in ("", "_low", "_high")]
            assert cells == list(figure.values())
    differences = list(csv.DictReader(io.StringIO(files["differences.csv"].decode())))
    assert [row["first"] for row in differences] == ["strong", "strong"]
    types = list(csv.DictReader(io.StringIO(files["types.csv"].decode())))
    [table] = job.result["types"]
    assert len(types) == len(table["rows"]) * len(NAMES) * len(table["measures"])
    latex = files["tables.tex"].decode()
    bold = re.findall(r"^strong & \\textbf\{([\d.]+)\}", latex, flags=re.MULTILINE)
    first = job.result["measures"][0]["key"]
    assert bold == [f"{100 * job.result['systems'][0]['figures'][first]['value']:.2f}"]
    for chart in ("figures.svg", "types.svg"):
        texts = "".join(ElementTree.fromstring(files[chart]).itertext())
        assert all(name in texts for name in NAMES)
    assert evaluation_file(job, "manifest.json") is None


@pytest.mark.parametrize(
    ("names", "reference", "message"),
    [
        (["a.csv", "a.jsonl"], Reference(source="expert"), "Two files are called a."),
        (["a.csv", "b/a.csv"], Reference(source="expert"), "Two files are called a."),
        ([], Reference(source="expert"), "Upload 1 to 12 systems, not 0."),
        ([f"{at}.csv" for at in range(13)], Reference(source="expert"), "not 13"),
        (["a.csv"], Reference(), "Choose the project's gold as the reference, or upload"),
        (["a.csv"], Reference(source="expert", files=["x"]), "but not both"),
        (["a.csv"], Reference(source="imported"), "The project has no imported gold."),
    ],
)
def test_request_that_can_not_be_evaluated_is_refused(settings, names, reference, message):
    project = make_sample("qasrl")
    with pytest.raises(EvaluationError, match=re.escape(message)):
        evaluated(project, [upload(name, "x") for name in names], reference=reference)
    assert not settings.UPLOAD_DIR.exists() or not list(settings.UPLOAD_DIR.iterdir())


def test_unknown_task_is_refused():
    with pytest.raises(EvaluationError, match=re.escape("Choose from: A, B.1, B.2.")):
        evaluated(make_sample("frames"), [upload("a.txt", "x")], variant="C")


def test_scheme_without_scoring_is_refused(monkeypatch, project):
    monkeypatch.setitem(SCHEMES, LABELS.name, LABELS)
    project.scheme = LABELS.name
    with pytest.raises(MissingPartError, match="does not support the evaluation of systems"):
        evaluated(project, [upload("a.txt", "x")])


def test_each_task_of_frames_has_its_own_items(tmp_path):
    project = make_sample("frames")
    export_sample(project, tmp_path)
    items = {}
    for task, ending in (("A", "task-a"), ("B.1", "task-b1"), ("B.2", "task-b2")):
        [path] = tmp_path.glob(f"*.{ending}.txt")
        job = evaluated(project, [upload("copy.txt", path.read_text("utf-8"))], variant=task)
        assert job.problem == ""
        assert {f["value"] for f in job.result["systems"][0]["figures"].values()} == {1.0}
        items[task] = job.result["items"], len(read_items(path, Task(task)))
    assert [scored for scored, _ in items.values()] == [stated for _, stated in items.values()]
    assert len(set(items.values())) == 3


def test_bad_rows_are_named_or_skipped_with_their_items():
    header, first, *rows = GOLD["qasrl"].read_text("utf-8").splitlines(keepends=True)
    broken = first.replace(first.split(",")[8], "9:1")
    text = header + broken + "".join(rows)
    job = against_sample("qasrl", [upload("broken.csv", text)])
    assert (job.state, job.result) == (JobState.FAILED, {})
    assert re.search(r"broken\.csv, line 2: answer_range: ", job.problem)
    job = against_sample("qasrl", [upload("broken.csv", text)], skip_bad_rows=True)
    [system] = job.result["systems"]
    assert system["facts"]["bad rows, skipped"] == 1
    assert system["facts"]["predicates without a prediction"] == 1
    assert 0 < system["figures"]["ua_recall"]["value"] < 1


def test_texts_that_contradict_their_positions_are_counted(tmp_path):
    project = make_sample("qasrl")
    gold = export_sample(project, tmp_path / "gold")
    text = gold.read_text("utf-8")
    words = next(csv.DictReader(io.StringIO(text)))["answer"]
    job = evaluated(
        project, [upload("own.csv", text), upload("odd.csv", text.replace(words, "zebra", 1))]
    )
    facts = [system["facts"] for system in job.result["systems"]]
    assert facts == [{}, {"texts that differ from the words at their positions": 1}]


def test_system_may_have_annotated_more_than_the_reference(sample):
    """The other items are ignored, whether or not their sentences are in the project."""
    project, gold, outputs = sample
    if project.scheme == "frames":
        pytest.skip("systems of the task label exactly the reference's items")
    others = {
        "qasrl": "elsewhere,0,saw,W,,,Who saw something?,False,1:2,x,who,,,,,,,False,False,Past\n",
        "grounding": '{"id": "other.png#0/p0", "image": [9, 9], "predicted": []}\n',
    }
    left = project.items.order_by("pk").last().sentence
    left.partition = "test"
    left.save()
    reference = Reference(source="expert", partition="dev")
    text = gold.read_text("utf-8") if project.scheme == "qasrl" else outputs["strong"]
    system = upload(f"all{gold.suffix}", text + others[project.scheme])
    job = evaluated(project, [system], reference=reference)
    assert job.problem == ""
    if project.scheme == "qasrl":
        facts = job.result["systems"][0]["facts"]
        assert facts == {
            "predicates that the reference lacks, ignored": 1 + left.items.count(),
        }


@pytest.mark.parametrize(
    ("scheme", "name", "text", "message"),
    [
        ("frames", "part.txt", "#sample-01 7 sell.x\n", "part.txt: #sample-02 4_5 is missing"),
        ("frames", "none.txt", "", "none.txt: contains no record"),
        ("grounding", "a.jsonl", '{"id": "p"}\n', "a.jsonl, line 1: image: is missing."),
        ("grounding", "a.jsonl", "[]\n", "a.jsonl, line 1: "),
        (
            "grounding",
            "small.jsonl",
            '{"id": "meadow-01.png#0/p0", "image": [64, 48], "predicted": []}\n',
            "small.jsonl, line 1: image: is [64, 48], but the gold has a box [69, 212, 182, 275].",
        ),
        ("qasrl", "a.csv", "id,text\n1,2\n", "a.csv"),
        ("qasrl", "a.csv", "\x00\x01", "a.csv"),
    ],
)
def test_unreadable_system_fails_with_its_name_and_line(scheme, name, text, message):
    job = against_sample(scheme, [upload(name, text)])
    assert job.state == JobState.FAILED
    assert message in job.problem
    assert "/" not in job.problem.replace("/p0", "")


def test_prediction_for_another_size_of_the_image_is_refused():
    project = create_project(slug="empty", scheme="grounding", now=NOW)
    line = '{"id": "p", "image": [100, 50], "gold": [[0, 0, 9, 9]], "plural": false}\n'
    reference = Reference(files=[upload("gold.jsonl", line)])
    for image, problem in (
        ([100, 50], ""),
        ([50, 100], "b.jsonl, line 1: image: is [50, 100], but that of the gold is [100, 50]."),
        ([200, 100], "b.jsonl, line 1: image: is [200, 100], but that of the gold is [100, 50]."),
    ):
        system = json.dumps({"id": "p", "image": image, "predicted": [[0, 0, 9, 9]]})
        job = evaluated(project, [upload("b.jsonl", system)], reference=reference)
        assert job.problem == problem
        reference.files[0].seek(0)


def test_latin_text_fails_with_its_name():
    file = SimpleUploadedFile("latin.csv", "qasrl_id,verb_idx,verb\nM\xfcller".encode("latin-1"))
    job = against_sample("qasrl", [file])
    assert job.state == JobState.FAILED
    assert "latin.csv" in job.problem


def test_uploads_in_utf_16_have_the_same_figures(sample):
    project, gold, outputs = sample
    task = {"variant": "A"} if project.scheme == "frames" else {}
    results = []
    for codec in ("utf-8", "utf-16"):
        file = SimpleUploadedFile(f"a{gold.suffix}", outputs["weak"].encode(codec))
        results.append(evaluated(project, [file], **task).result["systems"])
    assert results[0] == results[1]


def test_bad_row_in_utf_16_has_the_name_of_the_upload():
    text = "qasrl_id,verb_idx,question,answer_range\ns1,x,Who ran?,0:1\n"
    job = against_sample("qasrl", [SimpleUploadedFile("mine.csv", text.encode("utf-16"))])
    assert job.problem.startswith("mine.csv, line 2: verb_idx")


@pytest.mark.parametrize("scheme", ["qasrl", "grounding"])
def test_system_without_any_prediction_scores_nothing(scheme):
    gold = GOLD[scheme]
    header = gold.read_text("utf-8").splitlines(keepends=True)[0] if scheme == "qasrl" else "\n"
    job = against_sample(scheme, [upload(f"silent{gold.suffix}", header)])
    assert job.problem == ""
    [system] = job.result["systems"]
    values = {key: figure["value"] for key, figure in system["figures"].items()}
    if scheme == "qasrl":
        assert (values["ua_recall"], values["ua_precision"], values["ua_f1"]) == (0.0, None, 0.0)
    else:
        assert set(values.values()) == {0.0}
    assert all(evaluation_file(job, name) for name in FILES)


def test_partition_selects_the_reference():
    project = make_sample("qasrl")
    job = evaluated(
        project, [upload("a.csv", "x")], reference=Reference(source="expert", partition="test")
    )
    assert job.state == JobState.FAILED
    assert "has no expert gold of the partition 'test'" in job.problem


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("parser.csv", "parser"),
        ("dev.jsonl.gz", "dev"),
        ("v1.2.txt", "v1.2"),
        ("noname", "noname"),
        ("../../x.csv", "x"),
    ],
)
def test_system_is_named_after_its_file(file, name):
    assert name_of(file) == name
