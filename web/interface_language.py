"""The language of the pages for workers. All other pages are in English.

`for_workers` marks the patterns of the workers' pages, and the middleware activates their language: the
one that the worker chose, or else the first of the browser's that there is a translation for.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import trans_real

from web.script_texts import texts_of_modules

Pattern = TypeVar("Pattern")
# The parameter with which a marketplace passes the worker's choice to a page in its frame
PARAMETER = "lang"
# The context of the texts in scripts: scripts/write_messages.py
SCRIPT_CONTEXT = "js\4"
_MARK = "is_for_workers"


def for_workers(patterns: Sequence[Pattern]) -> list[Pattern]:
    """Mark the views of the patterns as pages for workers, which are translated."""
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            setattr(pattern.callback, _MARK, True)
    return list(patterns)


def is_for_workers(view: Callable[..., object]) -> bool:
    return getattr(view, _MARK, False)


class InterfaceLanguageMiddleware:
    """Middleware that activates the worker's language for workers' pages, and English for others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        translation.activate(settings.LANGUAGE_CODE)
        response = self.get_response(request)
        if translates(request):
            response.headers.setdefault("Content-Language", translation.get_language())
            patch_vary_headers(response, ["Accept-Language"])
        translation.activate(settings.LANGUAGE_CODE)
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., object], args: object, kwargs: object
    ) -> HttpResponseBase | None:
        if is_for_workers(view):
            # Error pages of workers have no header of the site for staff
            request.is_for_workers = True  # type: ignore[attr-defined]
            translation.activate(interface_language(request))
        return None


def translates(request: HttpRequest) -> bool:
    """Return True if the request is for a page that is translated."""
    match = request.resolver_match
    return match is not None and is_for_workers(match.func)


def interface_language(request: HttpRequest) -> str:
    """Return the language of the interface that fits the worker best."""
    for tag in preferred_languages(request):
        try:
            return translation.get_supported_language_variant(tag)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


def preferred_languages(request: HttpRequest) -> list[str]:
    """Return the tags of the worker's languages, first the chosen one, then those of the browser."""
    accepted = trans_real.parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    chosen = (request.GET.get(PARAMETER), request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME))
    return [
        *(tag for tag in chosen if tag and translation.check_for_language(tag)),
        *(tag for tag, _ in accepted if tag != "*"),
    ]


def best_language(request: HttpRequest, available: Collection[str]) -> str:
    """Return the available language that the worker prefers, or "" if there is none.

    A region or script that isn't available is ignored, so that `de-AT` fits `de`.
    """
    lowered = {tag.lower(): tag for tag in available}
    for tag in preferred_languages(request):
        for candidate in (tag.lower(), tag.lower().partition("-")[0]):
            if candidate in lowered:
                return lowered[candidate]
    return ""


def with_parameter(request: HttpRequest, url: str) -> str:
    """Return the URL with the language parameter of the request's own URL, if it has one."""
    language = request.GET.get(PARAMETER, "")
    if not url or not translation.check_for_language(language):
        return url
    return f"{url}{'&' if '?' in url else '?'}{urlencode({PARAMETER: language})}"


def script_texts(*modules: str) -> dict[str, Any]:
    """Return the texts of modules in the current language, for static/js/html.js. English has none.

    Texts that count have a list of plural forms. The key "" has the places of the forms of 0 to 199.
    """
    language = translation.get_language()
    if language == settings.LANGUAGE_CODE:
        return {}
    texts = _script_texts(language)
    return {
        name: texts[name] for name in ("", *sorted(texts_of_modules(*modules))) if name in texts
    }


@lru_cache
def _script_texts(language: str) -> dict[str, Any]:
    catalogue = trans_real.translation(language)
    texts: dict[str, Any] = {"": "".join(str(catalogue.plural(count)) for count in range(200))}
    # As Django's own catalogue for scripts does
    for key, text in catalogue._catalog.items():  # type: ignore[attr-defined]
        name, form = key if isinstance(key, tuple) else (key, None)
        if not name.startswith(SCRIPT_CONTEXT):
            continue
        name = name.removeprefix(SCRIPT_CONTEXT)
        if form is None:
            texts[name] = text
        else:
            forms = texts.setdefault(name, [])
            forms.extend([""] * (form + 1 - len(forms)))
            forms[form] = text
    return texts
