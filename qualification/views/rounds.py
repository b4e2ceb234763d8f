"""A project's rounds, its funnel, and who of the pool needs a look; rounds set up and published."""

import csv
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.publish import terms_of
from annotation.enums import Role
from annotation.models import Project
from annotation.permissions import pages_open_to, project_page
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.register_worker import register_worker
from crowd.domain.write_mail import send_again, undelivered_mail
from crowd.models import Mail, Worker
from crowd.tasks import create_pending_hits
from qualification.domain.edit_round import EditRefused, edit_round
from qualification.domain.funnel import Stage, funnel_of
from qualification.domain.publish_round import (
    RoundNotPublished,
    invite_workers,
    publish_round,
    round_cents,
    waiting_for_intake,
)
from qualification.domain.queries import rounds_of
from qualification.domain.set_up_rounds import (
    RoundsRefused,
    plans_of_preset,
    read_given_annotations,
    read_round_items,
    set_up_rounds,
)
from qualification.domain.watch_pool import open_alerts
from qualification.enums import RoundEntry
from qualification.forms import InviteForm, RoundForm, SeatsForm, SetUpForm
from qualification.models import Round
from schemes.base import FileError

Read = TypeVar("Read")


@require_GET
@project_page
def rounds(request: HttpRequest, project: Project) -> HttpResponse:
    return _rounds(request, project, SetUpForm())


def _rounds(
    request: HttpRequest, project: Project, form: SetUpForm, *, status: int = 200
) -> HttpResponse:
    stages = funnel_of(project=project)
    context = {
        "project": project,
        "may": pages_open_to(request.user, project),
        "rounds": [
            {"round": one, "stage": stage}
            for one, stage in zip(rounds_of(project=project), stages, strict=True)
        ],
        "form": form,
        "roles_left": _roles_without_rounds(project),
        "alerts": open_alerts(project=project),
        "undelivered": undelivered_mail(workers=_people(project)),
    }
    return render(request, "qualification/rounds.html", context, status=status)


def _people(project: Project) -> QuerySet[Worker]:
    """Everybody who was in a round of the project, or was written to about production."""
    return Worker.objects.filter(
        Q(enrolments__round__project=project) | Q(pool_feedback__project=project)
    ).distinct()


