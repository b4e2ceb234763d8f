"""The steps that set up a project. Their pages later show its settings."""

from dataclasses import dataclass

from annotation.domain.queries import CorpusSize, corpus_size
from jobs.domain.queries import jobs_of
from jobs.enums import JobState
from projects.domain.cached_figures import figures_of
from projects.models import Project
from rehearsal.domain.dry_run import REHEARSAL


@dataclass(frozen=True, slots=True)
class SetUpStep:
    """A setup step. `route` is the view name of its page, and `summary` describes its content."""

    route: str
    title: str
    done: bool
    summary: str


def setup_steps(project: Project) -> list[SetUpStep]:
    """Return the setup steps in order: project, corpus, guidelines, pay, rehearsal."""
    size: CorpusSize = figures_of(corpus_size, project=project).value
    versions = project.guidelines.count()
    finished = jobs_of(scope=project.slug, kind=REHEARSAL, state=JobState.FINISHED).count()
    corpus = f"{size.sentences:,} sentences, {size.items:,} items"
    return [
        SetUpStep("projects:settings", "Project", True, project.title),
        SetUpStep("annotation:corpus", "Corpus", bool(size.items), corpus),
        SetUpStep("projects:guidelines", "Guidelines", bool(versions), f"{versions} versions"),
        SetUpStep("annotation:pay", "Pay", True, f"{len(project.pay_scheme)} roles"),
        SetUpStep(
            "rehearsal:dry_run", "Try it out", bool(finished), f"{finished} rehearsals finished"
        ),
    ]
