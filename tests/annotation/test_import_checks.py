"""Items and sentences that contradict what is stored, and updates of a corpus."""

import json

import pytest

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from annotation.models import Item, Sentence
from consolidation.domain.gold.add_gold import add_gold
from projects.domain.create_project import create_project
from tests.annotation.factories import NOW
from tests.annotation.test_images import picture_bytes

pytestmark = pytest.mark.django_db
SENTENCES = "qasrl_id,tokens,sentence\na:1,The dog barked at Zoë .,x\na:2,Mary can not go .,x\n"
ITEMS = "qasrl_id,verb_idx,verb\n"


@pytest.fixture
def project():
    return create_project(slug="qasrl", scheme="qasrl", now=NOW)


@pytest.fixture
def run(tmp_path):
    """Return a function that imports texts as files, and returns the report and its errors."""

    def run(project, text, fmt="qasrl-csv", *, items="", name="corpus.csv", **options):
        path, item_path = tmp_path / name, tmp_path / "items.csv"
        path.write_text(text)
        item_path.write_text(items)
        chosen = CorpusOptions(fmt=fmt, items=[item_path] if items else [], **options)
        report = Import(project=project, options=chosen).run([path])
        return report, [str(error) for error in report.errors]

    return run


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a:1,0,barked", "items.csv, line 2: verb: 0:1 is “The”, not “barked”."),
        ("a:1,3,barked", "items.csv, line 2: verb: 3:4 is “at”, not “barked”."),
        ("a:1,5,", "items.csv, line 2: verb: “.” is not a word."),
        (
            "a:1,9,barked",
            "items.csv, line 2: verb: 9:10 is not in the sentence, which has 6 tokens.",
        ),
        ("b:1,2,barked", "items.csv, line 2: no sentence 'b:1' in the project."),
    ],
)
def test_item_whose_verb_is_elsewhere_is_a_bad_row(project, run, row, message):
    report, errors = run(project, SENTENCES, items=f"{ITEMS}{row}\na:1,2,Barked\na:2,3,go\n")
    assert errors == [message]
    assert report.items_added == 2


def test_verb_may_be_given_as_its_lemma(project, run):
    report, errors = run(project, SENTENCES, items=f"{ITEMS}a:1,2,bark\n")
    assert (report.items_added, errors) == (1, [])


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("gave\u00a0up", "verb: “gave up” has a blank. Questions need a verb of one word."),
        ("b" * 70, "forms.stem: must be a word of at most 60 characters, a form of the verb."),
        ("...", "verb: “...” is not a word."),
    ],
)
def test_item_that_pages_can_not_show_is_not_stored(project, run, token, message):
    sentences = f"qasrl_id,tokens\na:1,She {token} it .\n"
    report, (error,) = run(project, sentences, items="qasrl_id,verb_idx\na:1,1\n")
    assert message in error
    assert not Item.objects.exists()
    assert report.error_count == 1


def test_verb_that_the_tagger_finds_must_be_shown_too(project, run):
    text = (
        "qasrl_id,tokens\na:1,The senator re\u00a0elected himself .\na:2,The dog barked loudly .\n"
    )
    report, (error,) = run(project, text)
    assert "verb: “re elected” has a blank." in error
    assert (report.sentences_added, report.items_added) == (2, 1)


BANK = {
    "sentenceId": "a:1",
    "sentenceTokens": ["The", "dog", "barked", "at", "Zoë", "."],
    "verbEntries": {},
}
FORMS = {
    "stem": "bark",
    "presentSingular3rd": "barks",
    "presentParticiple": "barking",
    "past": "barked",
    "pastParticiple": "barked",
}


def bank(tokens: str, at: int, **changes: object) -> str:
    verb = {"verbIndex": at, "verbInflectedForms": FORMS, "questionLabels": {}}
    entry = {**BANK, "sentenceTokens": tokens.split(), "verbEntries": {str(at): verb}, **changes}
    return json.dumps(entry) + "\n"


def items_in_bank(project, tmp_path, text, **options):
    corpus, items = tmp_path / "s.csv", tmp_path / "items.jsonl"
    corpus.write_text(SENTENCES)
    items.write_text(text)
    chosen = CorpusOptions(fmt="qasrl-csv", items=[items], **options)
    report = Import(project=project, options=chosen).run([corpus])
    return report, [str(error) for error in report.errors]


def test_items_in_other_tokens_need_alignment(project, tmp_path):
    text = bank("The dog bark ed at Zoë .", 4)
    report, (error,) = items_in_bank(project, tmp_path, text)
    assert "is “at”, not a form of “bark”" in error
    same = bank("Th e dog barked at Zoë .", 3)
    report, (error,) = items_in_bank(project, tmp_path, same)
    assert "has other tokens than the sentence" in error
    report, errors = items_in_bank(project, tmp_path, same, align=True)
    assert (report.items_added, errors) == (1, [])
    assert Item.objects.get().target["verb_idx"] == 2
    other = bank("Another dog barked at Zoë .", 2)
    report, (error,) = items_in_bank(project, tmp_path, other, align=True)
    assert "is not that of the sentence" in error


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"verbEntries": {"2": {"verbIndex": 3, "verbInflectedForms": FORMS}}}, "in the entry '2'"),
        ({"verbEntries": {"9": {"verbIndex": 9, "verbInflectedForms": FORMS}}}, "is on no token"),
        ({"verbEntries": {"1": {"verbIndex": 1, "verbInflectedForms": FORMS}}}, "not a form of"),
    ],
)
def test_bank_verb_at_another_place_is_left_out_alone(project, run, changes, message):
    text = bank("The dog barked at Zoë .", 2, **changes)
    good = bank("A cat barked .", 2, sentenceId="b:1")
    report, (error,) = run(project, text + good, "qasrl-bank", name="a.jsonl")
    assert message in error
    assert (report.sentences_added, report.items_added) == (2, 1)


