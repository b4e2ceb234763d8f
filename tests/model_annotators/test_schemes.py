"""A model in each scheme, whose answers pass the same parser as a worker's."""

import base64
import io
import json

import pytest
from PIL import Image

from annotation.domain.corpus.item_context import context_of
from consolidation.models import Gold
from model_annotators.domain.annotate import annotate
from model_annotators.domain.prompts import prompts_of
from model_annotators.domain.register import ModelPlan, register_model
from projects.domain.create_project import create_project
from projects.domain.schemes import scheme_of
from rehearsal.domain.demo import sample_project, sample_schemes
from schemes.custom.corpus import JSONL
from schemes.simulated_person import Person
from tests.crowd.factories import NOW
from tests.fakes.chat_server import Reply, chat_server
from tests.schemes.custom.samples import starter
from tests.walk import run

pytestmark = pytest.mark.django_db
ASKED = 3


def custom_project(tmp_path):
    """Create a project of named entities with an example, and one more item, as gold."""
    definition = starter("entities")
    project = create_project(slug="own", scheme="custom", definition=definition.value, now=NOW)
    lines = [
        {"id": f"doc:{number}", "texts": dict(example.texts), "answers": example.answers}
        for number, example in enumerate(definition.examples * 6)
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    run("import_corpus", "own", path, "--format", JSONL, "--strict")
    run("import_gold", "own", path, "--format", JSONL, "--source", "expert", "--strict")
    return project


def project_of(name: str, tmp_path):
    if name == "custom":
        return custom_project(tmp_path)
    [(scheme, sample)] = [pair for pair in sample_schemes() if pair[0].name == name]
    return sample_project(name, name, scheme, sample, NOW)


@pytest.mark.parametrize("name", ["qasrl", "frames", "grounding", "custom"])
def test_model_that_knows_the_gold_is_accepted_in_every_scheme(name, settings, tmp_path):
    project = project_of(name, tmp_path)
    scheme = scheme_of(project)
    rows = Gold.objects.filter(item__project=project).select_related("item__sentence__image")
    golds = list(rows.order_by("item__position")[:ASKED])
    right = [
        scheme.get_simulation().generate(
            gold.content, context_of(gold.item, project), Person(1.0), "model"
        )
        for gold in golds
    ]
    answers = iter(right)
    with chat_server(lambda request: Reply(json.dumps(next(answers)))) as server:
        settings.MODEL_HOSTS = [server.host]
        plan = ModelPlan(name="model", url=server.url, model="m", cap_cents=0)
        annotator = register_model(project=project, plan=plan, actor="tests", now=NOW)
        items = [gold.item for gold in golds]
        prompts = prompts_of(project=project, asked=items, examples=2)
        for gold, expected in zip(golds, right, strict=True):
            answer = annotate(
                annotator=annotator, item=gold.item, prompts=prompts, clock=lambda: NOW
            )
            context = context_of(gold.item, project)
            assert answer.problem == ""
            assert answer.content == scheme.content.parse_generation(expected, context)
    request = server.requests[0]
    assert len(server.requests) == ASKED
    assert len([m for m in request["messages"] if m["role"] == "assistant"]) == 2
    assert scheme.content.json_schemas["generation"] == prompts.schema
    for message in request["messages"]:
        if message["role"] == "assistant":
            assert isinstance(json.loads(message["content"]), dict)


def test_images_are_sent_in_full_size(settings, tmp_path):
    project = project_of("grounding", tmp_path)
    item = project.items.select_related("sentence__image").earliest("position")
    prompts = prompts_of(project=project, asked=[item], examples=0)
    text, picture = prompts.about(item)[-1]["content"]
    head, data = picture["image_url"]["url"].split(",")
    assert head.startswith("data:image/")
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        assert {"width": image.width, "height": image.height} == json.loads(text["text"])["image"]
