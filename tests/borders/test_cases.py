"""Awkward files with their right answers, each with neighbours in other formats and schemes.

A case writes files, runs commands and compares what was stored.
"""

import json

import pytest
from django.contrib.auth import get_user_model

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from schemes.registry import get_scheme
from tests.borders.site import Desk, gold, items, picture, sentences

pytestmark = pytest.mark.django_db

HEADER = "qasrl_id,tokens,sentence\n"
SENTENCES = f"{HEADER}a:1,Mary sold a hat to John yesterday .,x\nb:2,Ann saw it .,x\n"
ITEMS = "qasrl_id,verb_idx,verb\na:1,1,sold\nb:2,1,saw\n"
GOLD = "qasrl_id,verb_idx,verb,question,answer_range,answer\n"
SELL = {
    "stem": "sell",
    "presentSingular3rd": "sells",
    "presentParticiple": "selling",
    "past": "sold",
    "pastParticiple": "sold",
}


def conllu(*words: str, name: str = "a:1", columns: int = 10, upos: bool = True) -> str:
    """Return a sentence. A word is its form, or form/UPOS, form/UPOS/XPOS."""
    lines = [f"# sent_id = {name}"]
    for at, word in enumerate(words, start=1):
        form, tag, xpos = (*word.split("/"), "_", "_")[:3]
        head = 0 if at == 2 else 2
        fields = [at, form, form.lower(), tag if upos else "_", xpos, "_", head, "dep", "_", "_"]
        lines.append("\t".join(map(str, fields[:columns])))
    return "\n".join(lines) + "\n\n"


def bank(tokens: str, at: int, *, name: str = "a:1", spans: object = ((0, 1),)) -> str:
    judgment = {"sourceId": "turk-1", "isValid": True, "spans": spans}
    question = "Who sold something?"
    label = {
        "questionString": question,
        "questionSources": ["turk-1"],
        "answerJudgments": [judgment],
        "questionSlots": {},
    }
    verb = {"verbIndex": at, "verbInflectedForms": SELL, "questionLabels": {question: label}}
    entry = {"sentenceId": name, "sentenceTokens": tokens.split(), "verbEntries": {str(at): verb}}
    return json.dumps(entry) + "\n"


@pytest.fixture
def qasrl(desk: Desk) -> Desk:
    corpus, item_file = desk.write("s.csv", SENTENCES), desk.write("i.csv", ITEMS)
    outcome = desk.corpus("qasrl", "qasrl-csv", corpus, items=[item_file])
    assert (outcome.code, outcome.facts["items_added"]) == (0, 2)
    return desk


def csv_of(tokens: str) -> tuple[str, str, str]:
    return "qasrl-csv", "a.csv", f"{HEADER}q:1,{tokens},x\n"


VERB_WITH_BLANK = ("conllu", "a.conllu", conllu("They/PRON", "give up/VERB", "hats/NOUN"))


# --- 1. Only items that pages can show are stored


@pytest.mark.parametrize(
    ("corpus", "stored", "message"),
    [
        (("qasrl", *VERB_WITH_BLANK), 0, "blank"),
        (("frames", *VERB_WITH_BLANK), 1, ""),
        (("qasrl", "conllu", "a.conllu", conllu("They/PRON", "go/VERB", "on/NOUN")), 1, ""),
        (("qasrl", *csv_of("They re\u00a0elected him .")), 0, "blank"),
        (("qasrl", *csv_of(f"He {'sold' * 30}ed it .")), 0, ""),
        (("qasrl", "qasrl-bank", "a.jsonl", bank("He 去 it .", 1)), 0, "not a form of"),
        (("qasrl", "qasrl-bank", "a.jsonl", bank("He sold it .", 1)), 1, ""),
    ],
)
def test_item_is_shown_or_refused(desk, corpus, stored, message):
    scheme, fmt, name, content = corpus
    outcome = desk.corpus(scheme, fmt, desk.write(name, content))
    assert len(items()) == stored
    assert message in outcome.errors
    for item in Item.objects.all():
        assert get_scheme(scheme).pages.item(context_of(item))


