"""The log in sentences: who did what to which object, with links."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from audit.models import StateChange
from crowd.models import Worker
from dashboard.project_log import KINDS
from projects.enums import MemberRole, Protocol
from projects.models import Project
from web.lists import link
from web.money import dollars
from web.states import Phrase, action, states_of

# The phrases of changes that are no states.
EVENTS: Mapping[str, Mapping[str, Phrase]] = {
    "projects.Project": {
        "active": action("unarchived"),
        "archived": action("archived"),
        "deleted": action("deleted"),
        "messages written": Phrase("wrote to workers of {it}", "workers of {it} were written to"),
        "webhook tested": Phrase("tested a webhook of {it}", "a webhook of {it} was tested"),
        "event sent again": Phrase(
            "sent an event again to a webhook of {it}",
            "an event was sent again to a webhook of {it}",
        ),
    },
    "projects.Invitation": {
        "invited": action("sent"),
        "accepted": action("accepted"),
        "withdrawn": action("withdrew", "withdrawn"),
    },
    "annotation.Batch": {
        "published": Phrase(
            "published {it}: {detail}", "{it} was published: {detail}", shows_reason=False
        )
    },
    "annotation.Item": {
        "withdrawn": action("withdrew", "withdrawn"),
        "restored": action("restored"),
    },
    "annotation.Submission": {"opened again": Phrase("opened {it} again", "{it} was opened again")},
    "annotation.HeldBonus": {
        "appealed": Phrase("appealed about {it}", "an appeal about {it} was received"),
        "upheld": Phrase("declined the appeal about {it}", "the appeal about {it} was declined"),
    },
    "crowd.Hit": {"republished": action("republished")},
    "crowd.QualificationGrant": {"granted": action("granted")},
    "qualification.Round": {
        "set up": Phrase("set up {it}", "{it} was set up"),
        "edited": action("changed"),
        "deleted": action("deleted"),
    },
    "qualification.Enrolment": {"deleted": action("removed")},
    "qualification.Feedback": {"sent": action("sent")},
    "qualification.Alert": {"raised": action("raised"), "acknowledged": action("acknowledged")},
    "consolidation.Review": {"requested": Phrase("requested {it}", "{it} was requested")},
    "consolidation.ExpertQueue": {
        "edited": action("changed"),
        "used as gold": Phrase(
            "used annotations of {it} as expert gold", "annotations of {it} became expert gold"
        ),
    },
    "consolidation.Experiment": {"begun": action("started")},
    "datasets.Decision": {"undone": Phrase("removed {it}", "{it} was removed")},
    "datasets.ErrorSample": {"drawn": action("drew", "drawn")},
    "releases.Release": {"released": action("released")},
    "benchmarks.Benchmark": {
        "opened": action("opened"),
        "edited": action("changed"),
        "closed": action("closed"),
    },
    "benchmarks.Team": {
        "registered": action("registered"),
        "joined": Phrase("joined {it}", "{it} got a member"),
        "withdrawn": action("withdrew", "withdrawn"),
    },
    "benchmarks.Entry": {
        "received": action("sent"),
        "withdrawn": action("withdrew", "withdrawn"),
    },
    "releases.ServiceToken": {"entered": action("entered"), "deleted": action("deleted")},
    "crowd.PublishingHold": {
        "held": Phrase("stopped publishing and payments", "publishing and payments were stopped"),
        "lifted": Phrase("resumed publishing and payments", "publishing and payments were resumed"),
    },
}


def _phrases(label: str, model: type[Model]) -> dict[str, Phrase]:
    has_states = any(field.name == "state" for field in model._meta.fields)
    states = states_of(model) if has_states else ()
    of_states = {state.value: state.phrase for state in states if state.phrase}
    return {**of_states, **EVENTS.get(label, {})}


PHRASES: Mapping[str, Mapping[str, Phrase]] = {
    label: _phrases(label, kind.model) for label, kind in KINDS.items()
}

# The changes of a batch that have numbers.
_BATCH_CHANGES: Sequence[tuple[re.Pattern[str], str, str]] = (
    (
        re.compile(r"republication limit: (?P<detail>\d+)"),
        "limited the automatic republications of {it} to {detail}",
        "the automatic republications of {it} were limited to {detail}",
    ),
    (
        re.compile(r"keep open: (?P<detail>\d+)"),
        "set {it} to keep {detail} items open",
        "{it} keeps {detail} items open",
    ),
    (
        re.compile(r"limit: (?P<detail>\$.+)"),
        "limited the cost of {it} to {detail}",
        "the cost of {it} was limited to {detail}",
    ),
    (
        re.compile(r"limit: none"),
        "removed the limit of {it}",
        "the limit of {it} was removed",
    ),
    (
        re.compile(r"no top-up"),
        "stopped the automatic top-up of {it}",
        "the automatic top-up of {it} was stopped",
    ),
    (
        re.compile(r"(?P<detail>\d+ more for \d+ \w+)"),
        "published more assignments of {it} ({detail})",
        "more assignments of {it} were published ({detail})",
    ),
    *(
        (
            re.compile(rf"{past} (?P<detail>\d+ \w+)"),
            f"{past} {{detail}} of {{it}}",
            f"{{detail}} of {{it}} were {past}",
        )
        for past in ("paused", "resumed", "ended", "extended")
    ),
)


def phrase_of(change: StateChange) -> Phrase:
    """Return the phrase of a change. Changes without a phrase of their own get a general one."""
    special = _SPECIAL.get(change.aggregate)
    phrase = special(change) if special else None
    if phrase is None:
        phrase = PHRASES.get(change.aggregate, {}).get(change.new)
    if phrase is None and change.old and change.old != change.new:
        states = f"from “{change.old}” to “{change.new}”"
        return Phrase("changed {it} {detail}", "{it} changed {detail}", states)
    if phrase is None:
        return Phrase("changed {it}: {detail}", "{it} changed: {detail}", change.new)
    return phrase


_SETTING = re.compile(r"(?P<name>[^:]+): (?P<old>.*) -> (?P<new>.*)", re.DOTALL)
_VERSION = re.compile(r"(?P<name>[^:]+): version (?P<version>\d+)(?P<origin>, .+)?", re.DOTALL)


def _project_phrase(change: StateChange) -> Phrase | None:
    if change.new == "changed":
        return _setting_phrase(change.reason)
    member = change.reason.removeprefix("member ")
    if change.new in MemberRole.values:
        role = f"{change.new} to {member}"
        return Phrase("gave the role {detail}", "the role {detail} was given", role, False)
    if change.new == "none":
        role = f"{change.old} from {member}"
        return Phrase("removed the role {detail}", "the role {detail} was removed", role, False)
    if change.new in Protocol.values:
        return Phrase("chose the protocol {detail}", "the protocol {detail} was chosen", change.new)
    return None


def _setting_phrase(reason: str) -> Phrase:
    if match := _SETTING.fullmatch(reason):
        detail = f"{match['name']} from {match['old']} to {match['new']}"
        return Phrase("changed the {detail}", "the {detail} was changed", detail, False)
    if match := _VERSION.fullmatch(reason):
        detail = f"version {match['version']} of the {match['name']}{match['origin'] or ''}"
        return Phrase("saved {detail}", "{detail} was saved", detail, False)
    return Phrase("changed the {detail}", "the {detail} was changed", reason, False)


def _batch_phrase(change: StateChange) -> Phrase | None:
    if change.old == "paused" and change.new == "open":
        return action("resumed")
    if change.old == "publishing" and change.new == "open":
        return Phrase("published {it}", "{it} was published")
    for pattern, did, was in _BATCH_CHANGES:
        if match := pattern.fullmatch(change.new):
            return Phrase(did, was, match.groupdict().get("detail", ""))
    return None


def _submission_phrase(change: StateChange) -> Phrase | None:
    if change.old == change.new:
        return Phrase("chose a copy of {it}", "a copy of {it} was chosen")
    return None


def _case_phrase(change: StateChange) -> Phrase | None:
    if change.old == change.new:
        return Phrase("offered {it} for revision", "{it} was offered for revision")
    return None


def _session_phrase(change: StateChange) -> Phrase | None:
    if change.old == change.new:
        return Phrase("refused {it}", "{it} was refused")
    return None


def _grant_phrase(change: StateChange) -> Phrase | None:
    if change.new.startswith("group ") or change.new == "no group":
        return Phrase("moved {it} to {detail}", "{it} was moved to {detail}", change.new)
    return None


def _decision_phrase(change: StateChange) -> Phrase | None:
    if change.old or not change.new:
        return None
    return Phrase("marked {it} as {detail}", "{it} was marked as {detail}", change.new)


_SPECIAL: Mapping[str, Callable[[StateChange], Phrase | None]] = {
    "projects.Project": _project_phrase,
    "annotation.Batch": _batch_phrase,
    "annotation.Submission": _submission_phrase,
    "consolidation.Case": _case_phrase,
    "crowd.StudySession": _session_phrase,
    "crowd.QualificationGrant": _grant_phrase,
    "datasets.Decision": _decision_phrase,
    "datasets.SampledPart": _decision_phrase,
}


# Actors whose names add nothing to a sentence: of automatic changes, and the kinds of jobs.
UNNAMED = {"automatic", *settings.JOB_KINDS}


@dataclass(frozen=True, slots=True)
class LoggedObject:
    """An object of the log, with its name in a sentence and a page about it."""

    name: str
    route: str = ""
    args: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Description:
    """How to describe the rows of a kind. `related` is what `describe` reads of other rows."""

    describe: Callable[[Any], LoggedObject]
    related: tuple[str, ...] = ()


def _item(item: Any, prefix: str) -> LoggedObject:
    return LoggedObject(f"{prefix} {item.key}", "consolidation:item", (item.pk,))


def _worker(worker: Any, name: str) -> LoggedObject:
    return LoggedObject(name, "qualification:worker", (worker.pseudonym,))


def _hit(hit: Any) -> LoggedObject:
    batch = hit.task.batch if hasattr(hit, "task") else None
    if batch is None:
        return LoggedObject("a task that pays a worker")
    return LoggedObject(f"a task of {batch.name}", "consolidation:batch", (batch.pk,))


def _submission(row: Any) -> LoggedObject:
    by = f" by {row.worker.pseudonym}" if row.worker else ""
    return _item(row.item, f"the {row.get_role_display()}'s work{by} on")


def _enrolment(row: Any) -> LoggedObject:
    name = f"{row.worker.pseudonym} in {row.round.title}"
    return LoggedObject(name, "qualification:trainee", (row.round_id, row.worker.pseudonym))


def _feedback(row: Any) -> LoggedObject:
    enrolment = row.evaluation.enrolment
    return replace(_enrolment(enrolment), name=f"the feedback for {_enrolment(enrolment).name}")


def _job(row: Any) -> LoggedObject:
    files = ", ".join(file["name"] for file in row.parameters.get("files", ()))
    title = files or row.parameters.get("title") or row.parameters.get("format", "")
    name = f"the {row.kind.replace('-', ' ')} {title}".strip()
    return LoggedObject(name, "dashboard:jobs")


def _payment(row: Any) -> LoggedObject:
    worker = row.assignment.worker
    name = f"the {row.get_kind_display()} of {dollars(row.amount_cents)} for {worker.pseudonym}"
    return _worker(worker, name)


def _settlement(row: Any) -> LoggedObject:
    worker = row.session.worker
    amount = dollars(row.reward_cents + row.bonus_cents)
    return _worker(worker, f"the payment of {amount} for a session of {worker.pseudonym}")


DESCRIPTIONS: Mapping[str, Description] = {
    "projects.Project": Description(lambda row: LoggedObject("the project")),
    "projects.Invitation": Description(
        lambda row: LoggedObject(f"the invitation of {row.email} as {row.role}", "projects:members")
    ),
    "jobs.Job": Description(_job),
    "annotation.Batch": Description(
        lambda row: LoggedObject(row.name, "consolidation:batch", (row.pk,))
    ),
    "annotation.Item": Description(lambda row: _item(row, "item")),
    "annotation.Submission": Description(_submission, ("item", "worker")),
    "annotation.HeldBonus": Description(
        lambda row: _payment(row.payment), ("payment__assignment__worker",)
    ),
    "crowd.Hit": Description(_hit, ("task__batch",)),
    "crowd.Assignment": Description(
        lambda row: _worker(row.worker, f"an assignment of {row.worker.pseudonym}"), ("worker",)
    ),
    "crowd.Payment": Description(_payment, ("assignment__worker",)),
    "crowd.Study": Description(
        lambda row: LoggedObject(f"the study “{row.hit_type.title}”"), ("hit_type",)
    ),
    "crowd.StudySession": Description(
        lambda row: _worker(row.worker, f"a session of {row.worker.pseudonym}"), ("worker",)
    ),
    "crowd.Settlement": Description(_settlement, ("session__worker",)),
    "crowd.QualificationGrant": Description(
        lambda row: _worker(
            row.worker,
            f"the qualification “{row.qualification_type.name}” of {row.worker.pseudonym}",
        ),
        ("worker", "qualification_type"),
    ),
    "crowd.QualificationRequest": Description(
        lambda row: LoggedObject(
            f"the request of {row.worker.pseudonym} for “{row.qualification_type.name}”",
            "qualification:requests",
        ),
        ("worker", "qualification_type"),
    ),
    "qualification.Round": Description(
        lambda row: LoggedObject(f"the round {row.title}", "qualification:round", (row.pk,))
    ),
    "qualification.Enrolment": Description(_enrolment, ("worker", "round")),
    "qualification.Feedback": Description(
        _feedback, ("evaluation__enrolment__worker", "evaluation__enrolment__round")
    ),
    "qualification.Alert": Description(
        lambda row: LoggedObject(
            f"the alert “{row.get_kind_display()}” about {row.worker.pseudonym}",
            "qualification:pool_worker",
            (row.worker.pseudonym,),
        ),
        ("worker",),
    ),
    "consolidation.Case": Description(lambda row: _item(row.item, "item"), ("item",)),
    "consolidation.Review": Description(
        lambda row: LoggedObject(
            f"the review of {row.gold.item.key}", "consolidation:review", (row.pk,)
        ),
        ("gold__item",),
    ),
    "consolidation.ExpertQueue": Description(
        lambda row: LoggedObject(f"the queue {row.title}", "consolidation:expert_queue", (row.pk,))
    ),
    "consolidation.ItemFlag": Description(
        lambda row: LoggedObject(f"the flag on {row.item.key}", "consolidation:flags"), ("item",)
    ),
    "consolidation.Merge": Description(
        lambda row: _item(row.queued.item, "the merge of"), ("queued__item",)
    ),
    "consolidation.Experiment": Description(
        lambda row: LoggedObject(
            f"the experiment with {row.batch.name}", "datasets:experiment", (row.pk,)
        ),
        ("batch",),
    ),
    "datasets.Decision": Description(
        lambda row: _item(row.reference.item, "an answer of"), ("reference__item",)
    ),
    "datasets.ErrorSample": Description(
        lambda row: LoggedObject("an error sample", "datasets:error_sample", (row.pk,))
    ),
    "releases.Release": Description(
        lambda row: LoggedObject(
            f"version {row.version} of the gold", "releases:release_details", (row.version,)
        )
    ),
    "benchmarks.Benchmark": Description(
        lambda row: LoggedObject(
            f"the benchmark “{row.title}”", "benchmarks:benchmark", (row.release.version,)
        ),
        ("release",),
    ),
    "benchmarks.Team": Description(
        lambda row: LoggedObject(
            f"the {'baseline' if row.is_baseline else 'team'} “{row.name}”",
            "benchmarks:benchmark",
            (row.benchmark.release.version,),
        ),
        ("benchmark__release",),
    ),
    "benchmarks.Entry": Description(
        lambda row: LoggedObject(
            f"the entry “{row.system}” of {row.team.name}",
            "benchmarks:benchmark",
            (row.team.benchmark.release.version,),
        ),
        ("team__benchmark__release",),
    ),
    "releases.Publication": Description(
        lambda row: LoggedObject(
            f"the publication of version {row.release.version} on {row.get_service_display()}",
            "releases:publish_release",
            (row.release.version, row.service),
        ),
        ("release",),
    ),
    "releases.ServiceToken": Description(
        lambda row: LoggedObject(f"the token for {row.get_service_display()}")
    ),
    "datasets.SampledPart": Description(
        lambda row: LoggedObject(
            f"answer {row.position} of an error sample", "datasets:error_sample", (row.sample_id,)
        )
    ),
    "crowd.PublishingHold": Description(lambda row: LoggedObject("the hold on publishing")),
}


@dataclass(frozen=True, slots=True)
class Activity:
    """A change as a sentence, and what the sentence does not contain.

    `process` is the process that made an automatic change, if it is known. Workers' changes are
    automatic, because they follow from their submissions.
    """

    change: StateChange
    sentence: SafeString
    reason: str = ""
    is_automatic: bool = False
    process: str = ""


def activities_of(
    changes: Iterable[StateChange], *, project: Project, may: Container[str]
) -> list[Activity]:
    """Return the changes in sentences, which link to the pages that the reader may open."""
    rows = list(changes)
    people, workers, objects = people_of(rows), _workers_of(rows), _logged_objects(rows)
    names = {**workers, **people}
    activities = []
    for change in rows:
        phrase, person = phrase_of(change), names.get(change.actor, "")
        logged = objects.get((change.aggregate, change.object_id)) or _unknown(change)
        if not person and phrase.was.startswith("{it}"):
            logged = replace(logged, name=capfirst(logged.name))
        it, detail = _linked(logged, project, may), phrase.detail or change.reason
        sentence = _sentence(phrase, person, it, detail)
        reason = change.reason if phrase.shows_reason else ""
        process = "" if person or change.actor in UNNAMED else change.actor
        if process == "marketplace":
            process = project.crowd_name.removeprefix("the ")
        is_automatic = change.actor not in people
        activities.append(Activity(change, sentence, reason, is_automatic, process))
    return activities


def _sentence(phrase: Phrase, person: str, it: str, detail: str) -> SafeString:
    if person:
        return format_html("<b>{}</b> {}.", person, format_html(phrase.did, it=it, detail=detail))
    # A sentence that starts with another word than the object's name.
    was = phrase.was if phrase.was.startswith("{") else capfirst(phrase.was)
    return format_html(
        was + ".", it=it, detail=capfirst(detail) if was[0:8] == "{detail}" else detail
    )


def people_of(changes: Iterable[StateChange]) -> dict[str, str]:
    """Return the names of the users among the actors, by username."""
    actors = {change.actor for change in changes}
    users = get_user_model().objects.filter(username__in=actors)
    return {user.get_username(): user.get_full_name() or user.get_username() for user in users}


def _workers_of(changes: Iterable[StateChange]) -> dict[str, str]:
    """Return the pseudonyms of the workers among the actors."""
    actors = {change.actor for change in changes}
    names = Worker.objects.filter(pseudonym__in=actors).values_list("pseudonym", flat=True)
    return {name: name for name in names}


def _logged_objects(changes: Sequence[StateChange]) -> dict[tuple[str, int], LoggedObject]:
    ids: dict[str, set[int]] = {}
    for change in changes:
        ids.setdefault(change.aggregate, set()).add(change.object_id)
    objects = {}
    for label, pks in ids.items():
        if label not in KINDS:
            continue
        kind = DESCRIPTIONS[label]
        rows = KINDS[label].model._default_manager.filter(pk__in=pks)
        for row in rows.select_related(*kind.related) if kind.related else rows:
            objects[label, row.pk] = kind.describe(row)
    return objects


def _linked(logged: LoggedObject, project: Project, may: Container[str]) -> str:
    if not logged.route or logged.route not in may:
        return logged.name
    return link(reverse(logged.route, args=[project.slug, *logged.args]), logged.name)


def _unknown(change: StateChange) -> LoggedObject:
    """Return the name of an object that was deleted."""
    kind = KINDS.get(change.aggregate)
    return LoggedObject(f"a former {kind.name}" if kind else "an object")
