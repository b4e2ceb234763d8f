"""The gold page compares uploads with the project, and aligns and rescales on request."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from consolidation.models import Gold
from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from tests.annotation.test_images import picture_bytes
from tests.annotation.test_import_checks import ITEMS, SENTENCES, bank
from tests.annotation.test_preview_checks import Corpus, coco
from tests.annotation.uploads import preview_of, read_again
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def labels(start: int, end: int) -> dict[str, object]:
    slots = dict(zip(("wh", "aux", "subj", "verb", "obj", "prep", "obj2"), "_______", strict=True))
    question = {
        "questionString": "Who barked?",
        "questionSources": ["turk-1"],
        "answerJudgments": [{"sourceId": "turk-1", "isValid": True, "spans": [[start, end]]}],
        "questionSlots": slots | {"wh": "who", "verb": "past"},
        "tense": "past",
        **dict.fromkeys(("isPerfect", "isProgressive", "isNegated", "isPassive"), False),
    }
    return {"questionLabels": {"Who barked?": question}}


def gold_bank(tokens: str, at: int, start: int, end: int) -> str:
    entry = json.loads(bank(tokens, at))
    entry["verbEntries"][str(at)] |= labels(start, end)
    return json.dumps(entry) + "\n"


SPLIT = gold_bank("Th e dog barked at Zoë .", 3, 0, 3)


class GoldUpload:
    """The gold pages of a project."""

    def __init__(self, client, slug: str, text: str, name: str) -> None:
        self.client = client
        self.list = reverse("consolidation:gold_import", args=[slug])
        form = {"annotations": SimpleUploadedFile(name, text.encode()), "source": "expert"}
        self.page = preview_of(client, client.post(self.list, form, follow=True))
        self.address = self.page.redirect_chain[-1][0]

    def choose(self, *settings: str):
        form = self.page.context["form"]
        data = {
            field.html_name: field.value() or ""
            for field in form
            if field.html_name not in ("align", "rescale_boxes", "add_roles")
        }
        data |= dict.fromkeys(settings, "on")
        self.page = read_again(self.client, self.address, data)
        return self.page

    def run(self) -> Job:
        self.client.post(self.address)
        assert run_next_job(clock=lambda: NOW)
        return Job.objects.filter(kind="gold-import").latest("pk")


@pytest.fixture
def verbs(client, job_files):
    corpus = Corpus(client, "qasrl")
    corpus.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\na:2,3,go\n")
    return corpus


@pytest.fixture
def picture(client, job_files):
    """Return a project with a caption of a picture of 40 x 30."""
    corpus = Corpus(client, "grounding")
    images = {"1.png": picture_bytes(size=(40, 30))}
    job = corpus.imported(coco(40, 30), name="a.json", images=images)
    assert job.result["items_added"] == 1
    return corpus


def test_gold_in_other_tokens_is_aligned_on_request(verbs, client):
    upload = GoldUpload(client, "qasrl", SPLIT, "gold.jsonl")
    html = upload.page.content.decode()
    assert "1 of 1 sentences have other tokens than the project" in html
    assert "Choose “Align positions by characters” if the texts are the same." in html
    assert 'class="primary">Import' not in html
    page = upload.choose("align")
    assert (page.context["read"].added, page.context["problem"]) == (1, "")
    assert 'name="align" form="reading"' in page.content.decode()
    job = upload.run()
    assert (job.result["added"], job.result["errors"]) == (1, [])
    [question] = Gold.objects.get().content["questions"]
    assert question["answers"] == [[0, 2]]


def test_alignment_can_be_taken_back(verbs, client):
    upload = GoldUpload(client, "qasrl", SPLIT, "gold.jsonl")
    upload.choose("align")
    page = upload.choose()
    assert "have other tokens" in page.context["problem"]
    assert "have other tokens" in upload.run().problem
    assert not Gold.objects.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (gold_bank("A nother dog barked .", 3, 0, 3), "is not that of the sentence"),
        (gold_bank("Th e dog barked at Zoë .", 3, 0, 1), "begins or ends inside a token"),
    ],
)
def test_gold_that_can_not_be_aligned_is_named(verbs, client, text, message):
    upload = GoldUpload(client, "qasrl", text, "gold.jsonl")
    page = upload.choose("align")
    [error] = page.context["errors"]
    assert error.startswith("gold.jsonl, line 1: ")
    assert message in error
    assert upload.run().state == "failed"


def test_contradiction_is_shown_with_its_line_and_both_words(verbs, client):
    header = "qasrl_id,verb_idx,verb,question,answer,answer_range\n"
    rows = "a:1,2,barked,Who barked?,Zoë,0:2\na:2,3,go,Who can not go?,Mary,0:1\n"
    upload = GoldUpload(client, "qasrl", header + rows, "gold.csv")
    assert upload.page.context["errors"] == [
        "gold.csv, line 2: answer: 0:2 is “The dog”, not “Zoë”."
    ]
    assert upload.page.context["read"].added == 1
    assert "Differences" not in upload.page.content.decode()
    assert upload.run().result["added"] == 1


def test_resized_boxes_are_scaled_on_request(picture, client):
    upload = GoldUpload(client, "grounding", coco(80, 60), "gold.json")
    [error] = upload.page.context["errors"]
    assert "the file says 80 x 60, but the picture has 40 x 30: it is resized." in error
    page = upload.choose("rescale_boxes")
    assert (page.context["read"].added, page.context["errors"]) == (1, [])
    assert upload.run().result["added"] == 1
    [phrase] = Gold.objects.get().content["phrases"]
    assert phrase["boxes"] == [[5, 2, 14, 8]]


def test_turned_picture_is_no_resized_one(picture, client):
    upload = GoldUpload(client, "grounding", coco(30, 40), "gold.json")
    assert "it is turned" in upload.page.context["errors"][0]
    page = upload.choose("rescale_boxes")
    assert "it is turned" in page.context["errors"][0]
    assert page.context["read"].added == 0


def test_clipped_boxes_and_blank_records_are_counted(picture, client):
    text = coco(40, 30).replace("[10, 5, 18, 10]", "[-1, 5, 18, 10]")
    upload = GoldUpload(client, "grounding", text, "gold.json")
    assert "<dt>Boxes clipped</dt><dd>1</dd>" in upload.page.content.decode()
    upload.run()
    assert "Boxes clipped: 1" in client.get(upload.list).content.decode()


def test_setting_of_another_kind_of_import_is_not_offered(verbs, client):
    upload = GoldUpload(client, "qasrl", SPLIT, "gold.jsonl")
    upload.choose("update")
    assert Job.objects.latest("pk").parameters["settings"] == []
