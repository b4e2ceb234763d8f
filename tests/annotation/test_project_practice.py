"""The exercises of projects that declare their scheme, from the examples of the definition."""

import io
import json

import pytest
from django.urls import reverse
from PIL import Image

from annotation.domain.corpus.images import store_image
from annotation.domain.work.practice import series_of
from annotation.domain.work.tutorial import example_of, offers_tutorial
from projects.domain.create_project import create_project, write_guidelines
from projects.enums import Role
from projects.models import Project
from schemes.contract.values import Json
from schemes.custom.parse_definition import parse_definition
from tests.annotation.factories import NOW, make_task, task_url
from tests.browser.custom import make_texts

ORIGIN = "http://127.0.0.1:8000"
EXAMPLES: Json = {
    "title": "Tone",
    "fields": [{"key": "tone", "type": "choice", "options": ["good", "bad"]}],
    "examples": [
        {"title": "Praise", "texts": {"text": "Fine food."}, "answers": {"tone": "good"}},
        {
            "texts": {"text": "Cold soup."},
            "answers": {"tone": "bad"},
            "explanation": "Cold is bad.",
        },
    ],
}
BOX = {"label": "dog", "box": [1, 2, 30, 40]}


def boxes(*images: str) -> Json:
    return {
        "title": "Boxes",
        "image": "required",
        "fields": [{"key": "things", "type": "boxes", "labels": ["dog"]}],
        "examples": [
            {
                "title": name,
                "texts": {"text": "A dog."},
                "image": name,
                "answers": {"things": [BOX]},
            }
            for name in images
        ],
    }


def make_project(value: Json, slug: str = "tone") -> Project:
    definition = parse_definition(value).value
    return create_project(slug=slug, scheme="custom", definition=definition, language="de", now=NOW)


def make_picture(side: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (side, side), "teal").save(stream, "PNG")
    return stream.getvalue()


def address(project: Project, number: int, name: str = "practice") -> str:
    return reverse(f"annotation:{name}", args=[series_of(project), number])


def page_of(response) -> Json:
    text = response.content.decode().partition('<script id="page" type="application/json">')[2]
    return json.loads(text.partition("</script>")[0])


def check(client, project: Project, number: int, answers: Json):
    body = json.dumps({"content": {"answers": answers}})
    where = address(project, number, "practice-check")
    return client.post(where, body, content_type="text/plain")


@pytest.mark.django_db
def test_page_has_the_example_and_the_texts_of_the_project(client):
    project = make_project(EXAMPLES)
    write_guidelines(project=project, role=Role.GENERATOR, text="Read *twice*.", now=NOW)
    response = client.get(address(project, 2))
    text = response.content.decode()
    assert "Cold is bad." in text
    assert "<em>twice</em>" in text
    assert '<body class="worker-page" data-language="de"' in text
    assert 'lang="de" dir="auto">Praise</span></a>' in text
    assert ">Exercise 2</a>" in text
    page = page_of(response)
    assert page["items"][0]["text"] == "Cold soup."
    assert page["shared"]["definition"]["fields"][0]["key"] == "tone"
    assert "examples" not in page["shared"]["definition"]  # they have the answers


@pytest.mark.django_db
def test_answers_are_compared_with_the_example(client):
    project = make_project(EXAMPLES)
    right = check(client, project, 1, {"tone": "good"}).json()
    assert right["summary"] == "Your answers are the same as the expert's."
    wrong = check(client, project, 1, {"tone": "bad"}).json()
    assert wrong["summary"] == "Your answers agree with the expert's by 0 %."
    refused = check(client, project, 1, {"tone": "worse"})
    assert refused.status_code == 422
    assert refused.json()["problems"][0]["path"] == "answers.tone"


@pytest.mark.django_db
def test_task_page_links_to_the_exercises_of_its_project(client):
    project = make_project(EXAMPLES)
    task = make_task([make_texts(project, EXAMPLES, "Fine.")])
    start = reverse("annotation:practice-start", args=[series_of(project)])
    assert f'href="{start}"' in client.get(task_url(task, submit_to=ORIGIN)).content.decode()
    assert client.get(start).headers["Location"] == address(project, 1)


@pytest.mark.django_db
def test_project_without_examples_has_no_exercises(client):
    value = {**EXAMPLES, "examples": []}
    project = make_project(value)
    assert series_of(project) == ""
    task = make_task([make_texts(project, value, "Fine.")])
    assert "Practice" not in client.get(task_url(task, submit_to=ORIGIN)).content.decode()


@pytest.mark.django_db
def test_addresses_can_not_be_guessed(client):
    project = make_project(EXAMPLES)
    other = make_project(EXAMPLES, slug="other")
    signature = series_of(project).partition(":")[2]
    for series in ("tone", "custom", "tone:", f"other:{signature}", f"gone:{signature}"):
        where = reverse("annotation:practice", args=[series, 1])
        assert client.get(where).status_code == 404
    assert client.get(address(other, 1)).status_code == 200


@pytest.mark.django_db
def test_pictures_are_those_of_the_project_or_the_sample(client):
    project = make_project(boxes("dog.png", "img/tutorial-meadow.png", "missing.png"))
    store_image(project=project, name="dog.png", data=make_picture(50))
    own, sample = (page_of(client.get(address(project, number))) for number in (1, 2))
    image = own["items"][0]["data"]["image"]
    assert (image["name"], image["width"], image["height"]) == ("dog.png", 50, 50)
    assert client.get(image["url"]).getvalue() != b""
    image = sample["items"][0]["data"]["image"]
    assert (image["width"], image["height"]) == (480, 320)
    assert "tutorial-meadow" in image["url"]
    # An example without its picture can't be shown.
    assert client.get(address(project, 3)).status_code == 404
    # Boxes are compared in the picture's own size.
    assert check(client, project, 1, {"things": [BOX]}).status_code == 200
    large = {"label": "dog", "box": [1, 2, 30, 60]}
    assert check(client, project, 1, {"things": [large]}).status_code == 422
    assert check(client, project, 2, {"things": [large]}).status_code == 200


@pytest.mark.django_db
def test_tutorial_shows_a_picture_of_the_project_and_is_not_offered_without_it():
    project = make_project(boxes("dog.png"))
    options = {"project": project, "role": "generator", "worker_ref": "W1"}
    assert not offers_tutorial(**options)
    assert example_of(project=project, role="generator") is None
    store_image(project=project, name="dog.png", data=make_picture(50))
    assert offers_tutorial(**options)
    example = example_of(project=project, role="generator")
    assert example
    assert example["data"]["image"]["name"] == "dog.png"


@pytest.mark.django_db
def test_tutorial_prefers_an_example_that_needs_no_image_of_the_project():
    project = make_project(boxes("dog.png", "img/tutorial-meadow.png"))
    example = example_of(project=project, role="generator")
    assert example
    assert example["data"]["image"]["width"] == 480
