"""Tags that show a project's menu and its set-up steps."""

from django import template

from dashboard.menu import MenuGroup, menu_of
from dashboard.setting_up import SetUpStep
from dashboard.setting_up import setup_steps as steps_of
from projects.models import Project

register = template.Library()


@register.simple_tag(takes_context=True)
def project_menu(context: template.Context, project: Project) -> list[MenuGroup]:
    return menu_of(context["request"], project)


@register.simple_tag
def setup_steps(project: Project) -> list[SetUpStep]:
    return steps_of(project)
