"""A project is set up, and changed later, on these pages; each step is one of them."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.domain.change_project import (
    CanNotChange,
    ProjectSettings,
    change_guidelines,
    change_pay,
    change_settings,
)
from annotation.domain.create_project import ProjectExists, create_project, current_guidelines
from annotation.domain.kept_figures import figures_of
from annotation.domain.preview_corpus import preview_corpus
from annotation.domain.queries import corpus_size
from annotation.domain.queue_import import confirm_import, discard_import, queue_import
from annotation.domain.wage_forecast import forecast_wages, item_cents
from annotation.enums import ImportState, Role
from annotation.markdown import render_markdown
from annotation.models import Project
from annotation.permissions import founder_page, project_page
from annotation.tasks import run_waiting_imports
from audit.domain.change_state import MoveRefused
from audit.models import StateChange
from crowd.domain.ledger import CapTooLow
from crowd.domain.pay_scheme import PRESETS, PayScheme, PaySchemeError
from dashboard.forms.settings import CorpusForm, GuidelinesForm, PayForm, ProjectForm, SettingsForm
from dashboard.pages import render_page
from dashboard.setting_up import setup_steps
from rehearsal.domain.try_out import ITEMS, CanNotRehearse, begin_rehearsal
from rehearsal.enums import RehearsalState
from rehearsal.tasks import run_waiting_rehearsals
from schemes.registry import get_scheme

CHANGES_SHOWN = 20
REHEARSALS_SHOWN = 10
IMPORTS_SHOWN = 20


@require_http_methods(["GET", "POST"])
@founder_page
def project_new(request: HttpRequest) -> HttpResponseBase:
    form = ProjectForm(request.POST or None)
    if form.is_valid():
        given = form.cleaned_data
        try:
            project = create_project(
                slug=given["slug"],
                title=given["title"],
                scheme=given["scheme"],
                pay_scheme=given["pay"],
                cap_cents=given["cap"],
                owner=request.user,  # type: ignore[arg-type]  # nobody anonymous gets here
                now=timezone.now(),
            )
        except ProjectExists:
            form.add_error("slug", f"There is a project {given['slug']} already.")
        else:
            messages.success(request, f"{project.title} is there. Now it needs a corpus.")
            return redirect("dashboard:corpus", slug=project.slug)
    status = 422 if form.is_bound else 200
    return render(request, "dashboard/project_new.html", {"form": form}, status=status)


@require_http_methods(["GET", "POST"])
@project_page
def settings(request: HttpRequest, project: Project) -> HttpResponseBase:
    initial = SettingsForm.initial_of(ProjectSettings.of(project))
    form = SettingsForm(request.POST or None, initial=initial)
    if form.is_valid():
        try:
            told = change_settings(
                project=project, wanted=form.wanted(), actor=_actor(request), now=timezone.now()
            )
        except CanNotChange as error:
            form.add_error(error.setting, str(error))
        except CapTooLow as error:
            form.add_error("cap", str(error))
        else:
            _tell(request, told)
            return redirect("dashboard:settings", slug=project.slug)
    changes = StateChange.objects.filter(aggregate=project._meta.label, object_id=project.pk)
    context = {"form": form, "changes": changes.order_by("-pk")[:CHANGES_SHOWN]}
    return _page(request, project, "dashboard/settings.html", context, form.is_bound)


def _tell(request: HttpRequest, told: list[str]) -> None:
    if told:
        messages.success(request, f"Changed: {'; '.join(told)}.")
    else:
        messages.info(request, "Nothing was different.")


def _actor(request: HttpRequest) -> str:
    return request.user.get_username()


def _page(
    request: HttpRequest,
    project: Project,
    template: str,
    context: dict[str, Any],
    refused: bool,
    *,
    fragment: str = "",
) -> HttpResponse:
    whole = {"setup": setup_steps(project), **context}
    status = 422 if refused else 200
    return render_page(request, project, template, whole, fragment=fragment, status=status)


# --- corpus --------------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@project_page
def corpus(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Upload files, look at how they are read, and have them imported."""
    formats = get_scheme(project.scheme).corpus_formats
    form = CorpusForm(request.POST or None, request.FILES or None, formats=formats)
    if form.is_valid():
        given = form.cleaned_data
        row = queue_import(
            project=project,
            fmt=given["fmt"],
            files=[given["corpus"]],
            items_file=given["items"],
            domain=given["domain"],
            partition=given["partition"],
            strict=given["strict"],
            actor=_actor(request),
            now=timezone.now(),
            state=ImportState.UPLOADED,
        )
        return redirect("dashboard:corpus_preview", slug=project.slug, pk=row.pk)
    rows = project.imports.order_by("-pk")[:IMPORTS_SHOWN]
    busy = [ImportState.QUEUED, ImportState.RUNNING]
    context = {"form": form, "rows": rows, "busy": any(one.state in busy for one in rows)}
    shared = {"setup": setup_steps(project)}
    return render_page(
        request,
        project,
        "dashboard/corpus.html",
        {**shared, **context},
        fragment="dashboard/fragments/imports.html",
        status=422 if form.is_bound else 200,
    )


