"""Tags that show a project's menu, its set-up steps, and the help for a page."""

from collections.abc import Iterable

from django import template
from django.urls import reverse

from audit.models import StateChange
from dashboard import setting_up
from dashboard.activity import Activity, activities_of
from dashboard.help import topic_of
from dashboard.menu import MenuGroup, menu_of
from projects.models import Project
from projects.permissions import pages_open_to

register = template.Library()


@register.simple_tag(takes_context=True)
def project_menu(context: template.Context, project: Project) -> list[MenuGroup]:
    request = context["request"]
    may = context["may"] if "may" in context else pages_open_to(request.user, project)
    return menu_of(request, project, may)


@register.simple_tag(takes_context=True)
def path_on_page(context: template.Context) -> setting_up.PathOnPage:
    """Return the path of the page's project, as the page shows it."""
    request = context["request"]
    return setting_up.path_on_page(
        context["project"],
        page=request.resolver_match.view_name,
        address=request.path,
        may=context["may"],
    )


@register.simple_tag(takes_context=True)
def step_url(context: template.Context, step: setting_up.PathStep) -> str:
    return step.url(context["project"])


@register.simple_tag(takes_context=True)
def help_url(context: template.Context) -> str:
    """Return the address of the help for the current page."""
    match = context["request"].resolver_match
    return reverse("dashboard:help_page", args=[topic_of(match.view_name if match else "")])


@register.simple_tag(takes_context=True)
def in_sentences(context: template.Context, changes: Iterable[StateChange]) -> list[Activity]:
    """Return logged changes of the page's project as sentences."""
    return activities_of(changes, project=context["project"], may=context["may"])
