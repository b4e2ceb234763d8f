"""The consents and answers of a project's workers, under their pseudonyms."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Consent, ConsentText, QuestionnaireAnswer
from crowd.models import Worker
from projects.models import Project


@dataclass(frozen=True, slots=True)
class AnswersTable:
    """A row per worker, and a column per wording of a field."""

    columns: list[str]
    rows: Iterator[list[str]]


def answers_table(*, project: Project) -> AnswersTable:
    """Return who consented to which version, when, and what they answered."""
    answers = QuestionnaireAnswer.objects.filter(project=project)
    wordings = list(answers.values_list("key", "label").distinct().order_by("key", "label"))
    wordings.sort(key=lambda wording: (len(wording[0]), wording))
    columns = ["worker", "consent_version", "consented_at", *(label for _, label in wordings)]
    return AnswersTable(columns, _rows(project, wordings))


def _rows(project: Project, wordings: list[tuple[str, str]]) -> Iterator[list[str]]:
    newest: dict[int, Consent] = {
        consent.worker_id: consent
        for consent in Consent.objects.filter(text__project=project)
        .select_related("text")
        .order_by("text__version")
    }
    values: dict[int, dict[tuple[str, str], str]] = {}
    for answer in QuestionnaireAnswer.objects.filter(project=project).iterator():
        given = values.setdefault(answer.worker_id, {})
        given[answer.key, answer.label] = answer.value
    people = Worker.objects.filter(pk__in=newest.keys() | values.keys()).order_by("pseudonym")
    for worker in people:
        consent, given = newest.get(worker.pk), values.get(worker.pk, {})
        yield [
            worker.pseudonym,
            str(consent.text.version) if consent else "",
            consent.accepted_at.strftime("%Y-%m-%dT%H:%M:%SZ") if consent else "",
            *(given.get(wording, "") for wording in wordings),
        ]


def versions_with_counts(*, project: Project) -> list[tuple[ConsentText, int]]:
    """Return the versions of the consent text, newest first, with the number who accepted them.

    Simulated workers do not count.
    """
    people = Consent.objects.filter(text__project=project, worker__is_simulated=False)
    counts = dict(people.order_by().values_list("text").annotate(Count("pk")))
    versions = ConsentText.objects.filter(project=project).order_by("-version")
    return [(version, counts.get(version.pk, 0)) for version in versions]


def answered_count(*, project: Project) -> int:
    """Return the number of workers who answered the questionnaire. Simulated ones do not count."""
    people = QuestionnaireAnswer.objects.filter(project=project, worker__is_simulated=False)
    return people.values("worker").distinct().count()
