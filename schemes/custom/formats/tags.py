"""Spans as a tag per token: BIO and IOBES."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemes.contract.values import Json

OUTSIDE = "O"


class TagError(ValueError):
    """A tag that is unknown or can't follow the one before it. `at` is its position."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True, slots=True)
class Tagging:
    """A way to tag spans. `single`, `last` and `begin` are prefixes of tags."""

    name: str
    begin: str = "B"
    inside: str = "I"
    last: str = "I"
    single: str = "B"

    @property
    def has_ends(self) -> bool:
        return self.last != self.inside

    def tags(self, spans: Sequence[Json], length: int) -> list[str]:
        """Return a tag per token of spans that don't overlap."""
        tags = [OUTSIDE] * length
        for span in spans:
            start, end, label = span["start"], span["end"], span["label"]
            tags[start:end] = [f"{self.inside}-{label}"] * (end - start)
            tags[start] = f"{self.begin}-{label}"
            tags[end - 1] = f"{self.last if end - start > 1 else self.single}-{label}"
        return tags

    def spans(self, tags: Sequence[str], labels: Mapping[str, str]) -> list[Json]:
        """Return the spans of tags. `labels` maps names in tags to labels. Raise TagError."""
        spans: list[Json] = []
        is_open = False
        for at, tag in enumerate(tags):
            prefix, label = self._parts(at, tag, labels)
            continues = prefix in (self.inside, self.last) and prefix != self.single
            if continues:
                self._check_open(at, tag, label, spans, is_open=is_open)
                spans[-1]["end"] = at + 1
            elif is_open and self.has_ends:
                raise TagError(at, f"{tag} follows {tags[at - 1]}, whose span is not ended.")
            elif prefix:
                spans.append({"start": at, "end": at + 1, "label": label})
            is_open = self._stays_open(prefix)
        if is_open and self.has_ends:
            raise TagError(len(tags) - 1, f"{tags[-1]} is the last tag, and its span is not ended.")
        return spans

    def _stays_open(self, prefix: str) -> bool:
        if not self.has_ends:
            return bool(prefix)
        return prefix in (self.begin, self.inside)

    def _parts(self, at: int, tag: str, labels: Mapping[str, str]) -> tuple[str, str]:
        if tag == OUTSIDE:
            return "", ""
        prefix, dash, name = tag.partition("-")
        known = dict.fromkeys((self.begin, self.inside, self.last, self.single))
        if not dash or prefix not in known:
            message = (
                f"{tag[:40]!r} is not a tag of {self.name}: O, or {', '.join(known)} and a label."
            )
            raise TagError(at, message)
        if name not in labels:
            raise TagError(at, f"{name[:40]!r} is not a label; choose from {', '.join(labels)}.")
        return prefix, labels[name]

    def _check_open(
        self, at: int, tag: str, label: str, spans: Sequence[Json], *, is_open: bool
    ) -> None:
        if not is_open:
            before = "follows no span" if at else "is the first tag"
            raise TagError(at, f"{tag} {before}. A span begins with {self.begin}-{label}.")
        if spans[-1]["label"] != label:
            message = f"{tag} continues a span of {spans[-1]['label']}."
            raise TagError(at, message)


BIO = Tagging("BIO")
IOBES = Tagging("IOBES", last="E", single="S")


def without_overlaps(spans: Sequence[Json]) -> list[Json]:
    """Return the spans, in order, that don't overlap one before them."""
    chosen: list[Json] = []
    for span in spans:
        if not chosen or span["start"] >= chosen[-1]["end"]:
            chosen.append(span)
    return chosen
