"""Tags that show a project's menu, its set-up steps, and the help for a page."""

from collections.abc import Iterable

from django import template
from django.urls import reverse

from audit.models import StateChange
from dashboard.activity import Activity, activities_of
from dashboard.help import topic_of
from dashboard.menu import MenuGroup, menu_of
from dashboard.setting_up import SetUpStep
from dashboard.setting_up import setup_steps as steps_of
from projects.models import Project
from projects.permissions import pages_open_to

register = template.Library()


@register.simple_tag(takes_context=True)
def project_menu(context: template.Context, project: Project) -> list[MenuGroup]:
    request = context["request"]
    may = context["may"] if "may" in context else pages_open_to(request.user, project)
    return menu_of(request, project, may)


@register.simple_tag
def setup_steps(project: Project) -> list[SetUpStep]:
    return steps_of(project)


@register.simple_tag
def next_setup_step(project: Project, may: frozenset[str]) -> SetUpStep | None:
    """Return the first step after the corpus that is left to do and open to the user."""
    steps = steps_of(project)
    after = [step.route for step in steps].index("annotation:corpus") + 1
    open_steps = [step for step in steps[after:] if not step.done and step.route in may]
    return next(iter(open_steps), None)


@register.simple_tag(takes_context=True)
def help_url(context: template.Context) -> str:
    """Return the address of the help for the current page."""
    match = context["request"].resolver_match
    return reverse("dashboard:help_page", args=[topic_of(match.view_name if match else "")])


@register.simple_tag(takes_context=True)
def in_sentences(context: template.Context, changes: Iterable[StateChange]) -> list[Activity]:
    """Return logged changes of the page's project as sentences."""
    return activities_of(changes, project=context["project"], may=context["may"])
