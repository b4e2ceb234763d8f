"""What the site knows about a dataset when it is released, as plain JSON."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max, Min, QuerySet

from annotation.models import Submission
from consolidation.domain.cases.experiment import annotations_for_gold
from consolidation.domain.experts.monitor import error_rate
from consolidation.models import Gold, SystemAnnotation
from datasets.domain.agreement.agreement import worker_agreement
from datasets.domain.costs.cost_figures import step_costs
from datasets.domain.exports.data_card import AGREEMENT_ITEMS, card_sections, method_of
from datasets.domain.exports.export_gold import Counts
from datasets.domain.exports.statistics import statistics_of
from datasets.domain.quality.validator_figures import validator_figures
from projects.domain.resources import current_versions
from projects.domain.schemes import definition_of, scheme_of
from projects.enums import Role
from projects.models import Guidelines, Project
from qualification.domain.training.funnel import funnel_of
from releases.models import Publication, Release
from schemes.contract.scheme import DEFINITION

Facts = dict[str, Any]


def facts_of(project: Project, manifest: Mapping[str, Any], gold: QuerySet[Gold]) -> Facts:
    """Return all facts about the gold, in whose manifest only the files are missing.

    `sections` are those of the data card, and `resources` the versions of the project's resources, which
    never change. Money is in cents.
    """
    return {
        "title": project.title or project.slug,
        "name": project.slug,
        "language": project.language,
        "simulated": project.has_simulated_work,
        "manifest": dict(manifest),
        "sections": card_sections(project, manifest),
        "resources": _resource_versions(project),
        "guidelines": _guidelines(project),
        "training": _training(project),
        "models": _models(project),
        "requirements": project.worker_requirements,
        "crowd": project.crowd_name,
        "generators_per_item": project.generators_per_item,
        "protocol": project.get_protocol_display(),
        "period": _period(project, gold),
        "figures": [
            *_sizes(project, manifest),
            *_people(project),
            *_quality(project),
            *_cost(project),
        ],
        "statistics": _statistics(project, manifest["source"]),
        "method": method_of(project, manifest["source"]),
        "earlier": _earlier(project),
    }


def _earlier(project: Project) -> dict[str, str]:
    """Return the version and DOIs of the newest release that has a DOI, or nothing."""
    published = Publication.objects.filter(release__project=project).exclude(doi="")
    newest = published.select_related("release").order_by("-release__pk").first()
    if newest is None:
        return {}
    return {
        "version": newest.release.version,
        "doi": newest.doi,
        "concept_doi": newest.concept_doi,
    }


def _resource_versions(project: Project) -> dict[str, int]:
    versions = {row.name: row.version for row in current_versions(project)}
    if project.definition_digest:
        versions[DEFINITION] = definition_of(project).version
    return versions


def _guidelines(project: Project) -> list[dict[str, Any]]:
    """Return the versions of the guidelines that accepted work was made with, or else the newest.

    `translation` is the language of a translation, and "" for the main text.
    """
    accepted = Submission.objects.accepted().filter(item__project=project)
    used = Guidelines.objects.filter(
        pk__in=accepted.filter(guidelines__isnull=False).values("guidelines")
    )
    rows = used if used.exists() else _newest_guidelines(project)
    return [
        {"role": row.role, "version": row.version, "text": text, "translation": translation}
        for row in rows.order_by("role", "version")
        for translation, text in [("", row.text), *sorted(row.translations.items())]
    ]


def _newest_guidelines(project: Project) -> QuerySet[Guidelines]:
    versions = Guidelines.objects.filter(project=project)
    newest = versions.order_by().values("role").annotate(newest=Max("version"))
    keys = [(row["role"], row["newest"]) for row in newest]
    chosen = [row.pk for row in versions if (row.role, row.version) in keys]
    return versions.filter(pk__in=chosen)


def _training(project: Project) -> list[dict[str, Any]]:
    return [
        {
            "title": stage.title,
            "invited": stage.invited,
            "started": stage.started,
            "finished": stage.finished,
            "passed": stage.passed,
            "cents": stage.cents,
        }
        for stage in funnel_of(project=project)
        if stage.started
    ]


def _models(project: Project) -> list[dict[str, Any]]:
    """Return the models and programs that annotated items, with the settings of registered models."""
    registered = {row.name: row for row in project.model_annotators.all()}
    systems = SystemAnnotation.objects.filter(item__project=project).order_by()
    names = set(systems.values_list("system", flat=True).distinct())
    as_annotators = Submission.objects.filter(item__project=project).exclude(system="").order_by()
    names |= set(as_annotators.values_list("system", flat=True).distinct())
    return [
        {
            "name": name,
            "model": registered[name].model if name in registered else "",
            "temperature": registered[name].temperature if name in registered else None,
        }
        for name in sorted(names)
    ]


def _period(project: Project, gold: QuerySet[Gold]) -> list[str]:
    """Return the days of the first and the last annotation or gold, or nothing."""
    submitted = Submission.objects.accepted().filter(item__project=project)
    bounds = [
        *submitted.aggregate(a=Min("submitted_at"), b=Max("submitted_at")).values(),
        *gold.aggregate(a=Min("created_at"), b=Max("created_at")).values(),
    ]
    days = sorted(f"{moment:%Y-%m-%d}" for moment in bounds if moment)
    return [days[0], days[-1]] if days else []


def _figure(
    key: str, label: str, value: float | None, unit: str = "", **interval: float | None
) -> dict[str, Any]:
    return {"key": key, "label": label, "value": value, "unit": unit, **interval}


def _sizes(project: Project, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    counts = manifest["counts"]
    return [_figure(key, label, counts[key]) for key, label in size_labels(project, counts)]


def size_labels(project: Project, counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the keys and labels of the counts, items first."""
    totals = scheme_of(project).totals_of_gold(validated=True)
    named = [(total.key, total.noun.plural.capitalize()) for total in totals]
    known = [("items", "Items"), ("sentences", "Sentences"), *named]
    return [(key, label) for key, label in known if key in counts]


