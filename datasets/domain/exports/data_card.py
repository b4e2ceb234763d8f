"""The data card of an export: a README.md with YAML front matter for dataset hubs."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.db.models import Count, Exists, OuterRef

from annotation.domain.publishing.queries import cost_by_role
from annotation.enums import Partition
from consolidation.domain.cases.experiment import annotations_for_gold
from consolidation.domain.experts.monitor import error_rate
from consolidation.domain.gold.accept_certain import RULE as CERTAIN
from consolidation.domain.gold.accept_identical import RULE as IDENTICAL
from consolidation.enums import GoldSource
from crowd.models import Worker
from datasets.domain.agreement.agreement import worker_agreement
from datasets.domain.exports.card_people import (
    citation,
    consent,
    guidelines_versions,
    hourly_pay,
    pay_per_item,
    questionnaire,
    signals,
)
from datasets.domain.exports.export_submissions import ANNOTATIONS
from datasets.domain.quality.suggestion_use import read_suggestion_json
from datasets.domain.quality.validator_figures import validator_figures
from metrics.intervals import Interval
from projects.domain.schemes import scheme_of
from projects.enums import Role, ShownContext, SuggestionChoice
from projects.models import Project
from schemes.contract.values import Noun
from web.money import dollars

AGREEMENT_ITEMS = 500
# The size categories of dataset hubs with their exclusive upper bounds.
SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10**12, "n>1M"),
)
SIMULATED = (
    "**Simulated data.** Simulated workers made all or part of this annotation in a rehearsal. Do not "
    "publish it or draw conclusions from its figures."
)
# The split names of dataset hubs.
SPLITS: dict[str, str] = {
    Partition.TRAIN: "train",
    Partition.DEV: "validation",
    Partition.TEST: "test",
}
_ITEMS = Noun("item", "items")
_ANNOTATORS = Noun("annotator", "annotators")


def write_data_card(*, path: Path, project: Project, manifest: Mapping[str, Any]) -> None:
    """Write the data card from the project's rows. Figures without data are left out."""
    parts = [
        _front_matter(project, manifest),
        f"# {project.title or project.slug}",
        SIMULATED if project.has_simulated_work else "",
        _contents(project, manifest),
        *card_sections(project, manifest).values(),
        citation(project, manifest),
    ]
    path.write_text("\n\n".join(part for part in parts if part) + "\n", "utf-8")


