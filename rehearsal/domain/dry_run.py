"""Dry runs, in which simulated workers annotate a copy of some of a project's items."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation.domain.corpus.neighbours import neighbours_of
from annotation.models import Item, Sentence
from audit.errors import TouchstoneError
from consolidation.protocols import protocol_of
from crowd.domain.provider.providers import has_builtin_marketplace
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import UNFINISHED
from projects.domain.create_project import create_project, current_guidelines, write_guidelines
from projects.domain.schemes import definition_of
from projects.enums import Role
from projects.models import Membership, Project
from rehearsal.domain.rehearse import Options, check_project, rehearse
from rehearsal.models import Rehearsal

ITEMS = 20
REHEARSAL = "rehearsal"
COPIED = (
    "protocol",
    "generators_per_item",
    "validators_per_item",
    "validators_to_agree",
    "revision_limit",
    "after_disputes",
    "exclusion_scope",
    "bonus_timing",
    "input_signals",
    "minimum_hourly_cents",
    "contact",
    "accepts_identical",
    "language",
    "shown_context",
)
# All that a sentence has, except its key and project
SENTENCE_FIELDS = tuple(
    field.attname for field in Sentence._meta.concrete_fields if field.name not in ("id", "project")
)


class RehearsalStartError(TouchstoneError):
    """The project has no items, or another rehearsal is running."""


@transaction.atomic
def start_rehearsal(*, project: Project, actor: str, now: datetime) -> Rehearsal:
    """Copy up to ITEMS items and queue a rehearsal of them. Raise RehearsalStartError."""
    if not has_builtin_marketplace():
        raise RehearsalStartError(
            "Rehearsals need the built-in marketplace, but this site uses another one."
        )
    items = list(
        project.items.filter(in_production=True)
        .select_related("sentence")
        .order_by("position")[:ITEMS]
    )
    if not items:
        raise RehearsalStartError("No items yet. Import a corpus first.")
    Project.objects.select_for_update().get(pk=project.pk)
    if project.rehearsals.filter(job__state__in=UNFINISHED).exists():
        raise RehearsalStartError("Another rehearsal is running. Wait until it has finished.")
    copy = _copy(project, now)
    _copy_items(items, copy)
    job = queue_job(
        kind=REHEARSAL,
        scope=project.slug,
        parameters={"copy": copy.slug, "title": copy.title},
        total=len(items),
        actor=actor,
        now=now,
    )
    return Rehearsal.objects.create(original=project, copy=copy, job=job)


def _copy(project: Project, now: datetime) -> Project:
    number = project.rehearsals.count() + 1
    copy = create_project(
        slug=f"{project.slug[:45]}-rehearsal-{project.pk}-{number}",
        title=f"Rehearsal {number} of {project.title}"[:200],
        scheme=project.scheme,
        definition=definition_of(project).value if project.definition_digest else None,
        pay_scheme=project.pay_scheme,
        cap_cents=None,  # simulated workers are paid in play money
        seed=project.seed,
        now=now,
    )
    for name in COPIED:
        setattr(copy, name, getattr(project, name))
    copy.save()
    for role in Role:
        if guidelines := current_guidelines(project_id=project.pk, role=role):
            write_guidelines(
                project=copy,
                role=role,
                text=guidelines.text,
                now=now,
                language=guidelines.language,
                translations=guidelines.translations,
            )
    Membership.objects.bulk_create(
        Membership(project=copy, user_id=membership.user_id, role=membership.role)
        for membership in project.memberships.all()
    )
    return copy


def _copy_items(items: list[Item], copy: Project) -> None:
    """Copy the items with their sentences, and the neighbours that pages show with these."""
    own = {item.sentence_id: item.sentence for item in items}
    shown = neighbours_of(project=items[0].project, sentences=own.values())
    names = {
        neighbour.external_id
        for neighbours in shown.values()
        for neighbour in (*neighbours.before, *neighbours.after)
    }
    others = items[0].project.sentences.filter(external_id__in=names).exclude(pk__in=own)
    # In the order of their keys, which is that of a document
    originals = sorted([*own.values(), *others], key=lambda sentence: sentence.pk)
    copies = Sentence.objects.bulk_create(
        Sentence(project=copy, **{name: getattr(sentence, name) for name in SENTENCE_FIELDS})
        for sentence in originals
    )
    by_original = {sentence.pk: row for sentence, row in zip(originals, copies, strict=True)}
    Item.objects.bulk_create(
        Item(
            project=copy,
            sentence=by_original[item.sentence_id],
            key=item.key,
            target=item.target,
            position=item.position,
        )
        for item in items
    )


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.parameters["copy"])
    try:
        check_project(project)
        least = protocol_of(project).min_workers(project)
        return rehearse(
            project=project,
            site=settings.SITE_URL,
            options=Options(invent=True, workers=max(project.generators_per_item + 4, least)),
            progress=lambda done, total: run.report(items=done, total=total),
        )
    except TouchstoneError as error:
        raise JobFailedError(str(error)) from error


# A rehearsal occupies a worker process for minutes, and needs others for payments and sweeps.
KIND = JobKind(run=_run, runs_alone=True)
