"""The steps in which a project is set up; the same pages are its settings ever after."""

from dataclasses import dataclass

from annotation.domain.kept_figures import figures_of
from annotation.domain.queries import CorpusSize, corpus_size
from annotation.models import Project
from rehearsal.enums import RehearsalState


@dataclass(frozen=True, slots=True)
class SetUpStep:
    """`route` is its page; `done` whether there is something to show for it; `told` says what."""

    route: str
    title: str
    done: bool
    told: str


def setup_steps(project: Project) -> list[SetUpStep]:
    """Project, corpus, guidelines, pay, trying it out, in the order in which one meets them."""
    size: CorpusSize = figures_of(corpus_size, project=project).value
    versions = project.guidelines.count()
    finished = project.rehearsals.filter(state=RehearsalState.FINISHED).count()
    corpus = f"{size.sentences:,} sentences, {size.items:,} items"
    return [
        SetUpStep("settings", "Project", True, project.title),
        SetUpStep("corpus", "Corpus", bool(size.items), corpus),
        SetUpStep("guidelines", "Guidelines", bool(versions), f"{versions} versions written"),
        SetUpStep("pay", "Pay", True, f"{len(project.pay_scheme)} kinds of work"),
        SetUpStep("try_out", "Try it out", bool(finished), f"{finished} rehearsals finished"),
    ]
