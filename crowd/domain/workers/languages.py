"""The languages of workers, in which messages to them are composed.

`Worker.language` is that of the workers' pages when the worker last used them. English is stored as an
empty string, like an unknown language.
"""

from collections.abc import Callable, Iterable

from django.conf import settings
from django.utils import translation

from crowd.models import Worker


def page_language() -> str:
    """Return the language of the current page in the form of `Worker.language`."""
    language = translation.get_language() or settings.LANGUAGE_CODE
    return "" if language == settings.LANGUAGE_CODE else language


def keep_language(*, worker: Worker, language: str) -> None:
    """Store the language of a page that the worker used, if it has changed."""
    if worker.language != language:
        worker.language = language
        Worker.objects.filter(pk=worker.pk).update(language=language)


def language_of(worker: Worker | None) -> str:
    """Return the code of the language for texts to the worker, for `translation.override`."""
    language = worker.language if worker else ""
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def by_language(workers: Iterable[Worker]) -> dict[str, list[Worker]]:
    """Return the workers by the code of their language."""
    groups: dict[str, list[Worker]] = {}
    for worker in workers:
        groups.setdefault(language_of(worker), []).append(worker)
    return groups


def in_all_languages(compose: Callable[[], str]) -> set[str]:
    """Return the text that the function composes in each language."""
    texts = set()
    for code, _ in settings.LANGUAGES:
        with translation.override(code):
            texts.add(compose())
    return texts