def _people(project: Project) -> list[dict[str, Any]]:
    """Return the workers and their annotations by role, without training and experiments."""
    accepted = annotations_for_gold(project=project).order_by()
    counted = accepted.values_list("role").annotate(Count("worker", distinct=True), Count("pk"))
    figures = []
    for role, workers, annotations in sorted(counted):
        label = f"{Role(role).label}"
        figures.append(_figure(f"workers.{role}", f"Workers, {label}", workers))
        figures.append(_figure(f"annotations.{role}", f"Annotations, {label}", annotations))
    return figures


def _quality(project: Project) -> list[dict[str, Any]]:
    figures = []
    report = worker_agreement(project=project, limit=AGREEMENT_ITEMS)
    for figure in scheme_of(project).comparison.figures if report.items else ():
        agreement = report.figures[figure.key]
        interval = {"low": agreement.interval.low, "high": agreement.interval.high}
        label, key = f"Agreement, {figure.label}", f"agreement.{figure.key}"
        figures.append(_figure(key, label, agreement.value, figure.unit, **interval))
    validators = validator_figures(project=project, limit=AGREEMENT_ITEMS)
    if compared := sum(row.compared for row in validators):
        alike = sum(row.alike for row in validators) / compared
        figures.append(_figure("validators.alike", "Same verdicts of two validators", alike, "%"))
    wrong = error_rate(project=project)
    if wrong.judged:
        interval = {"low": wrong.interval.low, "high": wrong.interval.high}
        label = "Wrong items found by experts"
        figures.append(_figure("experts.wrong", label, wrong.rate, "%", **interval))
    return figures


def _cost(project: Project) -> list[dict[str, Any]]:
    figures = []
    for step in step_costs(project):
        paid, hourly = step.cost.amount_cents, step.hourly_cents
        figures.append(_figure(f"paid.{step.name}", f"Paid, {step.name}", paid, "cents"))
        if hourly is not None and not project.has_simulated_work:
            label = f"Pay per hour, {step.name}"
            figures.append(_figure(f"hourly.{step.name}", label, round(hourly), "cents"))
    return figures


def _statistics(project: Project, source: str) -> list[dict[str, Any]]:
    """Return the scheme's tables of gold, such as counts by type, of all partitions together."""
    if scheme_of(project).statistics is None:
        return []
    report = statistics_of(source, project=project)
    return [
        {"caption": table.caption, "columns": list(table.columns), "rows": table.rows}
        for table in report.tables
    ]


def size_facts(counts: Counts) -> dict[str, int]:
    """Return the counts in a stable order, for the manifest."""
    return {name: counts[name] for name in sorted(counts)}


def previous_release(project: Project) -> Release | None:
    """Return the newest release."""
    return Release.objects.filter(project=project).order_by("-major", "-minor").first()
