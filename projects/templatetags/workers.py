"""The nickname and tags of a worker, beside the pseudonym."""

from django import template
from django.template import Context
from django.utils.html import format_html

from crowd.models import Worker
from projects.worker_names import label_of

register = template.Library()


@register.simple_tag(takes_context=True)
def worker_label(context: Context, worker: Worker | None) -> str:
    """Render a space with the worker's nickname and tags in the page's project, or nothing."""
    label = label_of(context["project"], worker.pk) if worker else ""
    return format_html(" {}", label) if label else ""