# --- 2. Words that contradict positions


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a:1,1,sold,Who sold something?,1:2,Mary", "answer: 1:2 is “sold”, not “Mary”."),
        ("a:1,1,sold,What did someone sell?,2:5,a hat", "2:5 is “a hat to”, not “a hat”."),
        ("a:1,1,saw,Who sold something?,0:1,Mary", "verb: 1:2 is “sold”, not “saw”."),
        ("a:1,1,sold,Who sold something?,0:1~!~5:6,Mary", "“Mary John”, not “Mary”."),
        ("a:1,1,sold,Who sold something?,0:1,Mary~!~John", "is “Mary”, not “Mary John”."),
        ("b:2,1,saw,Who saw something?,0:1,Mary", "0:1 is “Ann”, not “Mary”."),
    ],
)
def test_gold_that_contradicts_the_sentence_is_refused(qasrl, row, message):
    outcome = qasrl.gold("qasrl", "qasrl-csv", qasrl.write("g.csv", f"{GOLD}{row}\n"))
    assert outcome.code == 2
    assert "g.csv, line 2: " in outcome.errors
    assert message in outcome.errors
    assert gold() == {}


@pytest.mark.parametrize(
    "row",
    [
        "a:1,1,sold,Who sold something?,0:1,Mary",
        "a:1,1,SOLD,Who sold something?,0:1,mary",
        "a:1,1,sell,Who sold something?,0:1,M?ry",
        "a:1,1,,Who sold something?,0:1,",
    ],
)
def test_gold_that_agrees_is_imported(qasrl, row):
    outcome = qasrl.gold("qasrl", "qasrl-csv", qasrl.write("g.csv", f"{GOLD}{row}\n"))
    assert (outcome.code, outcome.errors) == (0, "")
    assert gold()["a:1/1"]["questions"][0]["answers"] == [[0, 1]]


def test_systems_are_compared_too(qasrl):
    path = qasrl.write("g.csv", f"{GOLD}a:1,1,sold,Who sold something?,1:2,Mary\n")
    outcome = qasrl.system("qasrl", "qasrl-csv", path)
    assert outcome.code == 2
    assert "1:2 is “sold”, not “Mary”" in outcome.errors


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a:1,2,sold\n", "verb: 2:3 is “a”, not “sold”."),
        ("a:1,7,sold\n", "verb: 7:8 is “.”, not “sold”."),
        ("b:2,1,sold\n", "verb: 1:2 is “saw”, not “sold”."),
    ],
)
def test_item_list_that_contradicts_the_sentence_is_refused(desk, rows, message):
    path = desk.write("i.csv", f"qasrl_id,verb_idx,verb\n{rows}")
    outcome = desk.corpus("qasrl", "qasrl-csv", desk.write("s.csv", SENTENCES), items=[path])
    assert f"i.csv, line 2: {message}" in outcome.errors
    assert items() == []


def test_file_in_other_tokens_is_refused_as_a_whole_or_aligned(qasrl):
    other = qasrl.write("o.jsonl", bank("Yesterday Mary sold a hat .", 2))
    outcome = qasrl.gold("qasrl", "qasrl-bank", other)
    assert outcome.code == 2
    assert "1 of 1 sentences have other tokens than the project's, first a:1" in outcome.errors
    assert "--align" in outcome.errors
    outcome = qasrl.gold("qasrl", "qasrl-bank", other, align=True)
    assert "is not that of the sentence" in outcome.errors
    split = bank("Ma ry sold a hat to John yesterday .", 2, spans=((0, 2),))
    same = qasrl.write("s.jsonl", split)
    assert qasrl.gold("qasrl", "qasrl-bank", same).code == 2
    outcome = qasrl.gold("qasrl", "qasrl-bank", same, align=True)
    assert outcome.facts["added"] == 1
    assert gold()["a:1/1"]["questions"][0]["answers"] == [[0, 1]]
    inside = bank("Ma ry sold a hat to John yesterday .", 2, spans=((0, 1),))
    outcome = qasrl.system("qasrl", "qasrl-bank", qasrl.write("x.jsonl", inside), align=True)
    assert "0:1 “Ma” begins or ends inside a token" in outcome.errors


QASEM = {
    "id": "a:1",
    "sentence": "Mary sold a hat to John yesterday .",
    "qasrl": [
        {
            "predicate_idx": 1,
            "predicate": "sold",
            "verb_form": "sell",
            "QAs": [
                {"question": "who sold something ?", "answers": ["Mary"]},
                {"question": "what did someone sell ?", "answers": ["a hat"]},
            ],
        }
    ],
    "qanom": [],
}


