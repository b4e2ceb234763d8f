"""What the data card says about guidelines, consent, annotators, pay and citation."""

import pytest

from annotation.models import Consent, QuestionnaireAnswer, Submission
from consolidation.models import Review
from crowd.models import Worker
from datasets.domain.exports.card_people import hourly_pay
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.models import Project
from tests.annotation.onboarding import AGE, STUDIES, publish_fields, publish_text
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import Campaign, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_gold_project()


@pytest.fixture
def demo() -> Campaign:
    return Campaign(make_project(), 12)


def card(project: Project, folder) -> str:
    options = ExportOptions(fmt="jsonl")
    export_gold(project=project, options=options, folder=folder)
    return (folder / "README.md").read_text("utf-8")


def annotators() -> list[Worker]:
    return list(Worker.objects.filter(submissions__isnull=False).distinct().order_by("pk"))


def test_card_has_the_consent_text_and_who_accepted_it(project, tmp_path):
    assert "## Consent" not in card(project, tmp_path / "before")
    first = publish_text(project)
    publish_text(project, "A version that nobody accepted.")
    simulated, *people = annotators()
    Worker.objects.filter(pk=simulated.pk).update(is_simulated=True)
    for worker in (simulated, *people):
        Consent.objects.create(text=first, worker=worker, accepted_at=NOW)
    text = card(project, tmp_path / "after")
    assert f"Version 1, accepted by {len(people)} workers:" in text
    assert "> # Information\n>\n> The data is **published** without names." in text
    assert "nobody accepted" not in text


def test_card_summarises_the_answers(project, tmp_path):
    publish_fields(project, AGE, STUDIES)
    for worker, year in zip(annotators(), ("1980", "1990", "2000"), strict=True):
        for key, label, value in (("f1", "Year of birth", year), ("f2", "Field", "Linguistics")):
            QuestionnaireAnswer.objects.create(
                project=project, worker=worker, key=key, label=label, value=value, answered_at=NOW
            )
    skipped = QuestionnaireAnswer.objects.filter(key="f2").first()
    skipped.value = ""
    skipped.save()
    text = card(project, tmp_path)
    assert "3 workers answered the questionnaire." in text
    assert "- Year of birth: 3 answered, median 1990\n" in text
    assert "- Field of study: 2 answered: Linguistics (2)\n" in text


def test_card_has_the_guidelines_and_a_citation(project, tmp_path):
    guidelines = project.guidelines.get(role="generator")
    Submission.objects.filter(role="generator").update(guidelines=guidelines)
    text = card(project, tmp_path)
    assert "Versions of the guidelines: generators: 1." in text
    assert f"@misc{{{project.slug},\n" in text
    assert f"  title = {{{project.title or project.slug}}},\n" in text


def test_card_has_the_pay_of_active_time_and_of_an_item(demo, tmp_path):
    project = demo.project
    text = card(project, tmp_path)
    [hourly] = [pay for role, pay in hourly_pay(project).items() if role == "generator"]
    [row] = [line for line in text.splitlines() if line.startswith("| generator |")]
    assert row.endswith(f"| {hourly} |")
    assert " per item with gold." in text
    project.has_simulated_work = True
    project.save()
    assert hourly not in card(project, tmp_path / "simulated")


def test_card_says_all_if_every_item_was_reviewed(project, tmp_path):
    gold = project.items.get().gold.get()
    Review.objects.create(
        gold=gold, drawn_at=NOW, state="confirmed", reviewed_at=NOW, expert=make_user("eva")
    )
    assert "Of all 1 items that experts reviewed blindly" in card(project, tmp_path)


def test_card_has_the_signals_as_totals_and_no_record(project, tmp_path):
    assert "How answers were entered" not in card(project, tmp_path / "before")
    record = {
        "fields": [{"name": "why-this", "pasted": 43218765, "pastes": 1}],
        "intervals": {},
        "counts": {"gestures": 98761234},
    }
    Submission.objects.filter(worker__isnull=False).update(inputs=record)
    text = card(project, tmp_path / "after")
    count = Submission.objects.filter(worker__isnull=False).count()
    assert f"Pages recorded how the answers of {count} submissions were entered" in text
    assert "- Pasted answers: 100.0 % of submissions, 100.0 % of workers" in text
    assert "- Identical rhythm: 0.0 % of workers" in text
    assert "- Entered by a script: 0.0 % of submissions, 0.0 % of workers" in text
    files = [path for path in (tmp_path / "after").rglob("*") if path.is_file()]
    contents = b"".join(path.read_bytes() for path in files)
    for part in (b"why-this", b"43218765", b"98761234", b"gestures"):
        assert part not in contents
