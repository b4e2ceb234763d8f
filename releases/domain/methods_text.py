"""A paragraph for the methods section of a paper about a release."""

from collections.abc import Iterator

from releases.domain.paper_tables import shown_value
from releases.domain.released import Released
from schemes.contract.values import Noun

_WORKERS = Noun("worker", "workers")
_ROUNDS = Noun("training round", "training rounds")


def methods_text(released: Released) -> str:
    """Return plain sentences from the settings and figures of the release."""
    return " ".join(_sentences(released)) + "\n"


def _sentences(released: Released) -> Iterator[str]:
    facts, scheme = released.facts, released.scheme
    counts = released.manifest["counts"]
    items = scheme.vocabulary.item.count(counts["items"])
    yield (
        f"Version {released.release.version} of {released.title} has {items} in {counts['sentences']:,} "
        f"sentences, annotated under the scheme {scheme.title}."
    )
    yield facts["method"]
    if stages := facts["training"]:
        passed = _WORKERS.count(stages[-1]["passed"])
        yield (
            f"{_WORKERS.count(stages[0]['started'])} began {_ROUNDS.count(len(stages))}, and {passed} "
            "passed the last one."
        )
    figures = {row["key"]: row for row in facts["figures"]}
    for key, row in figures.items():
        group, _, name = key.partition(".")
        value = shown_value(row["value"], row["unit"])
        if group == "workers":
            annotations = figures[f"annotations.{name}"]["value"]
            role = row["label"].partition(", ")[2]
            yield f"{_WORKERS.count(row['value'])} made {annotations:,} accepted annotations as {role}s."
        elif group in ("agreement", "experts"):
            low, high = (shown_value(row[end], row["unit"]) for end in ("low", "high"))
            yield f"{row['label']}: {value} (95 % interval {low} to {high})."
        elif group == "hourly":
            yield f"An hour of active time paid {value} ({name})."
