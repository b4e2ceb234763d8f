"""Tests of lexical units that annotations propose: the page, the command and the lexicon."""

import csv
import io
import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.enums import SubmissionState
from audit.models import StateChange
from consolidation.domain.gold.add_gold import add_gold
from projects.command import InputError
from projects.domain.resources import resources_of
from projects.enums import MemberRole, Role
from projects.models import Project
from schemes.frames.frame_ranking import UnitIndex, rank_frames
from tests.annotation.factories import make_project as make_qasrl_project
from tests.annotation.factories import make_task
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.schemes.frames.projects import (
    content_of,
    import_sample,
    make_frames_project,
    make_record,
    settle,
    submit,
)

pytestmark = pytest.mark.django_db
HOCK = "hock/Commerce_sell"


@pytest.fixture
def project(job_files) -> Project:
    project = make_frames_project()
    import_sample(project)
    return project


@pytest.fixture
def client(project) -> Client:
    return member(project, MemberRole.REQUESTER)


def member(project: Project, role: MemberRole) -> Client:
    client = Client()
    client.force_login(make_user(f"{role}", project, role))
    return client


def annotate(project: Project, lemma: str = "hock", *, workers: int = 1, **fields):
    """Add a finished item whose workers chose a frame for the lemma."""
    item = make_record(project, lemma)
    for _ in range(workers):
        submit(item, content_of(lemma=lemma, **fields))
    settle(item)
    return item


def address(name: str = "proposals") -> str:
    return reverse(f"consolidation:{name}", args=["frames", "lexicon"])


def decide(client: Client, decision: str, *keys: str):
    form = {"decision": decision, "entry": keys}
    return client.post(address("decide_proposals"), form, follow=True)


def listed(client: Client, **query: str) -> list[dict[str, str]]:
    response = client.get(address(), {"format": "csv", **query})
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def keys(client: Client) -> list[str]:
    return [f"{row['Lemma']}/{row['Frame']}" for row in listed(client)]


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("proposed_entries", "frames", *arguments, stdout=output)
    return output.getvalue()


def suggested(project: Project, lemma: str) -> list[str]:
    """Return the frames that the lexicon alone suggests."""
    lexicon = resources_of(Project.objects.get(pk=project.pk))["lexicon"]
    units = UnitIndex.of(lexicon)
    return rank_frames(lemma, units=units, precedents=[], words=(), nouns=())


def test_finished_annotations_propose_units_the_most_used_first(client, project):
    annotate(project, "palm_off")
    items = [annotate(project, workers=2) for _ in range(2)]
    items += [annotate(project), annotate(project, "Hock")]
    rows = listed(client)
    assert [list(row.values())[:4] for row in rows] == [
        ["hock", "Commerce_sell", "6", "6"],
        ["palm off", "Commerce_sell", "1", "1"],
    ]
    page = client.get(address()).text
    assert rows[0]["Examples"] == " | ".join(["The fund sold bonds ."] * 3)
    for item in items[:3]:
        assert reverse("consolidation:item", args=["frames", item.pk]) in page
    assert reverse("consolidation:item", args=["frames", items[3].pk]) not in page
    assert "The fund <mark>sold</mark> bonds" in page
    resource = client.get(reverse("consolidation:resource", args=["frames", "lexicon"]))
    assert f'href="{address()}"' in resource.text


def test_one_worker_counts_once(client, project):
    first, second = annotate(project), make_record(project, "hock")
    submission = first.submissions.get()
    other = submit(second, content_of(lemma="hock"))
    other.worker = submission.worker
    other.save(update_fields=["worker"])
    settle(second)
    assert [(row["Annotations"], row["Annotators"]) for row in listed(client)] == [("2", "1")]


@pytest.mark.parametrize(
    ("lemma", "frame"),
    [
        ("sell", "Commerce_sell"),
        ("Sell_off", "Commerce_sell"),
        ("flog", "Commerce_sell"),  # an extra unit of the sample
        ("hock", "No_such_frame"),
        ("hock", ""),
        ("", "Commerce_sell"),
        ("x" * 201, "Commerce_sell"),
    ],
)
def test_known_units_and_unknown_frames_are_not_proposed(client, project, lemma, frame):
    annotate(project, lemma, frame=frame)
    assert keys(client) == []
    assert "No lexical units to decide about" in client.get(address()).text


