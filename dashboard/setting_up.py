"""The steps that set up a project. Their pages later show its settings."""

from dataclasses import dataclass

from annotation.domain.queries import CorpusSize, corpus_size
from jobs.domain.queries import jobs_of
from jobs.enums import JobState
from projects.domain.cached_figures import figures_of
from projects.domain.resources import current_versions
from projects.models import Project
from rehearsal.domain.dry_run import REHEARSAL
from schemes.registry import get_scheme


@dataclass(frozen=True, slots=True)
class SetUpStep:
    """A setup step. `route` is the view name of its page, and `summary` describes its content."""

    route: str
    title: str
    done: bool
    summary: str


def setup_steps(project: Project) -> list[SetUpStep]:
    """Return the setup steps in order: project, resources, corpus, guidelines, pay, rehearsal."""
    size: CorpusSize = figures_of(corpus_size, project=project).value
    versions = project.guidelines.count()
    finished = jobs_of(scope=project.slug, kind=REHEARSAL, state=JobState.FINISHED).count()
    corpus = f"{size.sentences:,} sentences, {size.items:,} items"
    return [
        SetUpStep("projects:settings", "Project", True, project.title),
        *_resource_steps(project),
        SetUpStep("annotation:corpus", "Corpus", bool(size.items), corpus),
        SetUpStep("projects:guidelines", "Guidelines", bool(versions), f"{versions} versions"),
        SetUpStep("annotation:pay", "Pay", True, f"{len(project.pay_scheme)} roles"),
        SetUpStep(
            "rehearsal:dry_run", "Try it out", bool(finished), f"{finished} rehearsals finished"
        ),
    ]


def _resource_steps(project: Project) -> list[SetUpStep]:
    """Return a step for the resources, if the scheme has any."""
    resources = get_scheme(project.scheme).resources
    if not resources:
        return []
    imported = {row.name: row.version for row in current_versions(project)}
    title = next(iter(resources.values())).label if len(resources) == 1 else "Resources"
    versions = ", ".join(f"version {version}" for version in imported.values())
    done = imported.keys() >= resources.keys()
    return [SetUpStep("consolidation:resources", title, done, versions or "not imported")]
