"""Pages of a project's rounds and its funnel."""

from collections.abc import Iterable, Iterator

from django.contrib import messages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.publishing.publish import terms_of
from consolidation.domain.cases.queries import count_expert_items
from crowd.domain.hits.plan_study import PayTooLowError
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.workers.write_mail import send_again, undelivered_mail
from crowd.models import Mail, Worker
from crowd.tasks import publish_hits
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import ask_first, job_state, render_page, wants_fragment
from projects.permissions import CAN_SEE_WORKERS, STAFF, project_page
from qualification.domain.pool.monitor_pool import open_alerts
from qualification.domain.rounds.invite import invitations
from qualification.domain.rounds.publish_round import (
    RoundPublishError,
    preview_round,
    publish_round,
    round_cents,
    waiting_for_cohort,
)
from qualification.domain.rounds.queries import rounds_of, unanswered_invitations
from qualification.domain.rounds.queue_rounds import queue_rounds, round_setups
from qualification.domain.rounds.set_up_rounds import TRAINED_ROLES, count_without_gold
from qualification.domain.rounds.withdraw_invitation import (
    AnsweredInvitationError,
    withdraw_invitation,
)
from qualification.domain.training.edit_round import RoundEditError, edit_round
from qualification.domain.training.funnel import Stage, funnel_of
from qualification.enums import RoundEntry
from qualification.forms import RoundForm, SetUpForm, SlotsForm
from qualification.models import Enrolment, Round
from schemes.contract.values import Noun
from web.charts import Unit, draw_category_bars
from web.downloads import csv_download
from web.money import dollars

SETUP = "qualification/fragments/round_setup.html"
_WORKERS = Noun("worker", "workers")


@require_GET
@project_page(CAN_SEE_WORKERS)
def rounds(request: HttpRequest, project: Project) -> HttpResponse:
    if "setup" in request.GET and wants_fragment(request):
        return job_state(request, project, round_setups(project).first(), SETUP)
    return _rounds(request, project, SetUpForm())


def _rounds(
    request: HttpRequest, project: Project, form: SetUpForm, *, status: int = 200
) -> HttpResponse:
    stages = funnel_of(project=project)
    job = round_setups(project).first()
    set_up_roles = set(project.rounds.values_list("role", flat=True))
    context = {
        # What an earlier set-up did is of no interest.
        "job": job if job and (job.is_unfinished or "setup" in request.GET) else None,
        "rounds": [
            {"round": round, "stage": stage}
            for round, stage in zip(rounds_of(project=project), stages, strict=True)
        ],
        "form": form,
        "experts": figures_of(count_expert_items, project=project, keep=bool).value,
        "roles_left": [role for role in TRAINED_ROLES if role not in set_up_roles],
        "alerts": open_alerts(project=project),
        "undelivered": undelivered_mail(workers=_people(project)),
    }
    return render_page(request, project, "qualification/rounds.html", context, status=status)


def _people(project: Project) -> QuerySet[Worker]:
    """Return the workers of the project's rounds and of its production feedback."""
    return Worker.objects.filter(
        Q(enrolments__round__project=project) | Q(pool_feedback__project=project)
    ).distinct()


