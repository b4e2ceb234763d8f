"""Tests of the sentences that describe state changes."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings

from audit.models import StateChange
from dashboard.activity import DESCRIPTIONS, PHRASES, activities_of, phrase_of
from dashboard.project_log import KINDS
from projects.domain.change_project import change_pay
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 3, 12, tzinfo=UTC)
# Initial states of rows, which are not logged.
UNLOGGED = {("consolidation.Merge", "open")}
PATHS = {"consolidation:batch", "consolidation:item"}


def states() -> list[tuple[str, str]]:
    return [
        (label, value)
        for label, kind in KINDS.items()
        for field in kind.model._meta.fields
        if field.name == "state"
        for value, _ in field.choices
    ]


@pytest.mark.parametrize(("label", "state"), states())
def test_state_has_a_sentence(label, state):
    assert state in PHRASES[label] or (label, state) in UNLOGGED


def test_kind_has_a_description():
    assert set(DESCRIPTIONS) == set(KINDS)
    assert set(PHRASES) <= set(KINDS)


def test_change_in_the_code_has_a_sentence():
    """The test searches the code, so that a new logged change needs a phrase."""
    logged = set()
    for folder in ("annotation", "consolidation", "crowd", "datasets", "jobs", "qualification"):
        for path in Path(settings.BASE_DIR, folder).rglob("*.py"):
            for call in re.findall(
                r"log_state_changes?\((.*?)\n    ?\)", path.read_text(), re.DOTALL
            ):
                logged |= set(re.findall(r'new="([^"]+)"', call))
    known = {new for phrases in PHRASES.values() for new in phrases}
    assert logged
    assert logged - {"blocked", "lifted"} <= known


def test_sentences_use_only_object_and_detail():
    for phrases in PHRASES.values():
        for phrase in phrases.values():
            assert set(re.findall(r"{(\w*)}", phrase.did + phrase.was)) <= {"it", "detail"}


def sentence(project, row, old: str, new: str, *, actor: str = "ana", reason: str = "") -> str:
    change = StateChange.objects.create(
        aggregate=row._meta.label,
        object_id=row.pk,
        old=old,
        new=new,
        actor=actor,
        reason=reason,
        at=AT,
    )
    [activity] = activities_of([change], project=project, may=PATHS)
    return re.sub(r"<[^>]*>", "", activity.sentence)


@pytest.mark.parametrize(
    ("old", "new", "reason", "expected"),
    [
        (
            "",
            "changed",
            "reward of generators: $0.05 -> $0.06",
            "Ana Silva changed the reward of generators from $0.05 to $0.06.",
        ),
        (
            "",
            "changed",
            "guidelines for generators: version 3",
            "Ana Silva saved version 3 of the guidelines for generators.",
        ),
        (
            "",
            "changed",
            "consent text: version 2",
            "Ana Silva saved version 2 of the consent text.",
        ),
        ("none", "trainer", "member tom", "Ana Silva gave the role trainer to tom."),
        ("expert", "none", "member tom", "Ana Silva removed the role expert from tom."),
        ("consolidation", "validation", "", "Ana Silva chose the protocol validation."),
        ("active", "archived", "", "Ana Silva archived the project."),
        ("one", "two", "", "Ana Silva changed the project from “one” to “two”."),
    ],
)
def test_project_changes(project, old, new, reason, expected):
    user = make_user("ana")
    user.first_name, user.last_name = "Ana", "Silva"
    user.save()
    assert sentence(project, project, old, new, reason=reason) == expected


@pytest.mark.parametrize(
    ("old", "new", "reason", "expected"),
    [
        ("", "published", "120 HITs, $14.40", "Batch 1 was published: 120 HITs, $14.40."),
        ("open", "closed", "", "Batch 1 was ended."),
        ("paused", "open", "", "Batch 1 was resumed."),
        ("open", "ended 12 HITs", "", "12 HITs of Batch 1 were ended."),
        (
            "open",
            "2 more for 12 HITs",
            "",
            "More assignments of Batch 1 were published (2 more for 12 HITs).",
        ),
        ("limit: none", "limit: $9.00", "", "The cost of Batch 1 was limited to $9.00."),
        ("limit: $9.00", "limit: none", "", "The limit of Batch 1 was removed."),
        ("no top-up", "keep open: 5", "", "Batch 1 keeps 5 items open."),
        ("keep open: 5", "no top-up", "", "The automatic top-up of Batch 1 was stopped."),
        (
            "republication limit: 3",
            "republication limit: 1",
            "",
            "The automatic republications of Batch 1 were limited to 1.",
        ),
    ],
)
def test_automatic_changes_of_a_batch(campaign, old, new, reason, expected):
    batch = campaign.batches["generator"]
    assert sentence(campaign.project, batch, old, new, actor="automatic", reason=reason) == expected


def test_object_is_linked_for_users_who_may_open_it(campaign, project):
    change = StateChange(
        aggregate="annotation.Batch",
        object_id=campaign.batches["generator"].pk,
        old="open",
        new="closed",
        actor="automatic",
        at=AT,
    )
    [linked] = activities_of([change], project=project, may=PATHS)
    [unlinked] = activities_of([change], project=project, may=())
    assert f"/batches/{change.object_id}/" in linked.sentence
    assert "<a" not in unlinked.sentence


def test_user_texts_are_escaped(project):
    change = StateChange(
        aggregate="projects.Project",
        object_id=project.pk,
        old="",
        new="changed",
        reason="title: <b> {it} -> {detail} </b>",
        actor="automatic",
        at=AT,
    )
    [activity] = activities_of([change], project=project, may=())
    assert activity.sentence == (
        "The title from &lt;b&gt; {it} to {detail} &lt;/b&gt; was changed."
    )


def test_deleted_object_is_named_by_its_kind(project):
    change = StateChange(
        aggregate="qualification.Round",
        object_id=999,
        old="set up",
        new="deleted",
        actor="x",
        at=AT,
    )
    [activity] = activities_of([change], project=project, may=())
    assert activity.sentence == "A former round was deleted."
    assert phrase_of(change).shows_reason


def test_each_changed_term_of_pay_is_described(project):
    scheme = {role: dict(terms) for role, terms in project.pay_scheme.items()}
    scheme["generator"] |= {"reward_cents": 6, "free_units": 3}
    changes = change_pay(project=project, pay_scheme=scheme, actor="ana", now=AT)
    assert changes == [
        "reward of generators: $0.05 -> $0.06",
        "included questions of generators: 2 -> 3",
    ]