def test_unfinished_rejected_and_offered_work_proposes_nothing(client, project):
    submit(make_record(project, "hock"), content_of(lemma="hock"))
    rejected = make_record(project, "hock")
    submit(rejected, content_of(lemma="hock"), state=SubmissionState.REJECTED)
    submit(rejected, content_of(lemma="hock"), role=Role.CONSOLIDATOR)
    settle(rejected)
    training = make_record(project, "hock", in_production=False)
    submit(training, content_of(lemma="hock"))
    settle(training)
    make_task([annotate(project)])
    assert keys(client) == []


def test_newest_expert_gold_proposes_units(client, project):
    item = make_record(project, "hock")
    settle(item)
    terms = {"item": item, "source": "expert", "provenance": [], "now": NOW}
    add_gold(content=content_of(lemma="hock", frame="Giving"), **terms)
    add_gold(content=content_of(lemma="hock"), **terms)
    assert [list(row.values())[:4] for row in listed(client)] == [
        ["hock", "Commerce_sell", "1", "0"]
    ]


def test_accepted_unit_is_an_extra_unit_of_a_new_version(client, project):
    annotate(project, workers=2)
    annotate(project, "palm_off")
    assert suggested(project, "hock") == []
    page = decide(client, "accept", HOCK)
    assert "Added 1 lexical unit to a new version." in page.text
    assert project.resources.count() == 2
    lexicon = project.resources.get(version=2).value
    assert lexicon["extra_units"][-1] == ["hock", "Commerce_sell", 2.0]
    assert suggested(project, "hock") == ["Commerce_sell"]
    assert keys(client) == ["palm off/Commerce_sell"]
    change = StateChange.objects.get(reason__contains="hock")
    assert (change.actor, change.reason) == (
        "requester",
        "lexicon: version 2, added from annotations: hock/Commerce_sell",
    )
    log = client.get(reverse("dashboard:log", args=["frames"])).text
    assert "saved version 2 of the lexicon, added from annotations: hock/Commerce_sell" in log
    entry = reverse("consolidation:resource_entry", args=["frames", "lexicon", "Commerce_sell"])
    assert "added from annotations, 2.0" in client.get(entry).text


def test_several_units_make_one_version(client, project):
    annotate(project)
    annotate(project, "palm_off", frame="Giving")
    decide(client, "accept", HOCK, "palm off/Giving", HOCK)
    assert project.resources.count() == 2
    units = project.resources.get(version=2).value["from_annotations"]
    assert units == [["hock", "Commerce_sell"], ["palm off", "Giving"]]


def test_accepted_units_stay_when_other_extra_units_are_imported(client, project, tmp_path):
    annotate(project)
    decide(client, "accept", HOCK)
    path = tmp_path / "units.csv"
    path.write_text("lemma,frame,score\nslip,Giving,0.5\n", "utf-8")
    call_command("import_lexicon", "frames", str(path), "--format", "csv", stdout=StringIO())
    assert project.resources.get(version=3).value["extra_units"] == [
        ["slip", "Giving", 0.5],
        ["hock", "Commerce_sell", 1.0],
    ]
    path.write_text("lemma,frame,score\nhock,Commerce_sell,0.5\n", "utf-8")
    call_command("import_lexicon", "frames", str(path), "--format", "csv", stdout=StringIO())
    extra = project.resources.get(version=4).value["extra_units"]
    assert extra == [["hock", "Commerce_sell", 0.5]]


def test_rejected_unit_is_stored_until_it_is_restored(client, project):
    annotate(project)
    assert "Rejected 1 lexical unit." in decide(client, "reject", HOCK).text
    assert keys(client) == []
    assert project.resources.count() == 1
    page = client.get(address()).text
    assert "Show the 1 rejected" in page
    [row] = listed(client, rejected="1")
    assert (row["Lexical unit"], row["Rejected by"]) == (HOCK, "requester")
    assert "hock" in client.get(f"{address()}?rejected=1").text
    assert "Restored 1 lexical unit." in decide(client, "restore", HOCK).text
    assert keys(client) == [HOCK]
    reasons = StateChange.objects.filter(reason__contains="hock").order_by("pk")
    assert [change.reason for change in reasons] == [
        "lexicon: rejected hock/Commerce_sell",
        "lexicon: restored hock/Commerce_sell",
    ]