@require_POST
@project_page(CAN_SEE_WORKERS)
def send_mail_again(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    mail = get_object_or_404(Mail, pk=pk, message__worker__in=_people(project))
    if send_again(mail=mail, now=timezone.now()):
        messages.success(request, "The email will be resent.")
    else:
        messages.error(
            request,
            "The email can't be resent, because it was delivered or the address was removed.",
        )
    return redirect("qualification:rounds", slug=project.slug)


@require_POST
@project_page(STAFF)
def set_up(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = SetUpForm(request.POST, request.FILES)
    if not form.is_valid():
        return _rounds(request, project, form, status=422)
    queue_rounds(
        project=project,
        preset=form.cleaned_data["preset"],
        items=form.cleaned_data["file"],
        annotations=form.cleaned_data["annotations"],
        actor=request.user.get_username(),
        now=timezone.now(),
    )
    return redirect(f"{reverse('qualification:rounds', args=[project.slug])}?setup=1")


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def publish(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    if request.method == "POST":
        return _publish(request, round)
    waiting = waiting_for_cohort(round)
    is_open = round.entry == RoundEntry.OPEN
    context = {
        "round": round,
        "waiting": invitations(round=round, enrolments=waiting),
        "is_open": is_open,
        # The number of workers of an open round is not known yet.
        "studies": preview_round(round=round, places=1 if is_open else len(waiting)),
        "per_worker": is_open,
        "items": round.round_items.count(),
        "missing": count_without_gold(round=round),
        "cents": round_cents(round=round, places=len(waiting)) if waiting else None,
        "unanswered": invitations(
            round=round, enrolments=list(unanswered_invitations(round=round))
        ),
    }
    return render_page(request, project, "qualification/publish.html", context)


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def edit(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    form = RoundForm(request.POST or None, round=round)
    if form.is_valid():
        try:
            actor, now = request.user.get_username(), timezone.now()
            changed = edit_round(
                round=round,
                admission=form.admission(),
                changes=form.changes(),
                actor=actor,
                now=now,
            )
        except RoundEditError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Saved." if changed else "Nothing was changed.")
            return redirect("qualification:round", slug=project.slug, pk=pk)
    context = {
        "round": round,
        "form": form,
        "items": round.round_items.count(),
        "pay": terms_of(project, round.role),
        "unit": scheme_of(project).vocabulary.unit,
        "cohorts": round.cohorts.count(),
    }
    status = 422 if form.is_bound else 200
    return render_page(request, project, "qualification/edit.html", context, status=status)


@require_POST
@project_page(STAFF)
def withdraw(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    """Withdraw an unanswered invitation to a round."""
    enrolments = Enrolment.objects.filter(round__project=project, round=pk)
    enrolment = get_object_or_404(enrolments.select_related("round"), worker__pseudonym=pseudonym)
    if confirmation := ask_first(
        request,
        project,
        title=f"Withdraw the invitation of {pseudonym}?",
        consequences=[
            f"{pseudonym} can no longer take part in {enrolment.round.title}.",
            "Budget that is reserved for this invitation is released.",
        ],
        button="Withdraw invitation",
        back=reverse("qualification:publish", args=[project.slug, pk]),
    ):
        return confirmation
    try:
        cents = withdraw_invitation(
            enrolment=enrolment, actor=request.user.get_username(), now=timezone.now()
        )
    except AnsweredInvitationError as error:
        messages.error(request, str(error))
    else:
        released = f" {dollars(cents)} are available again." if cents else ""
        messages.success(request, f"The invitation of {pseudonym} was withdrawn.{released}")
    return redirect("qualification:publish", slug=project.slug, pk=pk)


def _publish(request: HttpRequest, round: Round) -> HttpResponseBase:
    form = SlotsForm(request.POST)
    places = form.cleaned_data["slots"] if form.is_valid() else None
    if confirmation := _ask_before_publication(request, round, places):
        return confirmation
    try:
        cohort = publish_round(
            round=round, places=places, actor=request.user.get_username(), now=timezone.now()
        )
    except (RoundPublishError, BudgetExceededError, PayTooLowError) as error:
        messages.error(request, f"Nothing was published: {error}")
        return redirect("qualification:publish", slug=round.project.slug, pk=round.pk)
    # Robust, because the next sweep creates the HITs if the broker is down.
    transaction.on_commit(publish_hits.delay, robust=True)
    messages.success(request, f"{round.title} is on its way to {cohort.places} workers.")
    return redirect("qualification:round", slug=round.project.slug, pk=round.pk)


def _ask_before_publication(
    request: HttpRequest, round: Round, places: int | None
) -> HttpResponse | None:
    """Return a page that names the cost, or None if it is confirmed or publishing will fail."""
    count = places if round.entry == RoundEntry.OPEN else len(waiting_for_cohort(round))
    if not count:
        return None
    hits = round.project.hits_noun.count(round.round_items.count())
    people = _WORKERS.count(count)
    cents = dollars(round_cents(round=round, places=count))
    is_told = round.entry != RoundEntry.OPEN and not round.project.has_sessions
    messaged = ["Each worker receives a message."] if is_told else []
    return ask_first(
        request,
        round.project,
        title=f"Publish {round.title}?",
        consequences=[
            f"{hits}, for {people}.",
            f"Up to {cents} is reserved, including bonuses and fees.",
            *messaged,
        ],
        button=f"Publish {hits} for up to {cents}",
        back=reverse("qualification:publish", args=[round.project.slug, round.pk]),
        spends=True,
    )


COLUMNS = (
    "round", "invited", "started", "finished", "passed", "declined",
    "worker_hours", "trainer_minutes", "cents",
)  # fmt: skip


@require_GET
@project_page(CAN_SEE_WORKERS)
def funnel_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    rows = map(_csv_row, funnel_of(project=project))
    return csv_download(f"{project.slug}-funnel.csv", COLUMNS, rows)


def _csv_row(stage: Stage) -> list[object]:
    numbers = [stage.invited, stage.started, stage.finished, stage.passed, stage.declined]
    time = [f"{stage.worker_hours:.2f}", f"{stage.trainer_minutes:.1f}"]
    return [stage.title, *numbers, *time, stage.cents]


@require_GET
@project_page(CAN_SEE_WORKERS)
def funnel_svg(request: HttpRequest, project: Project) -> HttpResponse:
    bars = list(_bars(funnel_of(project=project)))
    counts = [float(count) for _, count in bars]
    svg = draw_category_bars(
        "Workers by step", [label for label, _ in bars], {"Workers": counts}, Unit.NUMBER
    )
    return HttpResponse(svg, content_type="image/svg+xml")


def _bars(stages: Iterable[Stage]) -> Iterator[tuple[str, int]]:
    """Yield each step of each round with its number of workers."""
    for stage in stages:
        yield f"{stage.title}: invited", stage.invited
        yield f"{stage.title}: finished", stage.finished
        yield f"{stage.title}: {'selected' if stage.opens_pool else 'passed'}", stage.passed
