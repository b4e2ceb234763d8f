"""Render workers' pages, which experts and exercises use as well."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from annotation.domain.corpus.resource_index import indexed_versions
from projects.enums import page_role
from projects.languages import DEFAULT_LANGUAGE, direction_of
from projects.models import Project
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from web.markdown import render_markdown


def render_work_page(
    request: HttpRequest,
    *,
    scheme: Scheme,
    role: str,
    page: Json,
    guidelines: str,
    base: str = "annotation/work.html",
    module_role: str = "",
    **context: object,
) -> HttpResponse:
    """Render the scheme's page of a role, or `base` if the scheme has only a module for it.

    The template is `templates/schemes/<scheme>/<role>.html`, which may extend `base`. The module is
    `static/js/schemes/<scheme>/<role>.js`, or that of `module_role`. `guidelines` is Markdown.
    """
    vocabulary = scheme.vocabulary
    page_of = page_role(role)
    nouns = {"item": vocabulary.item, "unit": vocabulary.unit}
    language = page.get("language", DEFAULT_LANGUAGE)
    has_context = any("context" in item for item in page["items"])
    context |= {
        "page": page
        | {
            "nouns": {key: [n.singular, n.plural] for key, n in nouns.items()},
            "has_context": has_context,
        },
        "title": title_of(scheme, role),
        "language": language,
        "direction": direction_of(language),
        "modules": [*scheme.pages.modules, *(["js/work/context.js"] if has_context else [])],
        "module": f"js/schemes/{scheme.name}/{module_role or page_of}.js",
        "guidelines": render_markdown(guidelines),
        "base": base,
    }
    return render(request, [f"schemes/{scheme.name}/{page_of}.html", base], context)


def title_of(scheme: Scheme, role: str) -> str:
    """Return the title of the role's pages."""
    tasks = scheme.vocabulary.tasks
    task = tasks.get(role) or tasks.get(page_role(role))
    return task.title if task else "Task"


def index_urls(project: Project) -> Json:
    """Return the addresses of the resources' indexes as `{"index": {name: address}}`.

    Without any index, the object is empty.
    """
    urls = {
        row.name: reverse("annotation:resource-index", args=[row.pk, signature])
        for row, signature in indexed_versions(project)
    }
    return {"index": urls} if urls else {}