@pytest.mark.parametrize("decision", ["accept", "reject", "restore", "delete", ""])
@pytest.mark.parametrize("chosen", [[], ["slip/Giving"], [HOCK, "slip/Giving"]])
def test_invalid_decision_changes_nothing(client, project, decision, chosen):
    annotate(project)
    before = StateChange.objects.count()
    page = decide(client, decision, *chosen)
    assert '<li class="error">' in page.text
    assert project.resources.count() == 1
    assert not project.rejected_entries.exists()
    assert StateChange.objects.count() == before
    assert keys(client) == [HOCK]


def test_members_read_and_trainers_do_not_decide(project):
    annotate(project)
    trainer = member(project, MemberRole.TRAINER)
    page = trainer.get(address())
    assert "hock" in page.text
    assert "Accept selected" not in page.text
    assert decide(trainer, "accept", HOCK).status_code == 403


def test_experts_decide(project):
    annotate(project)
    expert = member(project, MemberRole.EXPERT)
    assert "Accept selected" in expert.get(address()).text
    assert decide(expert, "accept", HOCK).status_code == 200
    assert keys(expert) == []


def test_schemes_without_proposals_lead_back(project):
    make_qasrl_project("news")
    admin = member(Project.objects.get(slug="news"), MemberRole.ADMIN)
    page = reverse("consolidation:proposals", args=["news", "lexicon"])
    everything = reverse("consolidation:resources", args=["news"])
    assert admin.get(page).url == everything
    assert admin.post(f"{page}decide/", {"decision": "accept"}).url == everything


def test_page_without_a_lexicon_is_empty(job_files):
    client = member(make_frames_project(), MemberRole.REQUESTER)
    assert "No lexical units to decide about" in client.get(address()).text


def test_texts_of_annotations_are_escaped(client, project):
    annotate(project, "<b>hock")
    page = client.get(address()).text
    assert "&lt;b&gt;hock" in page
    assert "<b>hock" not in page


def test_queries_do_not_depend_on_the_number_of_units(client, project):
    def queries() -> int:
        client.get(address())
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address()).status_code == 200
        return len(captured)

    for number in range(3):
        annotate(project, f"hock {number}")
    few = queries()
    for number in range(3, 30):
        annotate(project, f"hock {number}")
    assert queries() == few


def test_command_lists_and_decides(project):
    item = annotate(project, workers=2)
    annotate(project, "palm_off")
    assert run() == (
        "     2 annotations    2 annotators  hock/Commerce_sell\n"
        "     1 annotations    1 annotators  palm off/Commerce_sell\n"
    )
    facts = json.loads(run("--accept", HOCK, "--reject", "palm off/Commerce_sell", "--json"))
    assert (facts["proposed"], facts["rejected"]) == ([], ["palm off/Commerce_sell"])
    assert resources_of(project)["lexicon"]["extra_units"][-1] == ["hock", "Commerce_sell", 2.0]
    assert item.submissions.count() == 2
    facts = json.loads(run("--restore", "palm off/Commerce_sell", "--json"))
    assert [row["key"] for row in facts["proposed"]] == ["palm off/Commerce_sell"]
    assert facts["proposed"][0]["examples"] == [
        {"item": "s2/3", "sentence": "The fund sold bonds ."}
    ]


def test_command_decides_everything_or_nothing(project):
    annotate(project)
    with pytest.raises(InputError, match="slip/Giving isn't proposed"):
        run("--accept", HOCK, "--reject", "slip/Giving")
    assert project.resources.count() == 1
    make_qasrl_project("news")
    with pytest.raises(InputError, match="Resources with proposals: none"):
        call_command("proposed_entries", "news", stdout=StringIO())
