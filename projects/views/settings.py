"""Pages that create a project and change its settings and guidelines."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from audit.models import StateChange
from crowd.domain.money.ledger import CapTooLowError
from crowd.domain.provider.check_account import account_of, check_account
from crowd.enums import DEFAULT_PROVIDER, Provider
from projects.domain.change_project import (
    GuidelinesError,
    ProjectChangeError,
    change_guidelines,
    change_settings,
)
from projects.domain.choose_protocol import ProtocolError, choose_protocol, is_fixed
from projects.domain.create_project import ProjectExistsError, create_project, current_guidelines
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.forms import GuidelinesForm, ProjectForm, ProtocolForm, SettingsForm, TranslationForm
from projects.languages import CHOICES, DEFAULT_LANGUAGE, LANGUAGES
from projects.models import Guidelines, Project
from projects.pages import render_page
from projects.permissions import STAFF, project_creator_page, project_page
from web.markdown import render_markdown

CHANGES_SHOWN = 20
JOBS_SHOWN = 20


@require_http_methods(["GET", "POST"])
@project_creator_page
def project_new(request: HttpRequest) -> HttpResponseBase:
    form = ProjectForm(request.POST or None)
    if form.is_valid():
        try:
            project = _create(form, request)
        except ProjectExistsError as error:
            form.add_error("slug", str(error))
        except ProtocolError as error:
            form.add_error("protocol", str(error))
        else:
            messages.success(request, f"{project.title} created. Next: upload sentences.")
            return redirect("annotation:corpus", slug=project.slug)
    status = 422 if form.is_bound else 200
    return render(request, "projects/project_new.html", {"form": form}, status=status)


@transaction.atomic
def _create(form: ProjectForm, request: HttpRequest) -> Project:
    """Create the project with its protocol. Raise ProjectExistsError, ProtocolError."""
    data, now = form.cleaned_data, timezone.now()
    project = create_project(
        slug=data["slug"],
        title=data["title"],
        scheme=data["scheme"],
        definition=form.definition(),
        cap_cents=data["cap"],
        language=data["language"] or DEFAULT_LANGUAGE,
        minimum_hourly_cents=data["minimum_hourly"],
        provider=data.get("provider") or DEFAULT_PROVIDER,
        owner=request.user,  # type: ignore[arg-type]  # the page requires a signed-in user
        now=now,
    )
    return choose_protocol(project=project, actor=actor_of(request), now=now, **form.terms())


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def settings(request: HttpRequest, project: Project) -> HttpResponseBase:
    initial = SettingsForm.initial_of(project)
    form = SettingsForm(
        request.POST or None,
        initial=initial,
        protocol=project.protocol,
        provider=project.provider,
        free_form=scheme_of(project).content.free_form,
        suggestions=scheme_of(project).pages.suggestions,
        implied=scheme_of(project).pages.implied,
        context_answers=scheme_of(project).pages.context_answers,
    )
    if form.is_valid():
        try:
            changes = change_settings(
                project=project, wanted=form.wanted(), actor=actor_of(request), now=timezone.now()
            )
        except ProjectChangeError as error:
            form.add_error(error.setting, str(error))
        except CapTooLowError as error:
            form.add_error("cap", str(error))
        else:
            report_changes(request, changes)
            return redirect("projects:settings", slug=project.slug)
    log = StateChange.objects.filter(aggregate=project._meta.label, object_id=project.pk)
    context = {
        "form": form,
        "protocol_form": None if is_fixed(project=project) else ProtocolForm(project=project),
        "changes": log.order_by("-pk")[:CHANGES_SHOWN],
        "account": account_of(project.provider),
    }
    status = 422 if form.is_bound else 200
    return render_page(request, project, "projects/settings.html", context, status=status)


@require_POST
@project_page(STAFF)
def protocol(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Change the protocol of a project whose items are unpublished."""
    form = ProtocolForm(request.POST, project=project)
    if not form.is_valid():
        problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, f"The protocol was not changed. {problem}")
        return redirect("projects:settings", slug=project.slug)
    try:
        choose_protocol(
            project=project, actor=actor_of(request), now=timezone.now(), **form.cleaned_data
        )
    except ProtocolError as error:
        messages.error(request, f"The protocol was not changed. {error}")
    else:
        messages.success(request, "The protocol is saved.")
    return redirect("projects:settings", slug=project.slug)


