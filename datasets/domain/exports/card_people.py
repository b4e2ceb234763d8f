"""The parts of a data card about guidelines, consent, annotators' answers, pay and citation."""

from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import Any

from django.db.models import Max

from annotation.domain.decisions.project_signals import signals_of
from annotation.domain.decisions.signals import SIGNALS
from annotation.domain.work.onboarding.answers import answered_count, versions_with_counts
from annotation.domain.work.onboarding.questionnaire import (
    QuestionnaireField,
    current_questionnaire,
    fields_of,
)
from annotation.enums import FieldKind
from annotation.models import QuestionnaireAnswer
from consolidation.domain.cases.experiment import annotations_for_gold
from consolidation.domain.cases.queries import cost_by_step, gold_items_by_project
from consolidation.models import Gold
from datasets.domain.costs.cost_figures import step_costs
from projects.enums import Role
from projects.models import Project
from schemes.contract.values import Noun
from web.money import dollars
from web.templatetags.web import percent

_WORKERS = Noun("worker", "workers")
_SUBMISSIONS = Noun("submission", "submissions")


def guidelines_versions(project: Project) -> str:
    """Describe the versions of the guidelines that the accepted annotations were made with."""
    used = annotations_for_gold(project=project).filter(guidelines__isnull=False).order_by()
    versions: dict[str, list[int]] = {}
    for role, version in used.values_list("role", "guidelines__version").distinct():
        versions.setdefault(role, []).append(version)
    if not versions:
        return ""
    described = "; ".join(
        f"{role}s: {', '.join(map(str, sorted(versions[role])))}" for role in sorted(versions)
    )
    return f" Versions of the guidelines: {described}."


def consent(project: Project) -> str:
    """Describe the consent text and who accepted it. Unused versions are left out."""
    versions = [(row, n) for row, n in versions_with_counts(project=project) if n and row.text]
    if not versions:
        return ""
    parts = ["## Consent", "Workers accepted this text before their first task."]
    for version, count in reversed(versions):
        quoted = "\n".join(f"> {line}".rstrip() for line in version.text.rstrip().split("\n"))
        parts += [f"Version {version.version}, accepted by {_WORKERS.count(count)}:", quoted]
    return "\n\n".join(parts)


def questionnaire(project: Project) -> str:
    """Summarise the answers to the current questionnaire. Texts are only counted."""
    count = answered_count(project=project)
    fields = fields_of(current_questionnaire(project_id=project.pk))
    if not count or not fields:
        return ""
    rows = [f"- {field.label}: {_summary(project, field)}" for field in fields]
    return "\n".join(
        [
            f"## Annotators’ answers\n\n{_WORKERS.count(count)} answered the questionnaire.",
            "",
            *rows,
        ]
    )


def signals(project: Project) -> str:
    """Describe how many of the newest submissions show each signal. Nothing is about single workers."""
    found = signals_of(project)
    recorded = found.recorded if found else 0
    if not found or not recorded:
        return ""
    rows = []
    for code, rate in found.rates.items():
        shares = [f"{percent(rate.of_all_workers)} of workers"]
        if not SIGNALS[code].is_of_worker:
            shares.insert(0, f"{percent(rate.of_all_submissions)} of submissions")
        rows.append(f"- {SIGNALS[code].label}: {', '.join(shares)}")
    intro = (
        f"Pages recorded how the answers of {_SUBMISSIONS.count(recorded)} were entered, without their "
        "content. A signal is a reason to look and no verdict."
    )
    return "\n".join(["## How answers were entered", "", intro, "", *rows])


def _summary(project: Project, field: QuestionnaireField) -> str:
    answers = QuestionnaireAnswer.objects.filter(project=project, key=field.key)
    people = answers.filter(worker__is_simulated=False).exclude(value="")
    values = list(people.values_list("value", flat=True))
    count = f"{len(values):,} answered"
    if field.kind == FieldKind.NUMBER and values:
        return f"{count}, median {median(int(value) for value in values):g}"
    if field.kind in (FieldKind.CHOICE, FieldKind.LANGUAGE) and values:
        common = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
        return f"{count}: {', '.join(f'{value} ({n:,})' for value, n in common)}"
    return count


def hourly_pay(project: Project) -> Mapping[str, str]:
    """Return what an hour of active time paid by role, without roles that nobody was paid for.

    Simulated work takes no time, so its figures are left out.
    """
    if project.has_simulated_work:
        return {}
    hourly = {step.name: step.hourly_cents for step in step_costs(project)}
    return {
        role: dollars(round(cents))
        for role in Role
        if (cents := hourly.get(role.label)) is not None
    }


def pay_per_item(project: Project) -> str:
    """Describe the mean pay of workers per item with gold, without training."""
    items = gold_items_by_project(projects=[project]).get(project.pk, 0)
    costs = cost_by_step(project=project)
    cents = sum(costs[role].amount_cents for role in Role if role in costs)
    if not items or not cents:
        return ""
    return f" In production, workers were paid {dollars(round(cents / items))} per item with gold."


def citation(project: Project, manifest: Mapping[str, Any]) -> str:
    """Return a BibTeX entry, to which the authors and the address are added."""
    newest = Gold.objects.filter(item__project=project).aggregate(at=Max("created_at"))["at"]
    title = (project.title or project.slug).replace("{", "").replace("}", "")
    lines = [
        f"@misc{{{project.slug},",
        "  author = {Add the authors},",
        f"  title = {{{title}}},",
        *([f"  year = {{{newest:%Y}}},"] if newest else []),
        "  howpublished = {Add the address},",
        f"  note = {{Annotated with {manifest['software']}}}",
        "}",
    ]
    return "\n".join(["## Citation", "", "```bibtex", *lines, "```"])