def test_answers_given_as_text_are_found_in_the_sentence(qasrl):
    path = qasrl.write("p.jsonl", json.dumps(QASEM) + "\n")
    outcome = qasrl.system("qasrl", "qasrl-parser", path)
    assert (outcome.code, outcome.facts["added"]) == (0, 1)
    assert qasrl.gold("qasrl", "qasrl-parser", path, source="imported").facts["added"] == 1
    questions = gold()["a:1/1"]["questions"]
    assert [(q["question"], q["answers"]) for q in questions] == [
        ("Who sold something?", [[0, 1]]),
        ("What did someone sell?", [[2, 4]]),
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [("Johnny", "isn't in the sentence"), ("t", "isn't in the sentence")],
)
def test_answer_that_is_not_in_the_sentence_is_a_bad_row(qasrl, answer, message):
    text = json.dumps(QASEM).replace('"a hat"', f'"{answer}"')
    outcome = qasrl.system("qasrl", "qasrl-parser", qasrl.write("p.jsonl", text))
    assert outcome.code == 2
    assert message in outcome.errors


def test_answer_that_occurs_twice_is_a_bad_row(desk):
    corpus = desk.write("s.csv", f"{HEADER}a:1,Mary sold Mary a hat .,x\n")
    desk.corpus("qasrl", "qasrl-csv", corpus, items=[desk.write("i.csv", ITEMS)])
    text = json.dumps({**QASEM, "sentence": ""})
    outcome = desk.system("qasrl", "qasrl-parser", desk.write("p.jsonl", text))
    assert "“Mary” is 2 times in the sentence" in outcome.errors


NOTHING = {"added": 0, "known": 0, "blank": 0, "error_count": 0, "items_left_out": 0, "notes": {}}
SEMEVAL = conllu("The", "fund", "sold", "off", "bonds", ".", name="20671029")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            "#20671029 4_5 sell_off.Commerce_sell fund-:-3-:-Seller bond-:-6-:-Goods",
            "verb: 4_5 is “off bonds”, not “sell_off”.",
        ),
        ("#20671029 3_4 sell_off.Commerce_sell fund-:-1-:-Seller", "1 is “The”, not “fund”."),
        ("#20671029 3_4 sell_off.Commerce_sell off-:-4-:-Goods", "which also belongs to the verb"),
        ("#20671029 3_4 sell_off.unkn fund-:-2-:-nsubj", "blank"),
    ],
)
def test_records_that_contradict_the_sentence_are_refused(desk, record, message):
    items_file = desk.write("i.txt", "#20671029 3_4 sell_off.unkn\n")
    corpus = desk.write("c.conllu", SEMEVAL)
    assert desk.corpus("frames", "conllu", corpus, items=[items_file]).facts["items_added"] == 1
    outcome = desk.gold("frames", "semeval", desk.write("r.txt", record + "\n"))
    assert message in outcome.errors or outcome.facts == {**NOTHING, "blank": 1}
    assert gold() == {}


def caption(name: str, image: str, tokens: str, *phrases: dict) -> str:
    return json.dumps(
        {"id": name, "image": image, "tokens": tokens.split(), "phrases": list(phrases)}
    )


def boxes(start: int, end: int, *boxes: list[int], **more: object) -> dict:
    return {"start": start, "end": end, "state": "boxes", "boxes": list(boxes), **more}


@pytest.fixture
def captions(desk: Desk) -> Desk:
    """Store a caption with two phrases and a picture of 60 x 40 pixels."""
    for name in ("1.png", "2.png"):
        desk.write(f"images/{name}", picture(60, 40 if name == "1.png" else 41))
    line = caption(
        "c1", "1.png", "Two dogs and cats", {"start": 0, "end": 2}, {"start": 3, "end": 4}
    )
    path = desk.write("c.jsonl", line)
    outcome = desk.corpus("grounding", "captions-jsonl", path, images=desk.folder / "images")
    assert outcome.facts["items_added"] == 1
    return desk


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (caption("c1", "2.png", "Two dogs and cats", boxes(0, 2, [1, 1, 9, 9])), "names 2.png"),
        (caption("c1", "1.png", "Two cats and dogs", boxes(0, 2, [1, 1, 9, 9])), "other tokens"),
        (caption("c1", "1.png", "Two dogs and cats", boxes(1, 2, [1, 1, 9, 9])), "is not a phrase"),
        (caption("c1", "1.png", "Two dogs and cats", boxes(0, 2, [5, 5, 5, 9])), "no box with an"),
    ],
)
def test_boxes_of_other_phrases_are_refused(captions, line, message):
    outcome = captions.gold("grounding", "phrases-jsonl", captions.write("g.jsonl", line))
    assert outcome.code == 2
    assert message in outcome.errors
    assert gold() == {}