@require_POST
@project_page(STAFF)
def check_provider(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Check the project's account at its crowd provider now."""
    account = account_of(project.provider)
    label = Provider(project.provider).label
    if account is None:
        messages.info(request, f"{label} has no account to check.")
    elif check_account(account=account, now=timezone.now()):
        messages.success(request, f"{label} works.")
    else:
        messages.error(request, f"{label} can't be used yet. See the error below.")
    return redirect("projects:settings", slug=project.slug)


def report_changes(request: HttpRequest, changes: list[str]) -> None:
    if changes:
        messages.success(request, f"Changed: {'; '.join(changes)}.")
    else:
        messages.info(request, "No changes.")


def actor_of(request: HttpRequest) -> str:
    return request.user.get_username()


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def guidelines(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Change a role's guidelines. "preview" renders the text as workers see it.

    The parameter "language" selects a translation.
    """
    role = request.GET.get("role", Role.GENERATOR)
    roles = [Role(name) for name in project.pay_scheme]
    if role not in roles:
        role = Role.GENERATOR
    newest = current_guidelines(project_id=project.pk, role=role)
    language = _translation_language(request, newest)
    form = _guidelines_form(request, newest, language)
    # The parameter is in the URL, because htmx posts the form without the button.
    previews = "preview" in request.GET and form.is_bound
    if form.is_valid() and not previews:
        try:
            written = change_guidelines(
                project=project,
                role=role,
                actor=actor_of(request),
                now=timezone.now(),
                **_changed_texts(form, language),
            )
        except GuidelinesError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
        else:
            report_changes(request, [f"guidelines, version {written.version}"] if written else [])
            address = f"{request.path}?role={role}"
            return redirect(f"{address}&language={language}" if language else address)
    versions = list(project.guidelines.filter(role=role).order_by("-version"))
    shown = next(
        (version for version in versions if str(version.version) == request.GET.get("version")),
        newest,
    )
    context = {
        "form": form,
        "role": Role(role),
        "roles": roles,
        "versions": versions,
        "shown": shown,
        "preview": render_markdown(shown.text_in(language or shown.language)) if shown else "",
        "main_language": LANGUAGES.get(newest.language, "") if newest else "",
        "language": language,
        "language_name": LANGUAGES.get(language, ""),
        "translations": _translations(newest, language),
        "languages": CHOICES,
    }
    if previews:
        context["preview"] = render_markdown(form.cleaned_data.get("text", ""))
    return render_page(
        request,
        project,
        "projects/guidelines.html",
        context,
        fragment="projects/fragments/guidelines_preview.html",
        status=422 if form.is_bound and not form.is_valid() else 200,
    )


def _translation_language(request: HttpRequest, newest: Guidelines | None) -> str:
    """Return the language of the selected translation, or "" for the main text."""
    language = request.GET.get("language", "")
    is_translation = newest is not None and language in LANGUAGES and language != newest.language
    return language if is_translation else ""


def _guidelines_form(
    request: HttpRequest, newest: Guidelines | None, language: str
) -> TranslationForm:
    data = request.POST or None
    if newest is None:
        return GuidelinesForm(data, initial={"language": DEFAULT_LANGUAGE})
    if language:
        return TranslationForm(data, initial={"text": newest.text_in(language)})
    return GuidelinesForm(data, initial={"text": newest.text, "language": newest.language})


def _changed_texts(form: TranslationForm, language: str) -> dict[str, Any]:
    """Return the arguments of `change_guidelines` for what was entered."""
    text = form.cleaned_data["text"]
    if language:
        return {"translations": {language: text}}
    return {"text": text, "language": form.cleaned_data["language"]}


def _translations(newest: Guidelines | None, language: str) -> dict[str, str]:
    """Return the names of the translations' languages, with that of the selected one."""
    tags = {*(newest.translations if newest else ()), language} - {""}
    return {tag: LANGUAGES[tag] for tag in sorted(tags)}
