"""The documentation, which the site shows as its help.

A page's address is the path of its file, so that relative links between the files work unchanged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml
from django.conf import settings

DOCS = settings.BASE_DIR / "docs"
HOME = "index.md"
# The pages of help for the site's pages, by view name or app. The longest matching name counts.
TOPICS = {
    "accounts": "how-to/admin.md",
    "consolidation:expert": "how-to/expert.md",
    "consolidation:review": "how-to/expert.md",
    "consolidation": "how-to/requester.md",
    "annotation": "how-to/requester.md",
    "dashboard:project": "how-to/requester.md",
    "datasets": "how-to/measure-quality.md",
    "datasets:costs": "explanation/money.md",
    "datasets:ledger": "explanation/money.md",
    "datasets:export": "how-to/requester.md",
    "datasets:systems": "how-to/evaluate-files.md",
    "datasets:system_evaluation": "how-to/evaluate-files.md",
    "marketplace:operator": "how-to/operator.md",
    "projects": "how-to/requester.md",
    "projects:tokens": "reference/api.md",
    "projects:project_new": "tutorials/first-dataset.md",
    "qualification": "how-to/trainer.md",
    "qualification:inbox": "how-to/requester.md",
    "qualification:thread": "how-to/requester.md",
    "rehearsal": "how-to/requester.md",
}


@dataclass(frozen=True, slots=True)
class Chapter:
    """A section of the contents, with the pages' paths and titles."""

    title: str
    pages: tuple[tuple[str, str], ...]


def topic_of(view_name: str) -> str:
    """Return the path of the help for a page of the site."""
    names = [name for name in TOPICS if view_name.startswith(name)]
    return TOPICS[max(names, key=len)] if names else HOME


@cache
def contents() -> tuple[Chapter, ...]:
    """Return the chapters in the order of mkdocs.yml."""
    navigation = yaml.safe_load((settings.BASE_DIR / "mkdocs.yml").read_text("utf-8"))["nav"]
    return tuple(_chapters(navigation))


def _chapters(navigation: Sequence[Mapping[str, Any]]) -> Iterator[Chapter]:
    for section in navigation:
        for title, pages in section.items():
            entries = [{title: pages}] if isinstance(pages, str) else pages
            yield Chapter(
                title, tuple((path, name) for page in entries for name, path in page.items())
            )


@cache
def titles() -> Mapping[str, str]:
    """Return the titles of all pages by path."""
    return {path: title for chapter in contents() for path, title in chapter.pages}
