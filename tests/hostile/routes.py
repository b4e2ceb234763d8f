"""All routes of the site, with arguments that exist in a campaign."""

from collections.abc import Iterator
from uuid import UUID

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern, RoutePattern

from annotation.models import Task
from projects.models import Project

Argument = str | int | UUID
# Signing out would turn an identity into a visitor. Health checks query the database in separate
# threads, whose connections stay open.
LEFT_OUT = {"account_logout", "logout", "operator-logout", "web", "ready"}


def routes(project: Project) -> Iterator[str]:
    """Yield an address for each route, with and without parameters."""
    names: dict[str, Argument] = {"slug": project.slug, "pk": 1, "number": 1}
    task = Task.objects.filter(batch__project=project).first()
    if task:
        names["public_id"] = task.public_id
    yield from sorted(set(_addresses(get_resolver().url_patterns, "/", names)))


def _addresses(
    patterns: list[URLPattern | URLResolver], prefix: str, names: dict[str, Argument]
) -> Iterator[str]:
    for pattern in patterns:
        part = _filled(pattern.pattern, names)
        if part is None:
            continue
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern.url_patterns, prefix + part, names)
        elif pattern.name not in LEFT_OUT:
            yield prefix + part


def _filled(pattern: object, names: dict[str, Argument]) -> str | None:
    """Return the pattern's text with arguments, or None for a regular expression with groups."""
    if isinstance(pattern, RegexPattern):
        text = pattern._regex.strip("^$").replace(r"\Z", "")
        return None if "(" in text else text.replace("\\", "")
    assert isinstance(pattern, RoutePattern)
    text = str(pattern._route)
    for name, converter in pattern.converters.items():
        value = names.get(name, _example(type(converter).__name__))
        start = text.rindex("<", 0, text.index(f"{name}>"))
        text = text[:start] + str(value) + text[text.index(">", start) + 1 :]
    return text


def _example(converter: str) -> Argument:
    examples: dict[str, Argument] = {"IntConverter": 1, "UUIDConverter": UUID(int=1)}
    return (examples | {"VersionConverter": "1.0"}).get(converter, "any")
