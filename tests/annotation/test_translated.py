"""Texts of schemes are translated when they are shown, and never where they are stored."""

import json
import re

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.models import Draft
from annotation.translated import translated, with_translated_texts
from schemes.contract.errors import ContentError
from schemes.contract.texts import Translatable, joined, text_of_parts, text_parts
from schemes.contract.values import Noun
from schemes.frames.pages import PAGES
from schemes.grounding.comparison import compare
from tests.annotation.factories import make_item, make_project, make_task, task_url
from tests.annotation.page_data import page_data
from tests.browser.frames import make_frames_project, make_record
from tests.browser.grounding import make_grounding_project
from tests.schemes.grounding.test_comparison import CONTEXT, REFERENCE, content
from tests.schemes.grounding.test_comparison import phrase as answer

GERMAN = {"Accept-Language": "de"}


def test_text_is_finished_english_and_keeps_its_pattern():
    error = ContentError("phrases", "have more than %(max_boxes)s boxes in total.", max_boxes=9)
    assert str(error) == "phrases: have more than 9 boxes in total."
    assert json.dumps(error.message) == '"have more than 9 boxes in total."'
    with translation.override("de"):
        assert translated(error.message) == "haben zusammen mehr als 9 Rahmen."


@pytest.mark.parametrize(
    ("count", "german"),
    [(1, "1 zusätzliche Antwort gegeben."), (2, "2 zusätzliche Antworten gegeben.")],
)
def test_plural_follows_the_count(count, german):
    text = Translatable(
        "You found %(found)s of %(total)s answers, and gave %(count)s extra answer.",
        plural="You found %(found)s of %(total)s answers, and gave %(count)s extra answers.",
        count=count,
        found=1,
        total=3,
    )
    assert text.endswith("extra answer." if count == 1 else "extra answers.")
    with translation.override("de"):
        assert translated(text).endswith(german)


def test_parts_and_nouns_are_translated_one_by_one():
    text = joined([Translatable("You marked no answer here."), "100 % mine."])
    with translation.override("de"):
        assert translated(text) == "Sie haben hier keine Antwort markiert. 100 % mine."
        assert translated(Noun("question", "questions").count(2)) == "2 Fragen"


@pytest.mark.parametrize(
    "text",
    [
        joined([Translatable("You marked no answer here."), "100 % (s) mine."]),
        Noun("question", "questions").count(1),
        Translatable("%(count)s core %(noun)s", plural="%(count)s %(noun)s", count=2, noun="x%s"),
        Translatable("100 % without values"),
    ],
)
def test_stored_parts_make_the_same_text_again(text):
    again = text_of_parts(json.loads(json.dumps(text_parts(text))))
    assert again == text
    with translation.override("de"):
        assert translated(again) == translated(text)


def test_plain_text_has_no_parts():
    assert text_parts("100 % mine") == "100 % mine"
    assert not isinstance(text_of_parts("100 % mine"), Translatable)


def test_words_of_a_project_stay_as_written():
    with translation.override("de"):
        assert translated("answer") == "answer"
        assert with_translated_texts({"a": ["answer", 1, None]}) == {"a": ["answer", 1, None]}


def test_reasons_to_skip_are_translated_but_not_their_keys():
    shared = PAGES.shared([])
    with translation.override("de"):
        skips = with_translated_texts(shared)["skips"]
    assert skips[2] == {"key": "no-frame", "label": "Kein Frame passt"}
    assert shared["skips"][2] == {"key": "no-frame", "label": "No frame fits"}


@pytest.mark.django_db
def test_page_shows_reasons_and_levels_in_the_workers_language(settings):
    task = make_task([make_record(make_frames_project())])
    page = Client().get(task_url(task, submit_to=settings.MTURK_WORKER_ORIGINS[0]), headers=GERMAN)
    shared = page_data(page.content.decode())["shared"]
    assert shared["confidence"][0] == "geraten"
    assert shared["skips"][0]["label"] == "Ich verstehe den Satz nicht"


@pytest.mark.django_db
def test_refused_content_is_explained_in_the_workers_language(settings):
    item = make_item(make_project())
    client = Client()
    address = task_url(make_task([item]), submit_to=settings.MTURK_WORKER_ORIGINS[0])
    page = page_data(client.get(address, headers=GERMAN).content.decode())
    content = {str(item.pk): {"questions": [], "no_question": ""}}
    body = json.dumps({"revision": 0, "token": page["token"], "content": content})
    submit = reverse("annotation:submit")
    response = client.post(submit, body, content_type="text/plain", headers=GERMAN)
    assert response.status_code == 422, response.content
    assert [problem["message"] for problem in response.json()["problems"]] == [
        "Stellen Sie eine Frage oder erklären Sie, warum keine möglich ist."
    ]
    assert not Draft.objects.exclude(submitted_at=None).exists()


def test_practice_is_explained_in_the_workers_language(client):
    address = reverse("annotation:practice-check", args=["qasrl", 1])
    content = json.dumps({"content": {"questions": [], "no_question": "x"}})
    result = client.post(address, content, content_type="text/plain", headers=GERMAN).json()
    assert result["summary"] == "Sie haben 0 von 4 Antworten gefunden."
    assert "Sie haben hier keine Antwort markiert." in result["rows"]
    assert "Wer es tut." in result["rows"]
    page = client.get(reverse("annotation:practice", args=["qasrl", 1]), headers=GERMAN)
    assert "Wer, was, wem und wann" in page.content.decode()


@pytest.mark.django_db
def test_states_of_phrases_are_translated_in_feedback_and_boxes_are_not():
    given = content(answer("p0", "group", [0, 0, 60, 20]), answer("p2", "absent"))
    rows = [{"aligned": row} for row in compare(REFERENCE, given, CONTEXT).rows]
    context = {"rows": rows, "other_side": "Experte", "project": make_grounding_project()}
    with translation.override("de"):
        page = render_to_string("annotation/aligned_rows.html", context)
    for text in ("ein Rahmen für die Gruppe", "nichts zum Einrahmen", "nicht im Bild"):
        assert f">{text}</span>" in page
    assert re.search(r'lang="en" [^>]*>10 x 10 \(10, 50\)</span>', page)
    english = render_to_string("annotation/aligned_rows.html", context)
    assert ">nothing to box</span>" in english