@require_http_methods(["GET", "POST"])
@project_page
def corpus_preview(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """The beginning of an upload as it would be read: to be imported, or thrown away."""
    row = get_object_or_404(project.imports, pk=pk)
    if row.state != ImportState.UPLOADED:
        return redirect("dashboard:corpus", slug=project.slug)
    if request.method == "GET":
        context = {"row": row, "read": preview_corpus(row)}
        return _page(request, project, "dashboard/corpus_preview.html", context, refused=False)
    try:
        if "discard" in request.POST:
            discard_import(row=row, actor=_actor(request), now=timezone.now())
            messages.info(request, "The upload was thrown away.")
        else:
            confirm_import(row=row, actor=_actor(request), now=timezone.now())
            # Robust: with the broker away the row stands, and the sweep finds it.
            transaction.on_commit(run_waiting_imports.delay, robust=True)
            messages.success(request, "The corpus is being read; you may leave this page.")
    except MoveRefused:
        messages.info(request, "Somebody has decided about this upload already.")
    return redirect("dashboard:corpus", slug=project.slug)


# --- guidelines ----------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@project_page
def guidelines(request: HttpRequest, project: Project) -> HttpResponseBase:
    """A role's guidelines, written anew; "preview" shows the text as workers would read it."""
    role = request.GET.get("role", Role.GENERATOR)
    roles = [Role(one) for one in project.pay_scheme]
    if role not in roles:
        role = Role.GENERATOR
    newest = current_guidelines(project_id=project.pk, role=role)
    form = GuidelinesForm(request.POST or None, initial={"text": newest.text if newest else ""})
    # In the address: htmx posts a form without the button that was pressed.
    previews = "preview" in request.GET and form.is_bound
    if form.is_valid() and not previews:
        written = change_guidelines(
            project=project,
            role=role,
            text=form.cleaned_data["text"],
            actor=_actor(request),
            now=timezone.now(),
        )
        _tell(request, [f"guidelines, version {written.version}"] if written else [])
        return redirect(f"{request.path}?role={role}")
    versions = list(project.guidelines.filter(role=role).order_by("-version"))
    shown = next(
        (one for one in versions if str(one.version) == request.GET.get("version")), newest
    )
    context = {
        "form": form,
        "role": Role(role),
        "roles": roles,
        "versions": versions,
        "shown": shown,
        "preview": render_markdown(shown.text) if shown else "",
    }
    if previews:
        context["preview"] = render_markdown(form.cleaned_data.get("text", ""))
    refused = form.is_bound and not form.is_valid()
    part = "dashboard/fragments/guidelines_preview.html"
    return _page(request, project, "dashboard/guidelines.html", context, refused, fragment=part)


# --- pay -----------------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@project_page
def pay(request: HttpRequest, project: Project) -> HttpResponseBase:
    """What each role's work earns; "forecast" shows what that means before it is saved."""
    present = _preset(request) or project.pay_scheme
    forms = [
        PayForm(request.POST or None, role=role, initial=terms) for role, terms in present.items()
    ]
    bound, valid = bool(request.POST), all(one.is_valid() for one in forms)
    wanted: PayScheme = {one.role: one.cleaned_data for one in forms} if valid else present  # type: ignore[misc]  # the form's fields are those of Terms
    problem = ""
    if valid and "save" in request.POST:
        try:
            told = change_pay(
                project=project, pay_scheme=wanted, actor=_actor(request), now=timezone.now()
            )
        except (PaySchemeError, CanNotChange) as error:
            problem = str(error)
        else:
            _tell(request, [f"pay of {len(told)} roles"] if told else [])
            return redirect("dashboard:pay", slug=project.slug)
    forecasts = forecast_wages(project=project, pay_scheme=wanted)
    items = figures_of(corpus_size, project=project).value.items
    each = item_cents(forecasts, generators=project.generators_per_item)
    context = {
        "forms": forms,
        "problem": problem,
        "presets": PRESETS,
        "forecasts": forecasts,
        "items": items,
        "each": each,
        "all": each * items,
    }
    refused = bound and (not valid or bool(problem))
    return _page(request, project, "dashboard/pay.html", context, refused)


def _preset(request: HttpRequest) -> PayScheme | None:
    return PRESETS.get(request.GET.get("preset", "")) if request.method == "GET" else None


# --- trying it out -------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@project_page
def try_out(request: HttpRequest, project: Project) -> HttpResponseBase:
    problem = ""
    if request.method == "POST":
        try:
            with transaction.atomic():
                begin_rehearsal(project=project, actor=_actor(request), now=timezone.now())
                transaction.on_commit(run_waiting_rehearsals.delay, robust=True)
        except CanNotRehearse as error:
            problem = str(error)
        else:
            messages.success(request, "Simulated workers are at work on a copy of your project.")
            return redirect("dashboard:try_out", slug=project.slug)
    rows = project.rehearsals.select_related("copy").order_by("-pk")[:REHEARSALS_SHOWN]
    under_way = [RehearsalState.QUEUED, RehearsalState.RUNNING]
    busy = any(one.state in under_way for one in rows)
    context = {"rows": rows, "busy": busy, "problem": problem, "most": ITEMS}
    shared = {"setup": setup_steps(project)}
    return render_page(
        request,
        project,
        "dashboard/try_out.html",
        {**shared, **context},
        fragment="dashboard/fragments/rehearsals.html",
        status=422 if problem else 200,
    )
