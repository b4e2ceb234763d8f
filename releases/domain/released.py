"""A frozen release as its folder's writers see it: scheme, details, facts and rows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from projects.models import Resource
from releases.domain.details import ReleaseDetails, details_of_json
from releases.domain.facts import Facts
from releases.domain.rows import sorted_json
from releases.models import Release, ReleasedItem
from schemes.contract.scheme import DEFINITION, Scheme
from schemes.registry import get_scheme

CHUNK = 500


@dataclass(frozen=True)
class Released:
    """A release with everything that its files depend on. None of it changes."""

    release: Release

    @cached_property
    def details(self) -> ReleaseDetails:
        return details_of_json(self.release.details)

    @property
    def facts(self) -> Facts:
        facts: Facts = self.release.facts
        return facts

    @property
    def manifest(self) -> Mapping[str, Any]:
        manifest: Mapping[str, Any] = self.facts["manifest"]
        return manifest

    @property
    def title(self) -> str:
        return str(self.facts["title"])

    @property
    def earlier(self) -> Mapping[str, str]:
        """Return `version`, `doi` and `concept_doi` of the newest earlier release with a DOI, if any."""
        earlier: Mapping[str, str] = self.facts.get("earlier", {})
        return earlier

    @property
    def day(self) -> str:
        """Return the day of the release, as in 2026-11-29."""
        return f"{self.release.frozen_at:%Y-%m-%d}"

    @property
    def full_version(self) -> str:
        """Return the version with the third number that semantic versions have."""
        return f"{self.release.version}.0"

    @cached_property
    def resources(self) -> dict[str, Any]:
        """Return the values of the project's resources at the time of the release, by name."""
        return {
            name: Resource.objects.get(
                project=self.release.project_id, name=name, version=version
            ).value
            for name, version in sorted(self.facts["resources"].items())
        }

    @cached_property
    def scheme(self) -> Scheme:
        """Return the scheme as it was, also if the project has declared another definition since."""
        scheme = get_scheme(self.release.project.scheme)
        return (
            scheme.declaration.build(self.resources[DEFINITION]) if scheme.declaration else scheme
        )

    @cached_property
    def groups(self) -> list[tuple[str, str]]:
        """Return the pairs (domain, partition) in order."""
        pairs = self.release.items.order_by().values_list("domain", "partition").distinct()
        return sorted(set(pairs))

    def items(self, **filters: str) -> Iterator[ReleasedItem]:
        """Yield the items in order, all or those of a domain and partition.

        The keys of their rows are sorted, because databases return JSON in different orders.
        """
        rows = self.release.items.filter(**filters).order_by("position")
        # The rows are read in pages, because a transaction must not stay open while files are written.
        last = -1
        while page := list(rows.filter(position__gt=last)[:CHUNK]):
            for item in page:
                item.row = sorted_json(item.row)
                yield item
            last = page[-1].position

    def all_items(self) -> Iterable[ReleasedItem]:
        return self.items()

    def description(self) -> str:
        """Return a sentence about the dataset."""
        counts, scheme = self.manifest["counts"], self.scheme
        what = f"{scheme.title}: {scheme.summary}" if scheme.summary else scheme.title
        items, sentences = scheme.vocabulary.item.count(counts["items"]), f"{counts['sentences']:,}"
        return f"{what.rstrip('.')}. {items} in {sentences} sentence{'s' * (counts['sentences'] != 1)}."