def test_phrases_are_matched_by_their_words_not_their_number(captions):
    line = caption("c1", "1.png", "Two dogs and cats", boxes(3, 4, [1, 1, 9, 9]))
    assert captions.gold("grounding", "phrases-jsonl", captions.write("g.jsonl", line)).code == 0
    assert gold()["c1/phrases"]["phrases"] == [
        {"id": "p1", "state": "boxes", "boxes": [[1, 1, 9, 9]]}
    ]


# --- 3. Pictures of an archive by their paths


def test_picture_of_another_folder_is_not_taken(desk):
    lines = [
        caption("a", "video1/0001.png", "Two dogs run", {"start": 0, "end": 2}),
        caption("b", "video2/0001.png", "Two dogs run", {"start": 0, "end": 2}),
        caption("c", "video2/0002.png", "Two dogs run", {"start": 0, "end": 2}),
    ]
    images = {"video1/0001.png": picture(), "video2/0002.png": picture(30, 20)}
    path, archive = desk.write("c.jsonl", "\n".join(lines)), desk.zipped("i.zip", images)
    outcome = desk.corpus("grounding", "captions-jsonl", path, images=archive)
    assert list(sentences()) == ["a", "c"]
    assert "video2/0001.png: is not among the images." in outcome.errors


@pytest.mark.parametrize(
    ("member", "name"),
    [
        ("win\\c.png", "win/c.png"),
        ("win/c.png", "win\\c.png"),
        ("cafe\u0301.png", "caf\u00e9.png"),
        ("photos/c.png", "c.png"),
    ],
)
def test_picture_is_found_under_another_spelling_of_its_path(desk, member, name):
    path = desk.write("c.jsonl", caption("a", name, "Two dogs", {"start": 0, "end": 2}))
    archive = desk.zipped("i.zip", {member: picture()})
    outcome = desk.corpus("grounding", "captions-jsonl", path, images=archive)
    assert (outcome.code, outcome.errors, len(items())) == (0, "", 1)


# --- 4. Sizes that files state


def coco(name: str, box: list[float], width: int = 60, height: int = 40) -> str:
    image = {"id": 1, "file_name": name, "width": width, "height": height}
    instance = {"id": 5, "image_id": 1, "category_id": 1, "bbox": box}
    phrase = {"start": 0, "end": 2, "state": "boxes", "ann_ids": [5]}
    tokens = ["Two", "dogs", "run", "."]
    entry = {"id": 1, "image_id": 1, "caption": "Two dogs run .", "tokens": tokens}
    return json.dumps(
        {
            "images": [image],
            "annotations": [instance],
            "captions": [{**entry, "phrases": [phrase]}],
        }
    )


