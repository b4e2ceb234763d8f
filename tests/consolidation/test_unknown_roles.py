"""Roles of files that the project's inventory lacks: named with their places, and added on request."""

import json
import random
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from audit.models import StateChange
from consolidation.domain.gold.import_gold import import_gold, preview_gold
from consolidation.models import Gold, SystemAnnotation
from projects.domain.resources import current_version
from projects.enums import MemberRole
from projects.models import Project
from schemes.frames.lexicon.roles import SEMEVAL_ROLES, VERBNET_ROLES
from tests.consolidation.test_gold_checks import GoldUpload
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db
RECORDS = 4_620
VERBS_PER_SENTENCE = 7
TASKS = ("task-a.txt", "task-b1.txt", "task-b2.txt")
FRAMES = {"Commerce_sell": "sell", "Giving": "give", "Building": "build"}
ELEMENTS = ("Agent", "Theme", "Place")
MESSAGE = "'Agentive' is not a role of this project. Choose “Add unknown roles”"


def run(*command: object) -> dict:
    out, err = StringIO(), StringIO()
    call_command(*map(str, command), "--json", stdout=out, stderr=err)
    return json.loads(out.getvalue()) | {"errors": err.getvalue().splitlines()}


def roles_of(project: Project) -> list[str]:
    newest = current_version(project=project, name="lexicon")
    return [role["name"] for role in newest.value["roles"]]


def write_records(folder: Path, *, records: int, roles: list[str]) -> list[Path]:
    """Write sentences in CoNLL-U and a file per task. Every role occurs."""
    rng = random.Random(7)
    sentences: list[str] = []
    lines: dict[str, list[str]] = {task: [] for task in TASKS}
    for number in range(records):
        sentence, at = divmod(number, VERBS_PER_SENTENCE)
        frame, lemma = rng.choice(list(FRAMES.items()))
        first = 4 * at + 1
        if at == 0:
            sentences += ["", f"# sent_id = {sentence}"]
        words = (("fund", "NOUN"), (lemma, "VERB"), ("bond", "NOUN"), ("town", "NOUN"))
        sentences += [
            f"{first + offset}\t{word}\t{word}\t{tag}" + "\t_" * 6
            for offset, (word, tag) in enumerate(words)
        ]
        heads = [("fund", first), ("bond", first + 2), ("town", first + 3)]
        start = f"#{sentence} {first + 1} {lemma}"
        chosen = [roles[number % len(roles)], *rng.sample(roles, 2)]
        labels = {"task-b1.txt": (frame, ELEMENTS), "task-b2.txt": ("na", chosen)}
        lines["task-a.txt"].append(f"{start}.{frame}")
        for task, (verb, names) in labels.items():
            arguments = " ".join(
                f"{filler}-:-{position}-:-{name}"
                for (filler, position), name in zip(heads, names, strict=True)
            )
            lines[task].append(f"{start}.{verb} {arguments}")
    (folder / "sentences.conllu").write_text("\n".join(sentences[1:]) + "\n\n", "utf-8")
    for task, rows in lines.items():
        (folder / task).write_text("\n".join(rows) + "\n", "utf-8")
    return [folder / task for task in TASKS]


def write_lexicon(folder: Path) -> Path:
    elements = [{"name": name} for name in ELEMENTS]
    path = folder / "lexicon.json"
    path.write_text(json.dumps({"frames": {name: {"elements": elements} for name in FRAMES}}))
    return path


def make_project(folder: Path, paths: list[Path]) -> Project:
    run("create_project", "books", "--scheme", "frames")
    run("import_lexicon", "books", write_lexicon(folder), "--format", "json")
    run("import_corpus", "books", folder / "sentences.conllu", "--items", *paths)
    return Project.objects.get(slug="books")


@pytest.fixture
def records(tmp_path) -> list[Path]:
    """Return files of three records, of which the second has an unknown role in the third file."""
    paths = write_records(tmp_path, records=3, roles=["Agent", "Theme", "Topic"])
    lines = paths[2].read_text("utf-8").splitlines()
    before, _, role = lines[1].rpartition("-:-")
    assert role in ("Agent", "Theme", "Topic")
    # Another order than in the other files
    lines = [lines[2], lines[0], f"{before}-:-Agentive"]
    paths[2].write_text("\n".join(lines) + "\n", "utf-8")
    return paths


@pytest.fixture
def project(tmp_path, records) -> Project:
    return make_project(tmp_path, records)


@pytest.mark.parametrize("count", [320, pytest.param(RECORDS, marks=pytest.mark.long)])
def test_records_with_all_roles_of_the_task_come_back_as_sets(tmp_path, count):
    names = [role["name"] for role in SEMEVAL_ROLES]
    assert len(set(names)) == 32
    paths = write_records(tmp_path, records=count, roles=names)
    make_project(tmp_path, paths)
    imported = run("import_gold", "books", *paths, "--source", "expert")
    assert (imported["added"], imported["error_count"]) == (count, 0)
    run(
        "export_gold",
        "books",
        "--format",
        "semeval",
        "--source",
        "expert",
        "--out",
        tmp_path / "out",
    )
    for path in paths:
        exported = tmp_path / "out" / f"books.all.{path.name}"
        rows = exported.read_text("utf-8").splitlines()
        assert len(rows) == count
        assert set(rows) == set(path.read_text("utf-8").splitlines())


