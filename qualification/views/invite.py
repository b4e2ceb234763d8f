"""The page that invites workers to a round."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods

from crowd.domain.workers.register_worker import register_worker
from crowd.domain.workers.verify_workers import verify_workers
from crowd.models import Worker
from crowd.tasks import sync_qualification_requests
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import ask_first, render_list
from projects.permissions import STAFF, project_page
from projects.views.settings import actor_of
from projects.worker_names import label_of
from qualification.domain.rounds.choose_workers import (
    Candidate,
    candidates,
    candidates_of,
    invitable_workers,
    scores_of,
)
from qualification.domain.rounds.invite import invite as invite_to
from qualification.domain.rounds.publish_round import round_qualification
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.scores.figures import heading_of
from qualification.enums import RoundEntry
from qualification.invitation_forms import MAX_WORKERS, CandidateFilterForm, WorkerIdsForm
from qualification.models import Round
from qualification.templatetags.training import shown_value
from schemes.contract.values import Noun
from web.badges import badge_of
from web.lists import Column, Empty, Listing

WORKERS = Noun("worker", "workers")
SHOWN = 200


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def invite(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Invite the selected workers, and those with the entered ids."""
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    if round.entry == RoundEntry.OPEN:
        messages.info(request, f"{round.title} is open, so workers need no invitation.")
        return redirect("qualification:publish", slug=project.slug, pk=pk)
    if request.method == "POST":
        return _invite(request, round)
    return _page(request, round, WorkerIdsForm(provider=project.provider))


def _page(
    request: HttpRequest, round: Round, form: WorkerIdsForm, status: int = 200
) -> HttpResponseBase:
    filters = CandidateFilterForm(request.GET, round=round)
    scores = scores_of(round=round)
    listing = Listing(
        request=request,
        name="workers to invite",
        rows=candidates_of(round=round, **filters.selection()),
        columns=_columns(round, scores),
        count=WORKERS.count,
        load=lambda workers: candidates(round=round, workers=workers, scores=scores),
        size=SHOWN,
        is_filtered=any(request.GET.get(name) for name in filters.fields),
        bulk="qualification/fragments/invite.html",
        bulk_name="worker",
        empty=Empty(
            "No workers to choose from",
            "This site has seen no other workers yet. Invite workers by their ids below.",
        ),
    )
    context = {
        "round": round,
        "form": filters,
        "ids": form,
        "waiting": round.enrolments.filter(state="invited", cohort=None).count(),
    }
    page = "qualification/invite.html"
    return render_list(request, round.project, page, listing, context, status=status)


def _columns(round: Round, scores: dict[int, float | None]) -> list[Column]:
    main = scheme_of(round.project).comparison.figures[0]
    return [
        Column(
            "Worker",
            lambda row: row.worker.pseudonym,
            lambda row: format_html(
                "{} {}", row.worker.pseudonym, label_of(round.project, row.worker.pk)
            ),
            order="pseudonym",
        ),
        Column(
            "Rounds",
            lambda row: "; ".join(
                f"{enrolment.round.title}: {enrolment.get_state_display()}"
                for enrolment in row.enrolments
            ),
            _rounds_cell,
        ),
        Column(
            f"Last {heading_of(main)}",
            lambda row: "" if row.score is None else row.score,
            lambda row: shown_value(row.score, main),
            order=scores.get,
            about="In the newest evaluation of a round of this project.",
            is_number=True,
        ),
        Column(
            "Notes",
            lambda row: ", ".join(_notes(row)),
            lambda row: ", ".join(_notes(row)) or "–",
        ),
    ]


def _rounds_cell(row: Candidate) -> SafeString:
    parts = ((enrolment.round.title, badge_of(enrolment)) for enrolment in row.enrolments)
    return format_html("<span>{}</span>", format_html_join(" ", "{} {}", parts) or "–")


def _notes(row: Candidate) -> list[str]:
    notes = {"in the pool": row.is_member, "asked for a qualification": row.has_asked}
    return [note for note, applies in notes.items() if applies]


def _invite(request: HttpRequest, round: Round) -> HttpResponseBase:
    form = WorkerIdsForm(request.POST, provider=round.project.provider)
    selected = _selected(request, round)
    if form.is_valid() and not selected and not form.cleaned_data["ids"]:
        form.add_error(None, "Select at least one worker, or enter an id.")
    if not form.is_valid():
        return _page(request, round, form, status=422)
    ids = form.cleaned_data["ids"]
    checked = verify_workers(qualification=round_qualification(round), ids=ids)
    if checked.unknown:
        names = ", ".join(checked.unknown)
        crowd = capfirst(round.project.crowd_name)
        form.add_error("ids", f"{crowd} has no worker {names}. Check the ids.")
        return _page(request, round, form, status=422)
    if confirmation := _ask_about_turned_down(request, round, selected, ids):
        return confirmation
    now, provider = timezone.now(), round.project.provider
    workers = [register_worker(provider=provider, external_id=id, now=now) for id in ids]
    everyone = {worker.pk: worker for worker in [*selected, *workers]}
    count = invite_to(
        round=round, workers=list(everyone.values()), actor=actor_of(request), now=now
    )
    # Robust, because the next sweep sends the decisions if the broker is down.
    transaction.on_commit(sync_qualification_requests.delay, robust=True)
    _report(request, round.project, count, len(everyone), checked.unverified)
    return redirect("qualification:publish", slug=round.project.slug, pk=round.pk)


def _selected(request: HttpRequest, round: Round) -> list[Worker]:
    ids = [pk for pk in request.POST.getlist("worker") if pk.isdecimal() and len(pk) < 19]
    return list(invitable_workers(round=round).filter(pk__in=ids[:MAX_WORKERS]).order_by("pk"))


def _ask_about_turned_down(
    request: HttpRequest, round: Round, selected: list[Worker], ids: list[str]
) -> HttpResponseBase | None:
    """Return a page that names those who were declined or withdrawn before, or None."""
    entered = Worker.objects.filter(provider=round.project.provider, external_id__in=ids)
    rows = candidates(round=round, workers=[*selected, *entered], scores={})
    before = [(row, row.turned_down) for row in rows if row.turned_down]
    if not before:
        return None
    count = WORKERS.count(len(selected) + len(ids))
    return ask_first(
        request,
        round.project,
        title=f"Invite {count}?",
        consequences=[
            f"{row.worker.pseudonym} was {last.get_state_display()} in {last.round.title}."
            for row, last in before
            if last
        ],
        button=f"Invite {count}",
        back=reverse("qualification:invite", args=[round.project.slug, round.pk]),
        spends=True,
    )


def _report(
    request: HttpRequest, project: Project, count: int, chosen: int, unverified: list[str]
) -> None:
    noun = "worker is" if count == 1 else "workers are"
    if count:
        messages.success(request, f"{count} {noun} invited. Publish the round to offer it to them.")
    if before := chosen - count:
        messages.info(
            request,
            f"{WORKERS.count(before)} {'was' if before == 1 else 'were'} invited to this round "
            "before. Nothing changes for them.",
        )
    if unverified:
        messages.warning(
            request,
            f"{capfirst(project.crowd_name)} can’t confirm that these ids exist: "
            f"{', '.join(unverified)}. "
            "Withdraw an invitation with a wrong id below, so that nothing is reserved for it.",
        )