def card_sections(project: Project, manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the sections about how the gold was made, by name. Those without data are ""."""
    return {
        "annotation": _annotation(project, manifest),
        "annotators": _people(project),
        "consent": consent(project),
        "questionnaire": questionnaire(project),
        "signals": signals(project),
        "quality": _quality(project, manifest),
        "cost": _cost(project),
        "limits": _limits(project, manifest),
    }


def _front_matter(project: Project, manifest: Mapping[str, Any]) -> str:
    items = manifest["counts"]["items"]
    facts = {
        "pretty_name": project.title or project.slug,
        # Hubs know languages without regions and scripts.
        "language": [project.language.partition("-")[0]],
        "language_bcp47": [project.language],
        "license": manifest["licence"].lower() or "unknown",
        "annotations_creators": ["crowdsourced"],
        "size_categories": [size_category(items)],
        "tags": [project.scheme, "touchstone"],
        "configs": [{"config_name": "default", "data_files": _data_files(manifest)}],
    }
    # JSON is valid YAML and escapes titles safely.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()]
    return "\n".join(["---", *lines, "---"])


def size_category(items: int) -> str:
    """Return the size category of dataset hubs."""
    return next(name for below, name in SIZES if items < below)


def _data_files(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    by_split: dict[str, list[str]] = {}
    for name in sorted(manifest["files"]):
        stem, mark, _ = name.partition(".gold.")
        if mark:
            split = SPLITS.get(stem.rpartition(".")[2], "train")
            by_split.setdefault(split, []).append(name)
    return [{"split": split, "path": paths} for split, paths in sorted(by_split.items())]


def _contents(project: Project, manifest: Mapping[str, Any]) -> str:
    counts, is_validated = manifest["counts"], manifest["source"] == GoldSource.VALIDATED
    totals = scheme_of(project).totals_of_gold(validated=is_validated)
    rows = [
        f"| {name} | {'' if count is None else format(count, ',')} | {size:,} |"
        for name, count, size in _files_and_folders(manifest["files"])
    ]
    parts = [
        f"{total.noun.count(counts[total.key])}{_mean(counts[total.key], counts['items'])}"
        for total in totals
        if total.key in counts
    ]
    content = f" with {' and '.join(parts)}" if parts else ""
    summary = (
        f"{_ITEMS.count(counts['items'])}{content}, as `{manifest['format']}`. Checksums are in "
        "`manifest.json`."
    )
    if annotations := manifest.get("annotations"):
        summary += f" {_individual(annotations)}"
    table = ["| file | rows | bytes |", "| --- | ---: | ---: |", *rows]
    partitions = _partitions(manifest["partitions"])
    return "\n".join(["## Contents", "", summary, "", *table, *partitions])


def _individual(annotations: Mapping[str, Any]) -> str:
    """Describe the individual annotations in the export."""
    by_role = ", ".join(f"{count:,} by {role}s" for role, count in annotations["counts"].items())
    return (
        f"The folder `annotations` has every accepted annotation, as `{annotations['format']}`: "
        f"{by_role}."
    )


def _files_and_folders(
    files: Mapping[str, Mapping[str, Any]],
) -> list[tuple[str, int | None, int]]:
    """Return the name, number of rows and bytes of each file, and of each folder as a whole."""
    sizes: Counter[str] = Counter()
    rows: dict[str, int | None] = {}
    for name, facts in files.items():
        folder, slash, _ = name.rpartition("/")
        shown = f"{folder}/" if slash else name
        sizes[shown] += facts["bytes"]
        rows[shown] = None if slash else facts["rows"]
    return [(name, rows[name], size) for name, size in sorted(sizes.items())]


def _mean(count: int, items: int) -> str:
    return f" ({count / items:.2f} per item)" if items else ""


def _partitions(partitions: Mapping[str, Any] | None) -> Iterable[str]:
    if not partitions:
        return ()
    how = "The partitions are those of the corpus"
    if partitions["seed"] is not None:
        shares = ", ".join(
            f"{name} {share} %" for name, share in sorted(partitions["shares"].items())
        )
        unit = "documents" if partitions["unit"] == "document" else "sentences"
        how = f"The partitions ({shares}) were drawn with seed {partitions['seed']}, by {unit}"
    frozen = (
        f" and have been frozen since {partitions['frozen'][:10]}" if partitions["frozen"] else ""
    )
    return ("", f"{how}{frozen}.")


def _annotation(project: Project, manifest: Mapping[str, Any]) -> str:
    scheme = scheme_of(project)
    rules = ", ".join(f"{purpose} `{rule}`" for purpose, rule in sorted(manifest["rules"].items()))
    how = f"{method_of(project, manifest['source'])}{_disputed(manifest)}{_identical(manifest)}"
    return (
        f"## How it was annotated\n\nScheme: {scheme.title}, schema version "
        f"{scheme.content.schema_version}{_definition(manifest)}. {how} Rules: {rules}. "
        f"Seed of the project: {project.seed}. Written by {manifest['software']}."
        f" Context that annotators saw with a sentence: {ShownContext(project.shown_context).label}."
        f"{' Answers can lie in it.' if project.allows_context_answers else ''}"
        f"{guidelines_versions(project)}{_suggestions(project, manifest)}{_arms(manifest)}"
    )


def _definition(manifest: Mapping[str, Any]) -> str:
    """Name the version of the scheme's definition, if the project declares one."""
    definition = manifest.get("definition")
    if not definition:
        return ""
    return f", definition version {definition['version']} (SHA-256 `{definition['sha256']}`)"


def _suggestions(project: Project, manifest: Mapping[str, Any]) -> str:
    """Describe what workers' pages suggested and how often it was picked."""
    scheme = scheme_of(project)
    setting = scheme.pages.suggestions
    if setting is None:
        return ""
    use = read_suggestion_json(manifest["suggestions"])
    text = f"\n\n{setting.label}: {SuggestionChoice(use.setting).label}."
    if use.setting in (SuggestionChoice.LEARNED, SuggestionChoice.BY_PARTITION):
        text += f" Learned suggestions come from {setting.learned_from}."
    if not use.recorded:
        return text
    ranks = ", ".join(f"{count:,} at rank {rank}" for rank, count in use.picked.items())
    return (
        f"{text} Of {scheme.vocabulary.unit.count(use.recorded)} by workers and experts, "
        f"{_percent(use.share_picked)} were picked from suggestions{f' ({ranks})' * bool(ranks)}."
    )


def _arms(manifest: Mapping[str, Any]) -> str:
    """Describe the arms of the items, and warn if test items had the help of one."""
    arms = manifest.get("arms", {})
    if not arms:
        return ""
    shares = "; ".join(f"{name}: {_ITEMS.count(count['items'])}" for name, count in arms.items())
    text = (
        f"\n\nItems were assigned at random to arms with different help for annotators. {shares}."
    )
    if tests := sum(count["test_items"] for count in arms.values()):
        text += (
            f" **{_ITEMS.count(tests)} of the test partition had such help.** Systems that are similar "
            "to a model that helped may score too high on them."
        )
    return text


def method_of(project: Project, source: str) -> str:
    """Describe in a sentence how the gold of this source was made."""
    scheme = scheme_of(project)
    if source == ANNOTATIONS:
        return "These are the annotations of individual people, before and after consolidation."
    if source == GoldSource.VALIDATED and scheme.validating:
        return scheme.validating.method(project.validators_per_item, project.validators_to_agree)
    if source == GoldSource.CONSOLIDATED and scheme.merging:
        return scheme.merging.method(project.generators_per_item)
    return f"The gold comes from the source “{source}” and wasn't produced by this project."


def _disputed(manifest: Mapping[str, Any]) -> str:
    """Describe what became of disputed items."""
    disputed = manifest.get("disputed")
    if not disputed or manifest["source"] != GoldSource.VALIDATED:
        return ""
    return (
        f" {disputed['annotated_by_experts']:,} items that remained disputed were annotated by an "
        f"expert, and {disputed['left_out']:,} disputed items are excluded. "
        f"{disputed['being_revised']:,} items are being revised, and not included yet."
    )


def _identical(manifest: Mapping[str, Any]) -> str:
    """Describe the items that nobody consolidated."""
    reasons = {
        IDENTICAL: "The annotators of {items} wrote the same, which was accepted without a consolidation",
        CERTAIN: "An annotation of {items} was certain enough, and accepted without a consolidation",
    }
    texts = [
        f" {reasons[rule].format(items=_ITEMS.count(count))} (rule `{rule}`)."
        for rule, count in sorted(manifest.get("without_consolidation", {}).items())
    ]
    return "".join(texts) + _adaptive(manifest)


def _adaptive(manifest: Mapping[str, Any]) -> str:
    """Describe by how many people items of a project with adaptive redundancy were annotated."""
    adaptive = manifest.get("adaptive")
    if not adaptive:
        return ""
    people = ", ".join(
        f"{_ITEMS.count(count)} by {_ANNOTATORS.count(int(number))}"
        for number, count in adaptive["annotators"].items()
    )
    target = adaptive["target_percent"]
    return (
        f" Redundancy was adaptive{f', with a target of {target} %' if target else ''}: {people}. "
        f"{_ITEMS.count(adaptive['audited'])} were audited, with everybody whom the protocol has."
    )


def _people(project: Project) -> str:
    rows = []
    hourly = hourly_pay(project)
    accepted = annotations_for_gold(project=project)
    counted = dict(accepted.order_by().values_list("role").annotate(Count("pk")))
    for role in (Role.GENERATOR, Role.CONSOLIDATOR, Role.VALIDATOR, Role.REVISER):
        if submissions := counted.get(role):
            own = accepted.filter(role=role, worker=OuterRef("pk"))
            # A subquery per worker, because SQLite would sort every submission for a distinct count.
            people = Worker.objects.filter(Exists(own)).count()
            pay = project.pay_scheme.get(role, {}).get("reward_cents", "")
            earned = hourly.get(role, "")
            rows.append(f"| {role} | {people} | {submissions:,} | {pay} | {earned} |")
    if not rows:
        return ""
    ids = (
        "Workers are pseudonymised. A worker has the same pseudonym in all exports of the project."
    )
    counted_as = "Workers, some simulated" if project.has_simulated_work else "Workers"
    header = [
        f"| Role | {counted_as} | Accepted annotations | Base pay, cents | Pay per hour of active time |",
        "| --- " + "| ---: " * 4 + "|",
    ]
    return "\n".join(["## Annotators", "", *header, *rows, "", ids])


def _compared(items: int) -> str:
    """Describe the items of an agreement, which are all or the first of a random order."""
    if items >= AGREEMENT_ITEMS:
        return f"{_ITEMS.count(items)} selected at random"
    return f"{'the' if items == 1 else 'all'} {_ITEMS.count(items)} annotated by two"


def _quality(project: Project, manifest: Mapping[str, Any]) -> str:
    """Describe the gold's quality. Agreement is computed on up to AGREEMENT_ITEMS items."""
    lines = []
    scheme = scheme_of(project)
    report = worker_agreement(project=project, limit=AGREEMENT_ITEMS)
    if report.items:
        agreements = ", ".join(
            f"{figure.label} {_value(report.figures[figure.key].value, figure.unit)} "
            f"{_between(report.figures[figure.key].interval, figure.unit)}"
            for figure in scheme.comparison.figures
        )
        lines.append(
            f"- Agreement of two annotators before consolidation: {agreements}, "
            f"over {_compared(report.items)}."
        )
    validators = validator_figures(project=project, limit=AGREEMENT_ITEMS)
    if compared := sum(figures.compared for figures in validators):
        alike = _percent(sum(figures.alike for figures in validators) / compared)
        lines.append(
            f"- Two validators gave the same verdict on {alike} of the "
            f"{scheme.vocabulary.unit.plural} they shared."
        )
    wrong = error_rate(project=project)
    if wrong.judged:
        is_all = wrong.judged >= manifest["counts"]["items"]
        sample = f"{'all ' if is_all else ''}{wrong.judged}{'' if is_all else ' randomly selected'}"
        lines.append(
            f"- Of {sample} items that experts reviewed blindly, "
            f"{wrong.corrected + wrong.returned} were incorrect: {_percent(wrong.rate)} "
            f"{_between(wrong.interval)}."
        )
    return "\n".join(["## Quality", "", *lines]) if lines else ""


def _percent(share: float | None) -> str:
    return "undefined" if share is None else f"{100 * share:.1f} %"


def _value(value: float | None, unit: str) -> str:
    return _percent(value) if unit == "%" or value is None else f"{value:.2f} {unit}"


def _between(interval: Interval, unit: str = "%") -> str:
    return f"(95 % interval {_value(interval.low, unit)} to {_value(interval.high, unit)})"


def _cost(project: Project) -> str:
    costs = cost_by_role(project=project)
    if not costs:
        return ""
    workers = sum(cost.amount_cents for cost in costs.values())
    fees = sum(cost.fee_cents for cost in costs.values())
    return (
        f"## What it cost\n\nWorkers were paid {dollars(workers)}, and {project.crowd_name} charged "
        f"{dollars(fees)}.{pay_per_item(project)}"
    )


def _limits(project: Project, manifest: Mapping[str, Any]) -> str:
    limits = [
        "The figures above summarise the annotation's quality. Inspect a sample before you use the data."
    ]
    if not manifest["licence"]:
        limits.append("No licence was specified. Ask the requester before you use the dataset.")
    limits += scheme_of(project).limits
    if manifest["worker_ids"] == "raw":
        limits.append("The worker ids are those of the crowd provider and identify people.")
    return "\n".join(["## Known limitations", "", *(f"- {limit}" for limit in limits)])
