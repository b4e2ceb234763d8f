from dataclasses import asdict

from schemes.contract.errors import refuse
from schemes.qasrl.annotation_files import Annotation
from schemes.qasrl.content import match_key
from schemes.qasrl.labels import label_in_file, question_label, question_labels
from schemes.qasrl.published_csv import read_gold_rows
from schemes.qasrl.slots import Slots
from tests.schemes.qasrl.published_data import GOLD, needs_published_data


def _slots(**changes):
    slots = {
        "wh": "who",
        "aux": "did",
        "subj": "",
        "verb_prefix": "",
        "verb_slot_inflection": "Stem",
        "obj": "something",
        "prep": "",
        "obj2": "",
        "is_passive": False,
        "is_negated": False,
    }
    return Slots(**{**slots, **changes})


def test_label_comes_from_the_slots_if_present():
    assert question_label("Who did it?", _slots()) == question_label("Who was it?", _slots())
    assert question_label("Who did it?", _slots()) != question_label(
        "Who did it?", _slots(wh="what")
    )


def test_label_without_slots_comes_from_the_text_in_any_case():
    assert question_label("Who did it?", None) == question_label("who did it?", None)
    assert question_label("Who did it?", None) != question_label("What did it?", None)


def test_content_and_files_give_the_same_labels():
    slots = _slots()
    content = {"question": "Who did something?", "slots": asdict(slots), "answers": []}
    assert match_key(content) == question_label("Who did something?", slots)
    outside = {"question": "Whose was it?", "slots": None, "answers": []}
    assert match_key(outside) == question_label("Whose was it?", None)


def test_file_without_slot_columns_is_read_with_the_template():
    expected = label_in_file("Who sold something?", _slots(aux=""), verb="sold")
    assert label_in_file("Who sold something?", None, verb="sold") == expected
    blank = _slots(wh="", obj="")
    assert label_in_file("Who sold something?", blank, verb="sold") == expected


def test_questions_outside_the_template_are_compared_by_text():
    assert label_in_file("Whose car is it?", None, verb="sold") == ("text", "whose car is it?")
    assert label_in_file("Who sold it?", None, verb="") == ("text", "who sold it?")


def test_equal_texts_have_the_same_role_despite_different_slot_columns():
    slip, read = _slots(subj="someone"), _slots(obj="")
    text = "What did someone do something?"
    assert label_in_file(text, slip, verb="doing") != label_in_file(text, read, verb="doing")
    annotation = Annotation("doing")
    annotation.add(text, slip, ((0, 1),))
    [in_file] = annotation.labels.values()
    assert in_file & question_labels(text.upper(), read)
    assert not in_file & question_labels("What did someone do?", read)


@needs_published_data
def test_labels_of_parsed_questions_equal_those_of_slot_columns():
    rows = list(read_gold_rows(GOLD, on_error=refuse))
    differing = {
        row.question
        for row in rows
        if label_in_file(row.question, row.slots, verb=row.verb)
        != label_in_file(row.question, None, verb=row.verb)
    }
    assert len(rows) == 3714
    # Its columns have the object in place of the subject.
    assert differing == {"What did someone do something?"}
