"""The preview of a corpus finds what its import refuses, and offers settings that accept it."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image as Picture

from annotation.domain.corpus import preview_corpus as preview_module
from annotation.models import Image, Item, Sentence
from consolidation.domain.gold.add_gold import add_gold
from jobs.models import Job
from projects.domain.create_project import create_project
from projects.enums import MemberRole
from tests.annotation.factories import NOW
from tests.annotation.test_corpus_upload import archive
from tests.annotation.test_images import ORIENTATION, picture_bytes
from tests.annotation.test_import_checks import ITEMS, SENTENCES, TAGGED, bank, caption
from tests.annotation.uploads import read_again, run_jobs, upload_corpus
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db
CHANGED = SENTENCES.replace("The dog barked", "A cat purred")
UPDATE, ALIGN, RESCALE = "update", "align", "rescale_boxes"


class Corpus:
    """The corpus pages of a project of the scheme."""

    def __init__(self, client, scheme: str) -> None:
        self.client = client
        self.project = create_project(slug=scheme, scheme=scheme, now=NOW)
        client.force_login(make_user(f"rita-{scheme}", self.project, MemberRole.REQUESTER))

    def upload(self, text, *, name="corpus.csv", items="", items_name="items.csv", images=None):
        form = {"corpus": SimpleUploadedFile(name, text.encode())}
        if items:
            form["items"] = SimpleUploadedFile(items_name, items.encode())
        if images is not None:
            form["images"] = SimpleUploadedFile("images.zip", archive(images))
        page = upload_corpus(self.client, self.project.slug, form)
        self.address = page.redirect_chain[-1][0]
        return page.context["read"]

    def choose(self, *settings: str):
        """Return the preview with these settings, and the page."""
        form = self.client.get(self.address).context["form"]
        data = {field.html_name: field.value() or "" for field in form if not is_setting(field)}
        chosen = {**data, **dict.fromkeys(settings, "on")}
        page = read_again(self.client, self.address, chosen)
        return page.context["read"], page.content.decode()

    def run(self) -> Job:
        self.client.post(self.address)
        run_jobs()
        return Job.objects.get(pk=self.address.rstrip("/").rpartition("/")[2])

    def imported(self, text, **files) -> Job:
        self.upload(text, **files)
        return self.run()


def is_setting(field) -> bool:
    return field.html_name in (UPDATE, ALIGN, RESCALE)


def assert_same(read, job: Job) -> None:
    """Check that a preview announced what the import did."""
    result = job.result
    errors = [
        f"{error['file']}{', line ' + str(error['line']) if error['line'] else ''}: "
        f"{error['field'] + ': ' if error['field'] else ''}{error['message']}"
        for error in result["errors"]
    ]
    assert sorted(read.errors) == sorted(errors)
    assert (read.sentences, read.updated) == (
        result["sentences_added"],
        result["sentences_updated"],
    )
    assert (read.items, read.items_updated) == (result["items_added"], result["items_updated"])
    assert read.bad_rows == result["error_count"]


@pytest.fixture
def qasrl(client, job_files):
    return Corpus(client, "qasrl")


@pytest.fixture
def grounding(client, job_files):
    return Corpus(client, "grounding")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a:1,0,barked\na:2,3,go\n", "items.csv, line 2: verb: 0:1 is “The”, not “barked”."),
        ("a:1,9,barked\na:2,3,go\n", "items.csv, line 2: verb: 9:10 is not in the sentence"),
        ("a:1,5,\na:2,3,go\n", "items.csv, line 2: verb: “.” is not a word."),
        ("b:1,2,barked\na:2,3,go\n", "items.csv, line 2: no sentence 'b:1' in the project."),
    ],
)
def test_preview_names_items_that_contradict_their_sentence(qasrl, rows, message):
    read = qasrl.upload(SENTENCES, items=ITEMS + rows)
    assert read.errors[0].startswith(message)
    assert (read.items, read.bad_rows, read.offers) == (1, 1, {})
    assert_same(read, qasrl.run())


def test_preview_names_items_that_pages_can_not_show(qasrl):
    text = "qasrl_id,tokens\na:1,The senator re\u00a0elected him .\na:2,The dog barked loudly .\n"
    read = qasrl.upload(text)
    assert "verb: “re elected” has a blank." in read.errors[0]
    assert_same(read, qasrl.run())


def test_items_of_sentences_that_the_project_has_are_counted(qasrl):
    qasrl.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    other = SENTENCES.splitlines(keepends=True)[0] + "b:1,A cat purred .,x\n"
    read = qasrl.upload(other, items=f"{ITEMS}a:1,2,barked\na:2,3,go\nb:1,2,purred\n")
    assert (read.sentences, read.items, read.errors) == (1, 2, [])
    assert_same(read, qasrl.run())


def test_changed_sentences_are_named_and_their_replacement_offered(qasrl):
    qasrl.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\na:2,3,go\n")
    items = f"{ITEMS}a:1,2,purred\na:2,3,go\n"
    read = qasrl.upload(CHANGED, items=items)
    assert (
        "corpus.csv, line 2: a:1 exists with other tokens. Nothing was changed. To replace it, "
        "choose “Replace what has changed”."
    ) in read.errors
    assert (read.offers, read.replaceable, read.with_work) == ({UPDATE: 1}, 1, 0)
    assert [row.note for row in read.shown] == [
        "differs from the project",
        "already in the project",
    ]
    html = qasrl.client.get(qasrl.address).content.decode()
    assert "1 difference can be replaced." in html
    assert "2 of 2 sentences" in html
    read, html = qasrl.choose(UPDATE)
    assert (read.updated, read.items, read.errors) == (1, 1, [])
    assert "Import and replace" in html
    assert "<dt>Replaced sentences</dt><dd>1</dd>" in html
    assert 'name="update" form="reading"' in html
    job = qasrl.run()
    assert_same(read, job)
    assert Sentence.objects.get(external_id="a:1").tokens[1] == "cat"
    page = qasrl.client.get(reverse("annotation:corpus", args=["qasrl"])).content.decode()
    assert "0 sentences and 1 items added, 1 and 0 replaced" in page


def test_setting_can_be_taken_back(qasrl):
    qasrl.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    qasrl.upload(CHANGED, items=f"{ITEMS}a:2,3,go\n")
    qasrl.choose(UPDATE)
    read, _ = qasrl.choose()
    assert (read.updated, read.bad_rows) == (0, 1)
    assert qasrl.run().result["sentences_updated"] == 0
    assert Sentence.objects.get(external_id="a:1").tokens[1] == "dog"


def test_sentences_with_work_are_counted_and_stay(qasrl):
    qasrl.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\na:2,3,go\n")
    item = Item.objects.get(key="a:1/2")
    add_gold(item=item, source="expert", content={"questions": []}, provenance=[], now=NOW)
    both = CHANGED.replace("Mary can not go", "Ann can not go")
    read = qasrl.upload(both, items=f"{ITEMS}a:2,3,go\n")
    assert (read.replaceable, read.with_work, read.offers) == (1, 1, {UPDATE: 1})
    assert "work depends on it" in read.errors[0]
    html = qasrl.client.get(qasrl.address).content.decode()
    assert "1 difference can be replaced. Work depends on 1 more, which will stay." in html
    read, _ = qasrl.choose(UPDATE)
    assert (read.updated, read.bad_rows) == (1, 1)
    assert_same(read, qasrl.run())
    assert Item.objects.filter(pk=item.pk).exists()


def test_work_on_everything_leaves_nothing_to_offer(qasrl):
    qasrl.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    add_gold(item=Item.objects.get(), source="expert", content={}, provenance=[], now=NOW)
    read = qasrl.upload(CHANGED, items=f"{ITEMS}a:2,3,go\n")
    assert (read.replaceable, read.with_work, read.offers) == (0, 1, {})
    assert "Differences" not in qasrl.client.get(qasrl.address).content.decode()


def test_corrected_tags_are_replaced(client, job_files):
    frames = Corpus(client, "frames")
    frames.imported(TAGGED.format("NOUN"), name="a.conllu")
    read = frames.upload(TAGGED.format("VERB"), name="a.conllu")
    assert "a:1 exists with other upos." in read.errors[0]
    assert not read.can_be_imported
    assert 'class="primary">Import' not in frames.client.get(frames.address).content.decode()
    read, _ = frames.choose(UPDATE)
    assert (read.updated, read.items) == (1, 1)
    assert_same(read, frames.run())


def test_items_with_another_target_are_replaced(qasrl):
    text = "qasrl_id,tokens\na:1,She left it .\n"
    items = bank("She left it .", 1, sentenceId="a:1", verbEntries={"1": forms("leave")})
    qasrl.imported(text, items=items, items_name="items.jsonl")
    other = bank("She left it .", 1, sentenceId="a:1", verbEntries={"1": forms("left")})
    read = qasrl.upload(text, items=other, items_name="items.jsonl")
    assert "a:1/1 exists with another target." in read.errors[0]
    read, html = qasrl.choose(UPDATE)
    assert (read.items_updated, read.errors) == (1, [])
    assert "<dt>Replaced verbs</dt><dd>1</dd>" in html
    assert_same(read, qasrl.run())


def forms(stem: str) -> dict[str, object]:
    names = ("presentSingular3rd", "presentParticiple", "past", "pastParticiple")
    inflected = {"stem": stem, **dict.fromkeys(names, "left")}
    return {"verbIndex": 1, "verbInflectedForms": inflected, "questionLabels": {}}


def test_positions_in_other_tokens_are_aligned(qasrl):
    items = bank("Th e dog barked at Zoë .", 3)
    read = qasrl.upload(SENTENCES, items=items, items_name="items.jsonl")
    assert read.errors == [
        "items.jsonl, line 1: tokens: has other tokens than the sentence. Choose “Align positions "
        "by characters” if the text is the same."
    ]
    assert (read.items, read.offers) == (0, {ALIGN: 1})
    read, _ = qasrl.choose(ALIGN)
    assert (read.items, read.errors) == (1, [])
    assert_same(read, qasrl.run())
    assert Item.objects.get().target["verb_idx"] == 2


def test_other_text_can_not_be_aligned(qasrl):
    qasrl.upload(SENTENCES, items=bank("Another dog barked .", 2), items_name="items.jsonl")
    read, html = qasrl.choose()
    assert read.offers == {ALIGN: 1}
    read, html = qasrl.choose(ALIGN)
    assert "is not that of the sentence" in read.errors[0]
    assert 'id="id_align" checked' in html
    assert_same(read, qasrl.run())


def coco(width: int, height: int, name: str = "1.png") -> str:
    phrase = {"start": 0, "end": 2, "ann_ids": [5], "state": "boxes"}
    words = ["Two", "dogs", "run"]
    return json.dumps(
        {
            "images": [{"id": 1, "file_name": name, "width": width, "height": height}],
            "annotations": [{"id": 5, "image_id": 1, "category_id": 1, "bbox": [10, 5, 18, 10]}],
            "captions": [{"id": 1, "image_id": 1, "tokens": words, "phrases": [phrase]}],
        }
    )


def test_resized_pictures_are_accepted_on_request(grounding):
    images = {"1.png": picture_bytes(size=(40, 30))}
    read = grounding.upload(coco(80, 60), name="a.json", images=images)
    assert "the file says 80 x 60, but the picture has 40 x 30: it is resized." in read.errors[0]
    assert (read.offers, read.can_be_imported) == ({RESCALE: 1}, False)
    read, _ = grounding.choose(RESCALE)
    assert (read.sentences, read.errors) == (1, [])
    assert_same(read, grounding.run())


@pytest.mark.parametrize("is_large", [True, False])
def test_pictures_that_are_turned_cut_or_missing_are_named(grounding, monkeypatch, is_large):
    if is_large:
        monkeypatch.setattr(preview_module, "SMALL_IMAGES_BYTES", 0)
    images = {"1.png": picture_bytes(size=(40, 30))}
    turned = grounding.upload(coco(30, 40), name="a.json", images=images)
    assert "it is turned" in turned.errors[0]
    part = grounding.upload(coco(50, 30), name="b.json", images=images)
    assert "it is another picture or a part of it" in part.errors[0]
    missing = grounding.upload(coco(40, 30, "2.png"), name="c.json", images=images)
    assert missing.errors == ["2.png: is not among the images."]
    text = grounding.upload(coco(40, 30), name="d.json", images={"1.png": "<svg/>"})
    assert text.errors == ["1.png: is not a JPEG, PNG or WebP image."]
    assert {read.sentences for read in (turned, part, missing, text)} == {0}
    assert all(read.offers == {} for read in (turned, part, missing, text))
    assert not Image.objects.exists()


def test_size_is_that_of_the_upright_picture(grounding, monkeypatch):
    monkeypatch.setattr(preview_module, "SMALL_IMAGES_BYTES", 0)
    exif = Picture.Exif()
    exif[ORIENTATION] = 6
    images = {"1.jpg": picture_bytes("JPEG", size=(40, 30), exif=exif)}
    read = grounding.upload(coco(30, 40, "1.jpg"), name="a.json", images=images)
    assert (read.sentences, read.errors) == (1, [])
    assert_same(read, grounding.run())


def test_damaged_pictures_are_found_without_storing_others(grounding):
    whole = picture_bytes(size=(40, 30))
    images = {"1.png": whole[: len(whole) // 2], "2.png": whole}
    text = caption("1.png") + caption("2.png").replace("c1", "c2")
    read = grounding.upload(text, name="a.jsonl", images=images)
    assert "1.png: is a damaged image" in read.errors[0]
    assert read.sentences == 1
    assert not Image.objects.exists()
    assert_same(read, grounding.run())


def test_another_picture_under_the_same_name_is_a_change(grounding):
    files = {"name": "a.jsonl", "images": {"1.png": picture_bytes(colour="#108080")}}
    grounding.imported(caption("1.png"), **files)
    files["images"] = {"1.png": picture_bytes(colour="#208080")}
    read = grounding.upload(caption("1.png"), **files)
    assert "c1 exists with other image." in read.errors[0]
    read, _ = grounding.choose(UPDATE)
    assert (read.updated, read.errors) == (1, [])
    assert_same(read, grounding.run())


def test_large_upload_is_checked_in_the_chosen_way(qasrl, monkeypatch):
    qasrl.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    monkeypatch.setattr(preview_module, "SMALL_BYTES", 10)
    monkeypatch.setattr(preview_module, "ROWS", 1)
    both = CHANGED.replace("Mary can not go", "Ann can not go")
    read = qasrl.upload(both, items=f"{ITEMS}a:1,2,purred\na:2,3,go\n")
    assert (read.whole, read.offers) == (True, {UPDATE: 2})
    read, _ = qasrl.choose(UPDATE)
    assert (read.updated, read.items, read.errors) == (2, 2, [])
    assert_same(read, qasrl.run())


def test_import_of_a_preview_in_other_settings_is_refused(qasrl):
    qasrl.imported(SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    qasrl.upload(CHANGED, items=f"{ITEMS}a:2,3,go\n")
    page = qasrl.client.get(qasrl.address)
    qasrl.choose(UPDATE)
    again = qasrl.client.post(qasrl.address, {"reading": page.context["reading"]}, follow=True)
    assert "was read in another way since this preview" in again.content.decode()


def test_setting_that_is_not_offered_is_ignored(qasrl):
    qasrl.upload(SENTENCES, items=f"{ITEMS}a:2,3,go\n")
    qasrl.choose(UPDATE, ALIGN, RESCALE, "nonsense")
    assert Job.objects.filter(kind="import").latest("pk").parameters["settings"] == []


def test_later_sentence_does_not_replace_an_earlier_one_of_the_same_file(qasrl, monkeypatch):
    monkeypatch.setattr(preview_module, "BATCH", 1)
    monkeypatch.setattr("annotation.domain.corpus.import_corpus.BATCH", 1)
    block = "# sent_id = a:1\n1\t{}\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
    qasrl.imported(block.format("Dogs"), name="a.conllu")
    text = "".join(map(block.format, ("Cats", "Cats", "Cows")))
    read = qasrl.upload(text, name="a.conllu")
    read, _ = qasrl.choose(UPDATE)
    job = qasrl.run()
    assert_same(read, job)
    assert Sentence.objects.get().tokens == ["Cats"]
