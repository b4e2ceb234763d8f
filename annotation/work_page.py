"""Render workers' pages, which experts and exercises use as well."""

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from annotation.domain.corpus.resource_index import indexed_versions
from annotation.translated import with_translated_texts
from projects.enums import page_role
from projects.languages import DEFAULT_LANGUAGE, direction_of
from projects.models import Guidelines, Project
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from web.interface_language import PARAMETER, best_language, with_parameter
from web.markdown import render_markdown

_INDENTATION = re.compile(rb">\s*\n\s*<")


def render_work_page(
    request: HttpRequest,
    *,
    scheme: Scheme,
    role: str,
    page: Json,
    guidelines: Guidelines | None,
    base: str = "annotation/work.html",
    module_role: str = "",
    **context: object,
) -> HttpResponse:
    """Render the scheme's page of a role, or `base` if the scheme has only a module for it.

    The template is `templates/schemes/<scheme>/<role>.html`, which may extend `base`. The module is
    `static/js/schemes/<scheme>/<role>.js`, or that of `module_role`.
    """
    vocabulary = scheme.vocabulary
    page_of = page_role(role)
    nouns = {"item": vocabulary.item, "unit": vocabulary.unit}
    language = page.get("language", DEFAULT_LANGUAGE)
    has_context = any("context" in item for item in page["items"])
    context |= {
        "page": {**with_translated_texts(page), **_addresses(request, page)}
        | {
            "nouns": {key: [gettext(n.singular), gettext(n.plural)] for key, n in nouns.items()},
            "has_context": has_context,
        },
        "title": title_of(scheme, role),
        "language": language,
        "direction": direction_of(language),
        "modules": [*scheme.pages.modules, *(["js/work/context.js"] if has_context else [])],
        "module": f"js/schemes/{scheme.name}/{module_role or page_of}.js",
        **guidelines_context(request, guidelines),
        "base": base,
    }
    response = render(request, [f"schemes/{scheme.name}/{page_of}.html", base], context)
    # 2 % of a compressed page. Code in guidelines has no elements, so it keeps its lines.
    response.content = _INDENTATION.sub(b">\n<", response.content)
    return response


def _addresses(request: HttpRequest, page: Json) -> Json:
    """Return the page's addresses with the language that the marketplace passed, if any."""
    if PARAMETER not in request.GET:
        return {}
    urls = {
        name: url if isinstance(url, dict) else with_parameter(request, url)
        for name, url in page.get("urls", {}).items()
    }
    return {"urls": urls, "tutorial": with_parameter(request, page.get("tutorial", ""))}


def guidelines_context(request: HttpRequest, guidelines: Guidelines | None) -> dict[str, str]:
    """Return the guidelines as HTML in the language that the worker prefers, with its tag."""
    shown = guidelines and in_worker_language(request, guidelines)
    if not shown:
        return {"guidelines": "", "guidelines_language": ""}
    return {"guidelines": render_markdown(shown.text), "guidelines_language": shown.language}


def in_worker_language(request: HttpRequest, guidelines: Guidelines) -> Guidelines:
    """Return the guidelines with the translation as their text that the worker prefers, if any."""
    language = best_language(request, (guidelines.language, *guidelines.translations))
    if language in ("", guidelines.language):
        return guidelines
    return Guidelines(
        role=guidelines.role,
        version=guidelines.version,
        language=language,
        text=guidelines.text_in(language),
    )


def title_of(scheme: Scheme, role: str) -> str:
    """Return the title of the role's pages."""
    tasks = scheme.vocabulary.tasks
    task = tasks.get(role) or tasks.get(page_role(role))
    return gettext(task.title) if task else gettext("Task")


def index_urls(project: Project) -> Json:
    """Return the addresses of the resources' indexes as `{"index": {name: address}}`.

    Without any index, the object is empty.
    """
    urls = {
        row.name: reverse("annotation:resource-index", args=[row.pk, signature])
        for row, signature in indexed_versions(project)
    }
    return {"index": urls} if urls else {}
