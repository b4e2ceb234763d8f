"""Snippets that a project's trainers insert into their notes."""

import pytest
from django.urls import reverse

from qualification.models import Feedback, Snippet
from tests.consolidation.factories import make_project
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def page_of(enrolment, name="trainee"):
    round = enrolment.round
    arguments = [round.project.slug, round.pk, enrolment.worker.pseudonym]
    return reverse(f"qualification:{name}", args=arguments)


def test_note_becomes_a_snippet_of_the_project_and_the_draft_is_saved(desk, trainer, enrolment):
    item = enrolment.round.items.first()
    fields = {f"note-{item.pk}": " Keep modals. ", "keep_snippet": item.pk, "text": "Hello."}
    response = desk.post(page_of(enrolment, "write"), fields)
    assert response["Location"].endswith(f"#item-{item.pk}")
    snippet = Snippet.objects.get()
    assert (snippet.text, snippet.author, snippet.project) == (
        "Keep modals.",
        trainer,
        enrolment.round.project,
    )
    assert Feedback.objects.get().text == "Hello."
    page = desk.get(page_of(enrolment)).content.decode()
    assert page.count('data-snippet="Keep modals."') == enrolment.round.items.count()
    again = desk.post(page_of(enrolment, "write"), fields, follow=True).content.decode()
    assert "Nothing was saved" in again
    assert Snippet.objects.count() == 1


def test_snippet_is_deleted_only_in_its_own_project(desk, trainer, enrolment):
    own, other = (
        Snippet.objects.create(project=project, text="Keep.", author=trainer, made_at=NOW)
        for project in (enrolment.round.project, make_project())
    )
    for snippet in (own, other):
        desk.post(page_of(enrolment, "write"), {"delete_snippet": snippet.pk})
    assert Snippet.objects.get() == other
