"""The language of a corpus: chosen, stated on every text of it, and exported."""

import re

import pytest
import yaml
from django.urls import reverse

from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.enums import MemberRole
from projects.languages import CHOICES, LANGUAGES, MAX_TAG_LENGTH, direction_of
from projects.models import Project
from tests.annotation.factories import make_item, make_project, make_task, task_url
from tests.annotation.page_data import page_data
from tests.browser.custom import NAMES, make_custom_project, make_texts
from tests.browser.grounding import make_caption, make_grounding_project
from tests.consolidation.experts import make_queue
from tests.consolidation.gold import make_gold_project
from tests.dashboard.campaign import make_user
from tests.schemes.frames.projects import import_sample, make_frames_project, make_record

pytestmark = pytest.mark.django_db
ORIGIN = "http://127.0.0.1:8000"
# The element that holds the sentence on workers' pages
MARKED = re.compile(r"<[^>]*(?:data-sentence|data-caption)\b[^>]*>")


def in_language(project: Project, tag: str) -> Project:
    project.language = tag
    project.save()
    return project


def frames_item():
    project = make_frames_project()
    import_sample(project)
    return make_record(project)


SCHEMES = {
    "qasrl": lambda: make_item(make_project()),
    "frames": frames_item,
    "grounding": lambda: make_caption(make_grounding_project()),
    "custom": lambda: make_texts(make_custom_project(NAMES), NAMES),
}


def test_tags_are_well_formed_and_have_names():
    assert len({name for _, name in CHOICES}) == len(LANGUAGES) > 200
    for tag, name in LANGUAGES.items():
        assert re.fullmatch(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?", tag), tag
        assert len(tag) <= MAX_TAG_LENGTH
        assert name[0].isupper()


def test_direction_follows_the_script():
    right_to_left = {tag for tag in LANGUAGES if direction_of(tag) == "rtl"}
    assert {"ar", "he", "fa", "ur", "yi"} <= right_to_left
    assert not right_to_left & {"en", "de", "zh-Hans", "hi", "arn"}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("tag", "direction"), [("en", "auto"), ("de", "auto"), ("he", "rtl")])
def test_workers_page_states_the_language_of_its_texts(client, scheme, tag, direction):
    item = SCHEMES[scheme]()
    in_language(item.project, tag)
    html = client.get(task_url(make_task([item]), submit_to=ORIGIN)).content.decode()
    assert page_data(html)["language"] == tag
    assert f'data-language="{tag}" data-direction="{direction}"' in html
    assert '<html lang="en">' in html  # the page itself
    if scheme == "custom":
        # The element is created by the script, see tests/browser/test_custom_page.py.
        return
    (text,) = MARKED.findall(html)
    assert f'lang="{tag}" dir="{direction}"' in text


def test_experts_page_states_the_language_of_its_texts(client):
    item = SCHEMES["qasrl"]()
    project = in_language(item.project, "fa")
    client.force_login(make_user("erik", project, MemberRole.EXPERT))
    queued = make_queue(project, [item], kind="annotate", sources=[]).queued.get()
    url = reverse("consolidation:expert_item", args=[project.slug, queued.pk])
    (text,) = MARKED.findall(client.get(url).content.decode())
    assert 'lang="fa" dir="rtl"' in text


def test_staff_pages_state_the_language_of_texts_and_annotations(client):
    project = in_language(make_gold_project(), "de")
    item = project.items.get()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    for name, pk in (("consolidation:item", item.pk), ("datasets:gold_sentence", item.sentence_id)):
        html = client.get(reverse(name, args=[project.slug, pk])).content.decode()
        assert 'class="sentence" lang="de" dir="auto"' in html
        assert re.search(r'<span class="(units__value|role-answer[^"]*)" lang="de"', html), name
    html = client.get(reverse("consolidation:items", args=[project.slug])).content.decode()
    assert '<bdi lang="de">' in html


def test_data_card_and_manifest_name_the_language(tmp_path):
    project = in_language(make_gold_project(), "pt-BR")
    export = export_gold(project=project, options=ExportOptions(fmt="jsonl"), folder=tmp_path)
    assert export.manifest["language"] == "pt-BR"
    front = yaml.safe_load((tmp_path / "README.md").read_text("utf-8").split("---")[1])
    assert (front["language"], front["language_bcp47"]) == (["pt"], ["pt-BR"])