def test_changed_sentence_is_named_and_updated_on_request(project, run):
    run(project, SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    same, errors = run(project, SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    assert (same.sentences_known, same.items_known, errors) == (2, 1, [])
    changed = SENTENCES.replace("The dog barked", "A cat purred")
    items = f"{ITEMS}a:1,2,purred\n"
    report, errors = run(project, changed, items=f"{ITEMS}a:1,2,barked\n")
    assert errors == [
        f"{errors[0].partition(', line')[0]}, line 2: a:1 exists with other tokens. Nothing was "
        "changed. To replace it, choose “Replace what has changed”."
    ]
    assert Sentence.objects.get(external_id="a:1").tokens[1] == "dog"
    report, errors = run(project, changed, items=items, update=True)
    assert (report.sentences_updated, report.items_added, errors) == (1, 1, [])
    assert Sentence.objects.get(external_id="a:1").tokens[1] == "cat"
    assert Item.objects.get().target["verb"] == "purred"


def test_sentence_with_work_is_not_updated(project, run):
    run(project, SENTENCES, items=f"{ITEMS}a:1,2,barked\n")
    item = Item.objects.get()
    add_gold(item=item, source="expert", content={"questions": []}, provenance=[], now=NOW)
    changed = SENTENCES.replace("The dog barked", "A cat purred")
    report, (error,) = run(project, changed, items=f"{ITEMS}a:2,3,go\n", update=True)
    assert "a:1 exists with other tokens. It was not updated, because work depends on it." in error
    assert (report.sentences_updated, report.items_added) == (0, 1)
    assert Item.objects.filter(pk=item.pk).exists()


TAGGED = (
    "# sent_id = a:1\n"
    "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tbark\tbark\t{}\t_\t_\t0\troot\t_\t_\n"
)


def test_corrected_tags_are_named_and_updated(run):
    frames = create_project(slug="frames", scheme="frames", now=NOW)
    run(frames, TAGGED.format("NOUN"), "conllu", name="a.conllu")
    assert not frames.items.exists()
    report, (error,) = run(frames, TAGGED.format("VERB"), "conllu", name="a.conllu")
    assert "a:1 exists with other upos." in error
    assert report.items_added == 0
    report, errors = run(frames, TAGGED.format("VERB"), "conllu", name="a.conllu", update=True)
    assert (report.sentences_updated, report.items_added, errors) == (1, 1, [])


def caption(image: str, **phrase: object) -> str:
    phrases = [{"start": 0, "end": 2, **phrase}]
    tokens = ["Two", "dogs", "run"]
    return json.dumps({"id": "c1", "image": image, "tokens": tokens, "phrases": phrases}) + "\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [(caption("2.png"), "image"), (caption("1.png", cardinality=2), "phrases")],
)
def test_caption_with_another_image_or_phrases_is_changed(run, tmp_path, text, name, job_files):
    grounding = create_project(slug="grounding", scheme="grounding", now=NOW)
    for number in (1, 2):
        (tmp_path / f"{number}.png").write_bytes(picture_bytes(colour=f"#{number}08080"))
    given = {"fmt": "captions-jsonl", "name": "a.jsonl", "images": tmp_path}
    report, errors = run(grounding, caption("1.png"), **given)
    assert (report.sentences_added, errors) == (1, [])
    report, errors = run(grounding, caption("1.png"), **given)
    assert (report.sentences_known, errors) == (1, [])
    report, (error,) = run(grounding, text, **given)
    assert f"c1 exists with other {name}." in error
    report, errors = run(grounding, text, update=True, **given)
    assert (report.sentences_updated, report.items_added, errors) == (1, 1, [])


def test_another_picture_under_the_same_name_is_changed(run, tmp_path, job_files):
    grounding = create_project(slug="grounding", scheme="grounding", now=NOW)
    given = {"fmt": "captions-jsonl", "name": "a.jsonl", "images": tmp_path}
    (tmp_path / "1.png").write_bytes(picture_bytes(colour="#108080"))
    run(grounding, caption("1.png"), **given)
    (tmp_path / "1.png").write_bytes(picture_bytes(colour="#208080"))
    report, (error,) = run(grounding, caption("1.png"), **given)
    assert "c1 exists with other image." in error
    report, errors = run(grounding, caption("1.png"), update=True, **given)
    assert (report.sentences_updated, errors) == (1, [])


def test_repeated_id_with_other_content_is_a_bad_row(project, run):
    text = "qasrl_id,tokens\na:1,Dogs bark .\na:1,Dogs bark .\na:1,Cats purr .\n"
    items = "qasrl_id,verb_idx,verb\na:1,1,bark\na:1,1,bark\na:1,1,purr\n"
    report, errors = run(project, text, items=items)
    assert (report.sentences_added, report.items_added) == (1, 1)
    assert "line 4: qasrl_id: this id is repeated with other tokens" in errors[0]
    assert "line 4: verb: 1:2 is “bark”, not “purr”." in errors[1]