def test_unknown_role_is_named_in_its_file(project, records):
    imported = run("import_gold", "books", *records, "--source", "expert")
    assert imported["errors"] == [
        f"task-b2.txt, line 3: arguments[2].role: {MESSAGE} (--add-roles) to add it to the project."
    ]
    assert (imported["added"], imported["error_count"]) == (2, 1)


def test_unknown_element_is_named_in_its_file(project, records):
    first, *others = records[1].read_text("utf-8").splitlines()
    lines = [*others, first.replace("Theme", "Goods")]
    records[1].write_text("\n".join(lines) + "\n", "utf-8")
    imported = run("import_gold", "books", *records, "--source", "expert")
    assert imported["errors"][0].startswith("task-b1.txt, line 3: arguments[1].element: ")


def test_unknown_roles_are_added_on_request(project, records):
    before = roles_of(project)
    imported = run("import_gold", "books", *records, "--source", "expert", "--add-roles")
    assert (imported["added"], imported["error_count"], imported["errors"]) == (3, 0, [])
    assert imported["notes"] == {"roles_added": 1}
    assert roles_of(project) == [*before, "Agentive"]
    change = StateChange.objects.get(reason="lexicon: version 2")
    assert change.actor == "import_gold"
    again = run("import_gold", "books", *records, "--source", "expert", "--add-roles")
    assert (again["known"], again["notes"]) == (3, {"roles_added": 0})
    assert current_version(project=project, name="lexicon").version == 2


def test_roles_of_a_system_are_added_on_request(project, records):
    command = ("import_system", "books", *records, "--system", "parser")
    assert run(*command)["error_count"] == 1
    assert run(*command, "--add-roles")["error_count"] == 0
    assert SystemAnnotation.objects.count() == 3
    assert roles_of(project)[-1] == "Agentive"


def test_roles_of_refused_records_are_not_added(project, records):
    text = records[2].read_text("utf-8")
    records[2].write_text(text.replace("fund-:-5-:-", "fond-:-5-:-"), "utf-8")
    before = roles_of(project)
    imported = run("import_gold", "books", *records, "--source", "expert", "--add-roles")
    assert (imported["added"], imported["notes"]) == (2, {"roles_added": 0})
    assert roles_of(project) == before


def test_roles_beyond_the_limit_are_refused(project, records, tmp_path):
    path = tmp_path / "roles.json"
    path.write_text(
        json.dumps({"roles": [f"R{n}" for n in range(497)] + ["Agent", "Theme", "Topic"]})
    )
    run("import_lexicon", "books", path, "--format", "json")
    imported = run("import_gold", "books", *records, "--source", "expert", "--add-roles")
    [error] = imported["errors"]
    assert "'Agentive' is not a role of this project." in error
    assert imported["added"] == 2


def test_preview_offers_to_add_roles(project, records):
    files = {"project": project, "paths": records, "fmt": "semeval", "source": "expert"}
    preview = preview_gold(**files)
    assert (preview.added, preview.error_count, preview.offers) == (2, 1, {"add_roles": 1})
    preview = preview_gold(**files, add_roles=True)
    assert (preview.added, preview.error_count, preview.notes) == (3, 0, {"roles_added": 1})
    assert "Agentive" not in roles_of(project)
    assert not Gold.objects.exists()


def test_page_adds_roles(project, records, client, job_files):
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    upload = GoldUpload(client, "books", records[2].read_text("utf-8"), "task-b2.txt")
    [error] = upload.page.context["errors"]
    assert error == f"task-b2.txt, line 3: arguments[2].role: {MESSAGE} to add it to the project."
    page = upload.choose("add_roles")
    assert (page.context["read"].added, page.context["errors"]) == (3, [])
    assert "<dt>Roles added</dt><dd>1</dd>" in page.content.decode()
    assert "Agentive" not in roles_of(project)
    assert upload.run().result["added"] == 3
    assert roles_of(project)[-1] == "Agentive"
    assert StateChange.objects.get(reason="lexicon: version 2").actor == "rita"


def test_new_version_is_logged_with_its_actor(project, records):
    import_gold(
        project=project,
        paths=records,
        fmt="semeval",
        source="expert",
        on_error=lambda error: pytest.fail(str(error)),
        now=NOW,
        add_roles=True,
        actor="rita",
    )
    assert StateChange.objects.get(reason="lexicon: version 2").actor == "rita"


def test_presets_set_the_inventory(project):
    assert roles_of(project) == [role["name"] for role in SEMEVAL_ROLES]
    run("import_lexicon", "books", "--roles", "verbnet")
    assert roles_of(project) == [role["name"] for role in VERBNET_ROLES]
    run("import_lexicon", "books", "--roles", "semeval-2019")
    assert roles_of(project) == [role["name"] for role in SEMEVAL_ROLES]