XML = (
    "<annotation><filename>1.jpg</filename><size><width>{}</width><height>{}</height></size>"
    "<object><name>1</name><bndbox><xmin>{}</xmin><ymin>6</ymin><xmax>{}</xmax><ymax>15</ymax>"
    "</bndbox></object></annotation>"
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (picture(60, 40, turned=True, kind="JPEG"), "60 x 40, but the picture has 40 x 60: it is turned"),
        (picture(30, 20, kind="JPEG"), "60 x 40, but the picture has 30 x 20: it is resized"),
        (picture(60, 30, kind="JPEG"), "another picture or a part of it"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("fmt", ["coco", "flickr30k"])
def test_picture_of_another_size_is_refused(desk, fmt, data, message):
    desk.write("images/1.jpg", data)
    if fmt == "coco":
        path = desk.write("c.coco.json", coco("1.jpg", [0, 0, 10, 10]))
    else:
        files = {
            "Sentences/1.txt": "[/EN#1/people Two dogs] run .\n",
            "Annotations/1.xml": XML.format(60, 40, 11, 30),
        }
        path = desk.zipped("c.flickr30k.zip", files)
    outcome = desk.corpus("grounding", fmt, path, images=desk.folder / "images")
    assert outcome.code == 2
    assert message in outcome.errors
    assert sentences() == {}


def test_boxes_are_rescaled_to_a_resized_picture_on_request(desk):
    desk.write("images/1.png", picture(30, 20))
    path = desk.write("c.coco.json", coco("1.png", [10, 5, 18, 10]))
    options = {"rescale_boxes": True}
    outcome = desk.corpus("grounding", "coco", path, images=desk.folder / "images", **options)
    assert outcome.facts["items_added"] == 1
    refused = desk.gold("grounding", "coco", path)
    assert "it is resized" in refused.errors
    assert desk.gold("grounding", "coco", path, **options).facts["added"] == 1
    (content,) = gold().values()
    assert content["phrases"][0]["boxes"] == [[5, 2, 14, 8]]


# --- 6. Already existed means equal


def test_other_picture_under_a_known_id_is_a_bad_row(desk):
    for number in (1, 2):
        desk.write(f"images/{number}.png", picture(60, 40 + number))
    lines = [
        caption("c1", "1.png", "Two dogs .", {"start": 0, "end": 2}),
        caption("c1", "2.png", "Two dogs .", {"start": 0, "end": 2}),
        caption("c1", "1.png", "Two cats .", {"start": 0, "end": 2}),
        caption("c1", "1.png", "Two dogs .", {"start": 0, "end": 1}),
    ]
    path = desk.write("c.jsonl", "\n".join(lines))
    outcome = desk.corpus("grounding", "captions-jsonl", path, images=desk.folder / "images")
    assert outcome.facts["sentences_added"] == 1
    for line, name in ((2, "image"), (3, "tokens"), (4, "phrases")):
        assert f"line {line}: c1 is repeated with other {name}." in outcome.errors


# --- 7. CoNLL-U as specified


def test_missing_blank_line_is_named(desk):
    first = conllu("Mary/PROPN", "sold/VERB", "hats/NOUN").rstrip("\n")
    second = conllu("Ann/PROPN", "ran/VERB", name="b:1")
    outcome = desk.corpus("qasrl", "conllu", desk.write("a.conllu", f"{first}\n{second}"))
    assert sentences() == {}
    assert "line 5: " in outcome.errors
    assert "blank line is missing" in outcome.errors


@pytest.mark.parametrize("scheme", ["qasrl", "frames", "custom"])
def test_declared_columns_hold_for_the_whole_file(desk, scheme):
    text = (
        "# global.columns = ID FORM UPOS\n# sent_id = n\n1\tMary\tPROPN\n2\tsold\tVERB\n\n"
        "# sent_id = n2\n1\tAnn\tPROPN\n2\tran\tVERB\n"
    )
    desk.corpus(scheme, "conllu", desk.write("a.conllup", text))
    assert sentences() == {"n": ["Mary", "sold"], "n2": ["Ann", "ran"]}
    assert len(items()) == 2


def test_two_blanks_are_part_of_a_value(desk):
    text = conllu("They/PRON", "did/AUX", "sell/VERB").replace("\tdid\tdid\t", "\tdid\tdo  so\t")
    desk.corpus("frames", "conllu", desk.write("a.conllu", text))
    (item,) = Item.objects.select_related("sentence")
    assert item.sentence.metadata["upos"] == ["PRON", "AUX", "VERB"]
    assert item.target["lemma"] == "sell"


# Items of custom schemes don't depend on the part of speech.
@pytest.mark.parametrize("scheme", ["qasrl", "frames"])
def test_file_without_upos_has_items_by_xpos(desk, scheme):
    text = conllu("Mary/_/NNP", "sold/_/VBD", "hats/_/NNS", "./_/.")
    desk.corpus(scheme, "conllu", desk.write("a.conllu", text))
    assert items() in (["a:1/1"], ["a:1/2"])


# --- 9, 10. Line ends and plain text


@pytest.mark.parametrize("character", ["\u2028", "\v", "\f", "\x85"])
def test_only_line_feeds_end_lines(desk, character):
    desk.write("images/1.jpg", picture(60, 40, kind="JPEG"))
    text = (
        f"[/EN#1/people Two dogs] run{character}fast .\n[/EN#1/people Cats] run .\n"
        "Three [/EN#1/people cows] run .\n"
    )
    files = {"Sentences/1.txt": text, "Annotations/1.xml": XML.format(60, 40, 11, 30)}
    path = desk.zipped("c.flickr30k.zip", files)
    desk.corpus("grounding", "flickr30k", path, images=desk.folder / "images")
    names = list(sentences())
    assert names[-1] == "1.jpg#2"
    assert len(names) == 3 or names == ["1.jpg#1", "1.jpg#2"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The co\u00adoperative sold hats.", ["The", "co\u00adoperative", "sold", "hats", "."]),
        ("A 👩\u200d👩\u200d👧 ran home.", ["A", "👩\u200d👩\u200d👧", "ran", "home", "."]),
        ("The cafe\u0301 sold it.", ["The", "cafe\u0301", "sold", "it", "."]),
        ("Mr. Smith met Dr. No at Acme Inc. today.",
         ["Mr.", "Smith", "met", "Dr.", "No", "at", "Acme", "Inc.", "today", "."]),
        ("They are gonna win.", ["They", "are", "gon", "na", "win", "."]),
        ("He cannot swim.", ["He", "can", "not", "swim", "."]),
    ],
)  # fmt: skip
def test_plain_text_keeps_its_words(desk, text, tokens):
    desk.corpus("qasrl", "text", desk.write("a.txt", text + "\n"))
    assert list(sentences().values()) == [tokens]


@pytest.mark.parametrize("text", ["He cannot swim.", "We cannot.", "They are gonna win."])
def test_contractions_are_no_verbs(desk, text):
    desk.corpus("qasrl", "text", desk.write("a.txt", text + "\n"))
    verbs = {item.target["verb"] for item in Item.objects.all()}
    assert verbs <= {"swim", "win"}
    assert bool(verbs) == (text != "We cannot.")


# --- 11, 12. Boxes at the border, and captions without words


@pytest.mark.parametrize(
    ("box", "stored", "note"),
    [
        ([10, 5, 51, 10], [10, 5, 60, 15], "boxes_clipped"),
        ([-1, 5, 11, 10], [0, 5, 10, 15], "boxes_clipped"),
        ([10, 5, 50, 10], [10, 5, 60, 15], ""),
        ([10, 5, 0, 10], None, ""),
        ([70, 5, 9, 10], None, ""),
    ],
)
def test_box_is_clipped_or_refused_with_its_caption(desk, box, stored, note):
    desk.write("images/1.png", picture(60, 40))
    path = desk.write("c.coco.json", coco("1.png", box))
    desk.corpus("grounding", "coco", path, images=desk.folder / "images")
    outcome = desk.gold("grounding", "coco", path)
    if stored is None:
        assert outcome.code == 2
        assert (
            "1.png#1: phrases[0].boxes: has no box with an area in the picture." in outcome.errors
        )
        assert gold() == {}
    else:
        (content,) = gold().values()
        assert content["phrases"][0]["boxes"] == [stored]
        assert outcome.facts["notes"].get(note, 0) == bool(note)


def test_prediction_outside_the_picture_is_clipped(desk):
    line = {
        "id": "p1",
        "image": [60, 40],
        "gold": [[10, 5, 30, 15]],
        "predicted": [[-0.3, 5, 30, 15]],
        "plural": False,
    }
    path = desk.write("p.jsonl", json.dumps(line))
    outcome = desk.run("evaluate", "grounding", path)
    assert outcome.facts["clipped_boxes"] == 1


@pytest.mark.parametrize("text", [None, "", "  ", 7, ["Two", "dogs"]])
def test_caption_without_words_is_a_bad_row(desk, text):
    desk.write("images/1.png", picture())
    image = {"id": 1, "file_name": "1.png", "width": 60, "height": 40}
    data = {"images": [image], "annotations": [{"id": 5, "image_id": 1, "caption": text}]}
    path = desk.write("c.coco.json", json.dumps(data))
    outcome = desk.corpus("grounding", "coco", path, images=desk.folder / "images")
    assert outcome.code == 2
    assert "caption 5: has no words." in outcome.errors
    assert sentences() == {}


# --- 13. Gold is whole or absent


def test_caption_whose_chain_has_no_annotation_is_no_gold(desk):
    desk.write("images/1.jpg", picture(60, 40, kind="JPEG"))
    text = "[/EN#1/people Two dogs] run .\n[/EN#1/people Two dogs] chase [/EN#9/people cats] .\n"
    files = {"Sentences/1.txt": text, "Annotations/1.xml": XML.format(60, 40, 11, 30)}
    path = desk.zipped("c.flickr30k.zip", files)
    desk.corpus("grounding", "flickr30k", path, images=desk.folder / "images")
    outcome = desk.gold("grounding", "flickr30k", path)
    assert list(gold()) == ["1.jpg#0/phrases"]
    assert "chain 9: no annotation. The gold of 1.jpg#1 is left out." in outcome.errors


@pytest.mark.parametrize(
    "bad",
    [
        "a:1,1,sold,What did someone sell?,2:04:00,a hat",
        "a:1,1,sold,What did someone sell?,2:99,a hat",
        "a:1,1,sold,What did someone sell?,,a hat",
        "a:1,1,sold,,2:4,a hat",
        "a:1,1,sold,What did someone sell?,2:4,the hat",
        'a:1,1,sold,"What did someone sell?,2:4,a hat',
        "a:1,1,sold,What did someone sell?",
    ],
)
def test_predicate_with_a_bad_row_is_left_out_as_a_whole(qasrl, bad):
    rows = f"b:2,1,saw,Who saw something?,0:1,Ann\na:1,1,sold,Who sold something?,0:1,Mary\n{bad}\n"
    outcome = qasrl.gold("qasrl", "qasrl-csv", qasrl.write("g.csv", GOLD + rows))
    assert list(gold()) == ["b:2/1"]
    assert "g.csv, line 4" in outcome.errors


# --- 16. Other containers, and files that are no use


@pytest.mark.parametrize(
    "text",
    [
        bank("Mary sold a hat .", 1).replace("}\n", "},\n"),
        json.dumps([json.loads(bank("Mary sold a hat .", 1))], indent=2)[:-3],
        "not JSON at all\n" * 3,
    ],
)
def test_file_without_a_usable_line_is_an_error(desk, text):
    outcome = desk.corpus("qasrl", "qasrl-bank", desk.write("a.jsonl", text))
    assert outcome.code == 2
    assert outcome.errors


@pytest.mark.parametrize("separator", [";", "\t", "|", ","])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_table_with_any_separator_is_read(desk, separator, mark):
    rows = [("qasrl_id", "tokens", "sentence"), ("a:1", "Mary sold a hat .", "Mary sold a hat.")]
    text = mark + "".join(separator.join(row) + "\r\n" for row in rows)
    outcome = desk.corpus("qasrl", "qasrl-csv", desk.write("a.csv", text))
    assert (outcome.code, items()) == (0, ["a:1/1"])


def test_unclosed_quote_of_an_item_list_is_named(desk):
    rows = "".join(f"a:{at},Mary sold a hat .,x\n" for at in range(1, 9))
    desk.corpus("qasrl", "qasrl-csv", desk.write("s.csv", HEADER + rows))
    listed = desk.write("i.csv", 'item,note\na:5/1,"unclosed\na:6/1,x\na:7/1,x\n')
    outcome = desk.run("expert_queue", "qasrl", "Q", items=listed, by="ada")
    assert outcome.code == 2
    assert "line 2" in outcome.errors
    whole = desk.write("i.csv", "\ufeffitem;note\r\na:5/1;x\r\na:6/1;y\r\n")
    get_user_model().objects.create_superuser("ada")
    outcome = desk.run("expert_queue", "qasrl", "Q", items=whole, by="ada")
    assert (outcome.code, outcome.errors) == (0, "")


@pytest.mark.parametrize(
    ("text", "encoding", "wanted"),
    [
        ("Мария sold шляпу .", "cp1251", "windows-1251"),
        ("Zoë sold café .", "cp1252", "windows-1252"),
        ("猫 sold 犬 .", "shift_jis", "shift_jis"),
    ],
)
def test_encoding_must_be_named(desk, text, encoding, wanted):
    path = desk.write("a.csv", f"{HEADER}c:1,{text},x\n".encode(encoding))
    outcome = desk.corpus("qasrl", "qasrl-csv", path)
    assert outcome.code == 2
    assert "UTF-8" in outcome.errors
    outcome = desk.corpus("qasrl", "qasrl-csv", path, encoding=wanted)
    assert (outcome.code, sentences()["c:1"]) == (0, text.split())


def test_one_stray_byte_is_named_with_its_line(desk):
    good = f"{HEADER}a:1,Zoë sold a café – for 10 € .,x\n".encode()
    path = desk.write("a.csv", good + "b:1,A naïve man ran .,x\n".encode("cp1252"))
    outcome = desk.corpus("qasrl", "qasrl-csv", path)
    assert outcome.code == 2
    assert "line 3" in outcome.errors
    assert sentences() == {}