@require_POST
@project_page
def send_mail_again(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    mail = get_object_or_404(Mail, pk=pk, message__worker__in=_people(project))
    if send_again(mail=mail, now=timezone.now()):
        messages.success(request, "It will be sent again.")
    else:
        messages.error(request, "It can't be sent: it was delivered, or the address was removed.")
    return redirect("qualification:rounds", slug=project.slug)


def _roles_without_rounds(project: Project) -> list[str]:
    """The roles whose rounds can still be set up."""
    there = set(project.rounds.values_list("role", flat=True))
    return [role for role in (Role.GENERATOR, Role.CONSOLIDATOR) if role not in there]


@require_POST
@project_page
def set_up(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = SetUpForm(request.POST, request.FILES)
    if not form.is_valid():
        return _rounds(request, project, form, status=422)
    items, annotations = form.cleaned_data["file"], form.cleaned_data["annotations"]
    try:
        keys = _read(items, read_round_items) if items else {}
        given = _read(annotations, partial(read_given_annotations, project)) if annotations else {}
        plans = plans_of_preset(preset=form.cleaned_data["preset"], keys=keys, given=given)
        made = set_up_rounds(
            project=project,
            plans=plans,
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except (FileError, RoundsRefused) as error:
        form.add_error("file" if items else "annotations", str(error))
        return _rounds(request, project, form, status=422)
    messages.success(request, f"{len(made)} rounds are set up. Their items left production.")
    return redirect("qualification:rounds", slug=project.slug)


def _read(file: UploadedFile, read: Callable[[Path], Read]) -> Read:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(file.name or "upload.csv").name
        path.write_bytes(file.read())
        return read(path)


@require_http_methods(["GET", "POST"])
@project_page
def publish(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    one = get_object_or_404(rounds_of(project=project), pk=pk)
    if request.method == "POST" and "invite" in request.POST:
        return _invite(request, one)
    if request.method == "POST":
        return _publish(request, one)
    return _publish_page(request, one, InviteForm())


def _publish_page(
    request: HttpRequest, one: Round, form: InviteForm, *, status: int = 200
) -> HttpResponse:
    waiting = waiting_for_intake(one)
    context = {
        "project": one.project,
        "round": one,
        "waiting": waiting,
        "is_open": one.entry == RoundEntry.OPEN,
        "items": one.round_items.count(),
        "cents": round_cents(round=one, seats=len(waiting)) if waiting else None,
        "form": form,
    }
    return render(request, "qualification/publish.html", context, status=status)


@require_http_methods(["GET", "POST"])
@project_page
def edit(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    one = get_object_or_404(rounds_of(project=project), pk=pk)
    form = RoundForm(request.POST or None, round=one)
    if form.is_valid():
        try:
            changed = edit_round(
                round=one,
                changes=form.changes(),
                actor=request.user.get_username(),
                now=timezone.now(),
            )
        except EditRefused as error:
            form.add_error(None, str(error))
        else:
            told = "Saved." if changed else "Nothing was changed."
            messages.success(request, told)
            return redirect("qualification:round", slug=project.slug, pk=pk)
    context = {
        "project": project,
        "round": one,
        "form": form,
        "items": one.round_items.count(),
        "pay": terms_of(project, one.role),
        "intakes": one.intakes.count(),
    }
    status = 422 if form.is_bound else 200
    return render(request, "qualification/edit.html", context, status=status)


def _invite(request: HttpRequest, one: Round) -> HttpResponseBase:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _publish_page(request, one, form, status=422)
    now = timezone.now()
    workers = [
        register_worker(provider=one.project.provider, external_id=each, now=now)
        for each in form.cleaned_data["workers"]
    ]
    invite_workers(round=one, workers=workers, actor=request.user.get_username(), now=now)
    return redirect("qualification:publish", slug=one.project.slug, pk=one.pk)


def _publish(request: HttpRequest, one: Round) -> HttpResponseBase:
    form = SeatsForm(request.POST)
    seats = form.cleaned_data["seats"] if form.is_valid() else None
    try:
        intake = publish_round(
            round=one, seats=seats, actor=request.user.get_username(), now=timezone.now()
        )
    except (RoundNotPublished, BudgetExceeded) as error:
        messages.error(request, f"Nothing was published: {error}")
        return redirect("qualification:publish", slug=one.project.slug, pk=one.pk)
    create_pending_hits.delay()
    messages.success(request, f"{one.title} is on its way to {intake.seats} workers.")
    return redirect("qualification:round", slug=one.project.slug, pk=one.pk)


# --- the funnel


COLUMNS = (
    "round", "invited", "started", "finished", "passed", "declined",
    "worker_hours", "trainer_minutes", "cents",
)  # fmt: skip


@require_GET
@project_page
def funnel_csv(request: HttpRequest, project: Project) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-funnel.csv"'
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    for one in funnel_of(project=project):
        numbers = [one.invited, one.started, one.finished, one.passed, one.declined]
        time = [f"{one.worker_hours:.2f}", f"{one.trainer_minutes:.1f}"]
        writer.writerow([one.title, *numbers, *time, one.cents])
    return response


@require_GET
@project_page
def funnel_svg(request: HttpRequest, project: Project) -> HttpResponse:
    rows = list(_bars(funnel_of(project=project)))
    room = 7 * max((len(str(row["label"])) for row in rows), default=0)
    for row in rows:
        row["count_x"] = room + 22 + int(str(row["width"]))
    context = {
        "rows": rows, "height": 28 * len(rows) + 8, "width": room + 486,
        "label_x": room + 8, "bar_x": room + 16,
    }  # fmt: skip
    drawn = render_to_string("qualification/funnel.svg", context)
    return HttpResponse(drawn, content_type="image/svg+xml")


def _bars(stages: Iterable[Stage]) -> Iterator[dict[str, object]]:
    """A bar for each step that a worker takes, as wide as there are workers."""
    stages = list(stages)
    most = max((one.invited for one in stages), default=0)
    at = 8
    for one in stages:
        steps = [("invited", one.invited), ("finished", one.finished), ("passed", one.passed)]
        for name, count in steps:
            width = round(420 * count / most) if most else 0
            word = "selected" if name == "passed" and one.opens_pool else name
            yield {
                "label": f"{one.title}: {word}", "count": count, "y": at, "text_y": at + 15,
                "width": width, "last": name == "passed",
            }  # fmt: skip
            at += 28
