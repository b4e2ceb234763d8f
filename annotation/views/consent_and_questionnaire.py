"""The page of a project's consent text and questionnaire, and the download of the answers."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.work.onboarding.answers import (
    answered_count,
    answers_table,
    versions_with_counts,
)
from annotation.domain.work.onboarding.consent_text import (
    current_consent_text,
    publish_consent_text,
)
from annotation.domain.work.onboarding.questionnaire import (
    LANGUAGES,
    QuestionnaireError,
    QuestionnaireField,
    current_questionnaire,
    fields_of,
    publish_questionnaire,
)
from annotation.onboarding_page import form_field
from annotation.questionnaire_form import (
    PREFIX,
    ConsentTextForm,
    QuestionnaireFormSet,
    changed_rows,
    posted_rows,
    rows_of,
)
from projects.models import Project
from projects.pages import render_page
from projects.permissions import ADMINS, STAFF, project_page
from projects.views.settings import actor_of, report_changes
from web.downloads import csv_download
from web.markdown import render_markdown

PAGE = "annotation:consent_and_questionnaire"
TEMPLATE = "annotation/consent_and_questionnaire.html"
EDITOR = "annotation/fragments/questionnaire_editor.html"
# What the buttons of a field in the editor do.
CHANGES = (("up", "Move up"), ("down", "Move down"), ("remove", "Remove"))


@require_http_methods(["GET", "POST"])
@project_page(ADMINS)
def consent_and_questionnaire(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Publish a version of the consent text. "preview" renders it as workers see it."""
    newest = current_consent_text(project_id=project.pk)
    initial = {"text": newest.text if newest else ""}
    form = ConsentTextForm(request.POST or None, initial=initial)
    # The parameter is in the URL, because htmx posts the form without the button.
    previews = "preview" in request.GET and form.is_bound
    if form.is_valid() and not previews:
        published = publish_consent_text(
            project=project, actor=actor_of(request), now=timezone.now(), **form.cleaned_data
        )
        changes = [f"consent text, version {published.version}"] if published else []
        report_changes(request, changes)
        return redirect(PAGE, slug=project.slug)
    versions = versions_with_counts(project=project)
    asked_for = request.GET.get("version")
    shown = next((row for row, _ in versions if str(row.version) == asked_for), newest)
    text = form.cleaned_data.get("text", "") if previews else shown and shown.text
    context = {
        "form": form,
        "versions": versions,
        "shown": shown,
        "preview": render_markdown(text) if text else "",
        **_editor(fields_of(current_questionnaire(project_id=project.pk))),
        "answered": answered_count(project=project),
    }
    fragment = "projects/fragments/guidelines_preview.html"
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render_page(request, project, TEMPLATE, context, fragment=fragment, status=status)


@require_POST
@project_page(ADMINS)
def questionnaire(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Publish a version of the questionnaire, or change its form without publishing it."""
    formset = QuestionnaireFormSet(request.POST, prefix=PREFIX)
    if change := request.GET.get("change"):
        rows, index = changed_rows(posted_rows(formset), change)
        formset = QuestionnaireFormSet(initial=rows, prefix=PREFIX)
        context = {"formset": formset, "focus": index, "pressed": change.partition("-")[0]}
        return _render_editor(request, project, context)
    if not formset.is_valid():
        return _render_editor(request, project, {"formset": formset}, status=422)
    fields = [form.field() for form in formset]
    if "preview" in request.GET:
        return _render_editor(request, project, {"formset": formset, **_preview(fields)})
    try:
        published = publish_questionnaire(
            project=project, fields=fields, actor=actor_of(request), now=timezone.now()
        )
    except QuestionnaireError as error:
        context = {"formset": formset, "problem": error}
        return _render_editor(request, project, context, status=422)
    report_changes(request, [f"questionnaire, version {published.version}"] if published else [])
    return redirect(PAGE, slug=project.slug)


def _editor(fields: Sequence[QuestionnaireField]) -> dict[str, Any]:
    """Return the context of the editor and of its preview."""
    formset = QuestionnaireFormSet(initial=rows_of(fields), prefix=PREFIX)
    return {"formset": formset, "changes": CHANGES, **_preview(fields)}


def _preview(fields: Sequence[QuestionnaireField]) -> dict[str, Any]:
    """Return the context of the questionnaire as workers see it."""
    form = forms.Form(auto_id="preview_%s")
    for number, field in enumerate(fields):
        form.fields[f"preview_{number}"] = form_field(field)
    return {"preview_form": form, "languages": LANGUAGES}


def _render_editor(
    request: HttpRequest, project: Project, context: dict[str, Any], *, status: int = 200
) -> HttpResponseBase:
    """Render the editor, in its page if there is no script."""
    newest = current_consent_text(project_id=project.pk)
    whole = {
        "form": ConsentTextForm(initial={"text": newest.text if newest else ""}),
        "versions": versions_with_counts(project=project),
        "shown": newest,
        "preview": render_markdown(newest.text) if newest else "",
        "answered": answered_count(project=project),
        "changes": CHANGES,
        **context,
    }
    return render_page(request, project, TEMPLATE, whole, fragment=EDITOR, status=status)


@require_GET
@project_page(STAFF)
def answers_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Download the consents and answers, a row per worker, under their pseudonyms."""
    table = answers_table(project=project)
    name = f"{project.slug}-consent-and-questionnaire.csv"
    return csv_download(name, table.columns, table.rows, for_spreadsheets=True)
