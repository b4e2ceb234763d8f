"""Saved filters of a project's lists."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_POST

from projects.domain.save_filter import SavedFilterError, save_filter
from projects.forms import SavedFilterForm
from projects.models import Project, SavedFilter
from projects.permissions import MEMBERS, project_page


@require_POST
@project_page(MEMBERS, changes_archived=True)
def save(request: HttpRequest, project: Project) -> HttpResponseBase:
    assert request.user.is_authenticated
    form = SavedFilterForm(request.POST)
    problem = ""
    if form.is_valid():
        try:
            row = save_filter(project=project, user=request.user, **form.cleaned_data)
        except SavedFilterError as error:
            problem = str(error)
        else:
            messages.success(request, f"Saved the filter “{row.name}”.")
            return redirect(f"{_url_of(row.page, project)}?{row.query}")
    problem = problem or " ".join(str(error) for errors in form.errors.values() for error in errors)
    messages.error(request, f"The filter was not saved. {problem}")
    query = request.POST.get("query", "")
    return redirect(f"{_url_of(request.POST.get('page', ''), project)}?{query}")


@require_POST
@project_page(MEMBERS, changes_archived=True)
def delete(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    row = SavedFilter.objects.filter(project=project, user=request.user.pk, pk=pk).first()
    if row is None:
        messages.info(request, "The filter was already deleted.")
        return redirect("dashboard:project", slug=project.slug)
    row.delete()
    messages.success(request, f"Deleted the filter “{row.name}”.")
    return redirect(_url_of(row.page, project))


def _url_of(page: str, project: Project) -> str:
    """Return the URL of a list, or that of the project if there is no such list."""
    try:
        return reverse(page, args=[project.slug])
    except NoReverseMatch:
        return reverse("dashboard:project", args=[project.slug])
