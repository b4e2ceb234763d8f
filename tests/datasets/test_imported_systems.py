"""Imported gold of parsers and banks, whose figures on the page Quality equal those of `evaluate`."""

import json
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consolidation.domain.gold.current_gold import current_gold
from datasets.domain.quality.decide_match import decide_match
from projects.command import InputError
from projects.enums import MemberRole
from projects.models import Project
from tests.dashboard.campaign import make_user
from tests.datasets.test_evaluate_formats import files  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


def run(*command) -> dict:
    out, err = StringIO(), StringIO()
    call_command(*map(str, command), "--json", stdout=out, stderr=err)
    return json.loads(out.getvalue()) | ({"errors": err.getvalue()} if err.getvalue() else {})


@pytest.fixture
def folder(files):  # noqa: F811
    """Create the files, and a project `p` with their sentence and its expert gold."""
    run("create_project", "p", "--scheme", "qasrl")
    items = ("--items", files / "gold.csv")
    run("import_corpus", "p", files / "sentences.csv", "--format", "qasrl-csv", *items)
    run("import_gold", "p", files / "gold.csv", "--format", "qasrl-csv", "--source", "expert")
    return files


def import_gold(path, fmt: str, *options) -> dict:
    command = ("import_gold", "p", path, "--format", fmt, "--source", "imported")
    return run(*command, *options)


def quality(*options) -> list[dict]:
    return run("quality", "p", "--source", "imported", "--against", "expert", *options)["rows"]


def scores(figures: dict) -> dict:
    return {name: figures[name] for name in ("UA", "LA")}


def test_bank_is_imported_with_a_minimum_validity(folder):
    path, validity = folder / "dense.jsonl.gz", ("--min-valid", 3, "--of", 6)
    assert import_gold(path, "qasrl-bank", *validity)["added"] == 1
    evaluated = run("evaluate", "qasrl", folder / "gold.csv", path, *validity)
    assert scores(quality()[0]) == scores(evaluated)
    assert evaluated["UA"]["tp"] == 2


def test_parser_output_is_imported_at_a_threshold(folder):
    path = folder / "parser.jsonl"
    entry = json.loads(path.read_text()) | {"qasrl_id": "s1"}
    path.write_text(json.dumps(entry) + "\n")
    with pytest.raises(InputError, match="None of the 1 annotations could be used"):
        import_gold(path, "qasrl-parser", "--threshold", 0)
    lenient = ("--threshold", 0, "--allow-overlaps")
    assert import_gold(path, "qasrl-parser", *lenient)["added"] == 1
    evaluated = run("evaluate", "qasrl", folder / "gold.csv", path, "--threshold", 0)
    assert scores(quality()[0]) == scores(evaluated)
    assert evaluated["UA"]["fp"] == 1


def test_systems_for_merging_accept_the_same_options(folder):
    command = ("import_system", "p", folder / "beam.jsonl", "--format", "qasrl-parser")
    assert run(*command, "--system", "beam", "--threshold", 0.4)["added"] == 1
    item = Project.objects.get(slug="p").items.get()
    assert [q["answers"] for q in item.system_annotations.get().content["questions"]] == [[[0, 1]]]


@pytest.fixture
def folder_with_decisions(folder):
    import_gold(folder / "dense.jsonl.gz", "qasrl-bank", "--min-valid", 1, "--of", 6)
    project = Project.objects.get(slug="p")
    gold = [current_gold(project, source).get() for source in ("expert", "imported")]
    expert = get_user_model().objects.create_user("eva")
    for kind, reference in (("label-accepted", "2-4"), ("answer-accepted", "")):
        decide_match(
            reference=gold[0], predicted=gold[1], kind=kind, reference_key=reference,
            predicted_key=reference or "4-5", by=expert, now=timezone.now(),
        )  # fmt: skip
    return folder


def test_decisions_in_the_project_equal_corrections_in_evaluate(folder_with_decisions):
    path = folder_with_decisions / "corrections.csv"
    automatic, corrected, _ = quality("--corrections", path)
    assert path.read_text().splitlines() == [
        "item,kind,reference,predicted",
        "s1/1,label-accepted,2-4,2-4",
        "s1/1,answer-accepted,,4-5",
    ]
    bank = (
        folder_with_decisions / "gold.csv",
        folder_with_decisions / "dense.jsonl.gz",
        "--min-valid",
        1,
        "--of",
        6,
    )
    evaluated = run("evaluate", "qasrl", *bank, "--corrections", path)
    assert scores(automatic) == scores(evaluated)
    assert scores(corrected) == evaluated["corrected"]
    assert corrected["UA"]["f1"] == 1.0 > automatic["UA"]["f1"]


def test_page_shows_an_imported_system(folder_with_decisions):
    project = Project.objects.get(slug="p")
    client = Client()
    client.force_login(make_user("ida", project, MemberRole.EXPERT))
    page = client.get(reverse("datasets:quality", args=["p"]), {"source": "imported"})
    assert page.status_code == 200
    assert "manually corrected" in page.content.decode()


def test_unsuitable_options_are_refused(folder):
    gold = ("import_gold", "p", folder / "gold.csv", "--format", "qasrl-csv")
    for options, message in (
        (("--source", "expert", "--allow-overlaps"), "goes with --source imported"),
        (("--source", "imported", "--min-valid", 5), "--min-valid and --of need each other"),
    ):
        with pytest.raises(CommandError, match=message) as excinfo:
            run(*gold, *options)
        assert excinfo.value.returncode == 2
    run("create_project", "f", "--scheme", "frames")
    with pytest.raises(CommandError, match="--threshold is not an option of"):
        run("import_gold", "f", folder / "gold.csv", "--format", "semeval", "--source", "expert",
            "--threshold", 0.5)  # fmt: skip
