"""The steps that set up a project. Their pages later show its settings."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.domain.queries import CorpusSize, corpus_size
from consolidation.domain.queries import count_expert_items
from crowd.domain.pay_scheme import check_pay_scheme
from jobs.domain.queries import jobs_of
from jobs.enums import JobState
from projects.domain.cached_figures import figures_of
from projects.domain.resources import current_versions
from projects.models import Project
from rehearsal.domain.dry_run import REHEARSAL
from schemes.base import Noun
from schemes.registry import get_scheme

_SENTENCES, _ITEMS = Noun("sentence", "sentences"), Noun("item", "items")


@dataclass(frozen=True, slots=True)
class SetUpStep:
    """A setup step.

    `route` is the view name of its page, `action` what the user does there, and `summary` describes
    its content. An optional step has a default that also works.
    """

    route: str
    title: str
    action: str
    done: bool
    summary: str
    is_optional: bool = False


def setup_steps(project: Project) -> list[SetUpStep]:
    """Return the setup steps in order, from the project to its first batch."""
    size: CorpusSize = figures_of(corpus_size, project=project).value
    return [
        SetUpStep("projects:settings", "Project", "Open settings", True, project.title),
        *_resource_steps(project),
        SetUpStep(
            "annotation:corpus",
            "Corpus",
            "Upload a corpus",
            bool(size.items),
            f"{_SENTENCES.count(size.sentences)}, {_ITEMS.count(size.items)}"
            if size.items
            else "Required",
        ),
        _gold_step(project),
        _guidelines_step(project),
        _pay_step(project),
        _rehearsal_step(project),
        _publish_step(project),
    ]


def next_step(steps: list[SetUpStep]) -> SetUpStep | None:
    """Return the step to do next: the first that is required, or else the last."""
    open_steps = [step for step in steps if not step.done]
    required = [step for step in open_steps if not step.is_optional]
    return next(iter(required or open_steps), None)


def _resource_steps(project: Project) -> Iterator[SetUpStep]:
    """Yield a step for the resources, if the scheme has any."""
    resources = get_scheme(project.scheme).resources
    if not resources:
        return
    imported = {row.name: row.version for row in current_versions(project)}
    title = next(iter(resources.values())).label if len(resources) == 1 else "Resources"
    versions = ", ".join(f"version {version}" for version in imported.values())
    yield SetUpStep(
        "consolidation:resources",
        title,
        f"Import the {title.lower()}",
        imported.keys() >= resources.keys(),
        versions or "Required",
    )


def _gold_step(project: Project) -> SetUpStep:
    count: int = figures_of(count_expert_items, project=project).value
    return SetUpStep(
        "consolidation:gold_import",
        "Expert gold",
        "Upload expert gold",
        bool(count),
        _ITEMS.count(count) if count else "For training",
        is_optional=True,
    )


def _guidelines_step(project: Project) -> SetUpStep:
    version = max(project.guidelines.values_list("version", flat=True), default=0)
    summary = f"Version {version}" if version > 1 else "Default text"
    title = "Guidelines"
    return SetUpStep(
        "projects:guidelines", title, "Edit the guidelines", version > 1, summary, is_optional=True
    )


def _pay_step(project: Project) -> SetUpStep:
    presets = get_scheme(project.scheme).vocabulary.pay_presets
    preset = next(
        (name for name in presets if check_pay_scheme(name, presets) == project.pay_scheme), None
    )
    summary = f"Preset {preset}" if preset else "Custom terms"
    return SetUpStep("annotation:pay", "Pay", "Set the pay", not preset, summary, is_optional=True)


def _rehearsal_step(project: Project) -> SetUpStep:
    finished = jobs_of(scope=project.slug, kind=REHEARSAL, state=JobState.FINISHED).count()
    summary = f"{finished} finished" if finished else "Recommended"
    return SetUpStep(
        "rehearsal:dry_run",
        "Rehearsal",
        "Start a rehearsal",
        bool(finished),
        summary,
        is_optional=True,
    )


def _publish_step(project: Project) -> SetUpStep:
    batches = project.batches.count()
    noun = "batch" if batches == 1 else "batches"
    return SetUpStep(
        "annotation:publish",
        "Publish",
        "Publish the first batch",
        bool(batches),
        f"{batches} {noun}" if batches else "Not published yet",
    )
