"""Items of nouns that are derived from verbs."""

import re

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow, ItemRecord
from schemes.english.nominalizations import find_nominalizations, verb_of_noun
from schemes.english.verbs import verb_forms
from schemes.qasrl import bank, content, gold_csv, items, merging
from schemes.qasrl.annotation_files import read_annotation_file
from schemes.qasrl.evaluation import ScoredFiles
from schemes.qasrl.pages import PAGES
from schemes.qasrl.scheme import SCHEME
from schemes.qasrl.validating import gold_of
from schemes.qasrl.walker import open_item
from tests import environment

from .checking_walker import CheckingWalker

TOKENS = ("The", "acquisition", "of", "Acme", "surprised", "investors", ".")


def complete(**target):
    context = ItemContext(tokens=TOKENS, target={})
    return items.complete_item(ItemRecord("s", "1", target), context).target


@pytest.mark.parametrize(
    ("noun", "verb"),
    [
        ("acquisition", "acquire"), ("Sales", "sell"), ("growth", "grow"), ("analyses", "analyze"),
        ("attack", "attack"), ("payments", "pay"), ("arrival", "arrive"), ("meeting", "meet"),
        ("deliveries", "deliver"), ("creation", "create"), ("refusal", "refuse"), ("table", "table"),
        ("planning", "plan"), ("democracy", None), ("cathedral", None),
    ],
)  # fmt: skip
def test_verb_of_noun(noun, verb):
    assert verb_of_noun(noun) == verb


def test_noun_gets_the_forms_of_its_verb():
    assert complete(kind="noun", verb_idx=1) == {
        "kind": "noun",
        "verb_idx": 1,
        "verb": "acquisition",
        "verb_form": "acquire",
        "forms": {
            "stem": "acquire",
            "presentSingular3rd": "acquires",
            "presentParticiple": "acquiring",
            "past": "acquired",
            "pastParticiple": "acquired",
        },
    }


def test_noun_without_known_verb_needs_a_verb_form():
    with pytest.raises(ContentError, match="no verb is known"):
        complete(kind="noun", verb_idx=2)


def test_verb_has_no_noun_fields():
    assert set(complete(verb_idx=4)) == {"verb_idx", "verb", "forms"}


def test_positions_of_a_predicate_must_include_its_token():
    assert items.marked(complete(kind="noun", verb_idx=1, tokens=[2, 1])) == [1, 2]
    with pytest.raises(ContentError, match="include 1"):
        complete(kind="noun", verb_idx=1, tokens=[2])


QUESTION = {"question": "What was acquired?", "answers": [[3, 4]]}


def noun():
    return ItemContext(tokens=TOKENS, target=complete(kind="noun", verb_idx=1))


def verb():
    return ItemContext(tokens=TOKENS, target=complete(verb_idx=4))


def test_verbal_noun_has_questions_about_its_verb():
    parsed = content.parse_generation({"questions": [QUESTION], "is_verbal": True}, noun())
    assert parsed["is_verbal"] is True
    assert parsed["questions"][0]["slots"]["verb_slot_inflection"] == "Past"


def test_noun_without_event_has_no_questions():
    assert content.parse_generation({"questions": [], "is_verbal": False}, noun()) == {
        "questions": [],
        "no_question": "",
        "is_verbal": False,
    }
    with pytest.raises(ContentError, match="describes an event"):
        content.parse_generation({"questions": [QUESTION], "is_verbal": False}, noun())


def test_verbal_noun_needs_questions_or_a_reason():
    with pytest.raises(ContentError, match="ask a question"):
        content.parse_generation({"questions": [], "is_verbal": True}, noun())


def test_verb_has_no_verbal_step():
    with pytest.raises(ContentError, match="for nouns only"):
        content.parse_gold({"questions": [], "is_verbal": True}, verb())
    assert content.parse_gold({"questions": []}, verb()) == {"questions": []}


@pytest.mark.parametrize(
    ("verdict", "choice", "is_verbal"),
    [("keep", None, True), ("invalid", False, False), ("invalid", True, True)],
)
def test_consolidation_decides_the_verbal_step(verdict, choice, is_verbal):
    sources = [
        content.parse_generation({"questions": [QUESTION], "is_verbal": True}, noun()),
        content.parse_generation({"questions": [], "is_verbal": False}, noun()),
    ]
    judgment = {**QUESTION, "source": {"submission": 0, "question": 0}, "verdict": verdict}
    consolidation = content.parse_consolidation(
        {"questions": [judgment], "is_verbal": choice}, noun(), sources
    )
    assert merging.gold_of(consolidation, sources)[0]["is_verbal"] is is_verbal


ROWS = """\
qasrl_id,target_idx,key,noun,verb_form,is_verbal,question,answer_range,answer
s,1,s_1,acquisition,acquire,True,What was acquired?,3:4,Acme
s,5,s_5,investors,invest,False,,,
t,1,t_1,sale,sell,False,Who sold something?,0:1,x
"""


def test_gold_of_nouns_is_read(tmp_path):
    path = tmp_path / "nouns.csv"
    path.write_text(ROWS, encoding="utf-8")
    errors = []
    records = list(gold_csv.read_gold_csv(path, on_error=errors.append))
    assert [(record.item.target, record.content) for record in records] == [
        (
            {"verb_idx": 1, "verb": "acquisition", "kind": "noun", "verb_form": "acquire"},
            {"questions": [QUESTION], "is_verbal": True},
        ),
        (
            {"verb_idx": 5, "verb": "investors", "kind": "noun", "verb_form": "invest"},
            {"questions": [], "is_verbal": False},
        ),
    ]
    assert [(error.line, error.field) for error in errors] == [(4, "is_verbal")]
    targets = [item.target for item in gold_csv.read_items(path, on_error=lambda error: None)]
    assert targets == [record.item.target for record in records]


def test_exported_nouns_are_byte_identical_after_a_round_trip(tmp_path):
    question = content.parse_gold({"questions": [QUESTION]}, noun())
    ids = {"worker_id": "w", "source_worker_ids": ["v", "u"]}
    rows = [
        ExportRow("s", TOKENS, complete(kind="noun", verb_idx=1), question, [ids]),
        ExportRow(
            "s",
            TOKENS,
            complete(kind="noun", verb_idx=5, verb_form="invest"),
            {"questions": [], "is_verbal": False},
            [],
        ),
        ExportRow("s", TOKENS, complete(verb_idx=4), {"questions": []}, []),
    ]
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    assert SCHEME.exports.write(rows, first, "qanom-csv") == 2
    start = "s,The acquisition of Acme surprised investors ."
    assert first.read_text(encoding="utf-8").splitlines() == [
        "qasrl_id,sentence,target_idx,key,noun,verb_form,is_verbal,worker_id,assign_id,"
        "source_assign_id,source_worker_ids,question,is_redundant,answer_range,answer,"
        "wh,subj,obj,obj2,aux,prep,verb_prefix,is_passive,is_negated,verb_slot_inflection",
        f"{start},1,s_1,acquisition,acquire,True,w,,,v~!~u,What was acquired?,False,3:4,Acme,"
        "what,,,,was,,,True,False,Past",
        f"{start},5,s_5,investors,invest,False" + "," * 18,
    ]
    errors = []
    records = list(gold_csv.read_gold_csv(first, on_error=errors.append))
    rows_read = [
        ExportRow("s", TOKENS, complete(**record.item.target), record.content, record.provenance)
        for record in records
    ]
    SCHEME.exports.write(rows_read, second, "qanom-csv")
    assert errors == []
    assert second.read_bytes() == first.read_bytes()


def test_candidates_are_common_nouns_with_a_verb():
    sentence = "The sale of Acme shares by its owners led to the collapse of a bank ."
    candidates = dict(find_nominalizations(sentence.split()))
    assert candidates[1] == "sell"
    assert candidates[11] == "collapse"
    assert 3 not in candidates  # a name


def test_searches_find_verbs_nouns_or_both():
    context = ItemContext(tokens=("The", "sale", "ended", "in", "May", "."), target={})
    results = {
        name: [
            (item.local_key, item.target.get("kind", "verb")) for item in search.find("s", context)
        ]
        for name, search in items.SEARCHES.items()
    }
    assert results["verbs"] == [("2", "verb")]
    assert ("1", "noun") in results["nouns"]
    assert results["verbs-and-nouns"] == results["verbs"] + results["nouns"]


@pytest.mark.parametrize(
    ("text", "wh"),
    [
        ("In what circumstances was something acquired?", "in what circumstances"),
        ("For what purpose did someone acquire something?", "for what purpose"),
    ],
)
def test_question_words_of_nouns_are_limited_to_nouns(text, wh):
    walker = CheckingWalker(PAGES.item(noun())["item"])
    reading = walker.read(text)
    assert reading is not None
    assert reading.slots.wh == wh
    assert (
        content.parse_gold({"questions": [{"question": text, "answers": [[3, 4]]}]}, noun())[
            "questions"
        ][0]["slots"]["wh"]
        == wh
    )
    assert (
        CheckingWalker(PAGES.item(verb())["item"]).read(text.replace("acquire", "surprise")) is None
    )
    assert [option.text for option in walker.complete(wh.split()[0])] == [wh.capitalize()]


def test_questions_of_the_documentation_fit_the_template():
    text = (environment.ROOT / "docs" / "how-to" / "annotate-nouns.md").read_text()
    rows = re.findall(r"^\| (.+\?) \| (.+) \|$", text, re.MULTILINE)
    walkers = [
        CheckingWalker(open_item(verb_forms(stem), is_noun=True)) for stem in ("sell", "search")
    ]
    assert len(rows) == 5
    for question, answer in rows:
        assert any(walker.read(question) for walker in walkers), question
        assert f" {answer} " in text.replace("**", "")


def test_conflicting_rows_of_a_noun_are_reported(tmp_path):
    path = tmp_path / "nouns.csv"
    path.write_text(
        ROWS.replace("t,1,t_1,sale,sell", "s,5,s_5,investors,invest").replace(
            "False,Who sold", "True,Who invested"
        ),
        encoding="utf-8",
    )
    errors = []
    *_, last = gold_csv.read_gold_csv(path, on_error=errors.append)
    assert last.content["is_verbal"] is True
    assert [(error.line, error.field) for error in errors] == [(4, "is_verbal")]
    assert "differs from line 3" in errors[0].message


def test_noun_of_several_words_is_read(tmp_path):
    path = tmp_path / "nouns.csv"
    path.write_text(
        "qasrl_id,target_idx,noun,verb_form,is_verbal,target_range,question,answer_range\n"
        "s,1,clean,clean,True,1:2~!~3:4,,\n",
        encoding="utf-8",
    )
    [item] = gold_csv.read_items(path, on_error=lambda error: None)
    assert item.target["tokens"] == [1, 3]


def test_validators_leave_the_decision_to_the_generator():
    source = merging.as_source(
        content.parse_generation({"questions": [QUESTION], "is_verbal": True}, noun())
    )
    verdict = {"answers": [], "verdict": "invalid"}
    validation = content.parse_validation({"questions": [verdict]}, noun(), [source])
    gold, _ = gold_of([source], [validation, validation], 2)
    assert gold == {"questions": [], "is_verbal": True}


def test_bank_files_have_only_verbs(tmp_path):
    rows = [
        ExportRow("s", TOKENS, complete(kind="noun", verb_idx=1), {"questions": []}, []),
        ExportRow("s", TOKENS, complete(verb_idx=4), {"questions": []}, []),
    ]
    path = tmp_path / "bank.jsonl.gz"
    assert SCHEME.exports.write(rows, path, "qasrl-bank") == 1
    items = list(bank.read_bank_items(path, on_error=lambda error: None))
    assert [item.local_key for item in items] == ["4"]


def test_evaluation_scores_whether_nouns_are_verbal(tmp_path):
    header = "qasrl_id,target_idx,noun,verb_form,is_verbal,question,answer_range\n"
    answered = {True: "True,What was sold?,0:1", False: "False,,"}
    paths = [tmp_path / "reference.csv", tmp_path / "predicted.csv"]
    # One noun each is TP, FN, FP and TN, and one is missing from the prediction.
    decisions = [(True, True), (True, False), (False, True), (False, False), (True, None)]
    for side, path in enumerate(paths):
        rows = [
            f"s{at},1,sale,sell,{answered[pair[side]]}\n"
            for at, pair in enumerate(decisions)
            if pair[side] is not None
        ]
        path.write_text(header + "".join(rows), encoding="utf-8")
    figures = ScoredFiles(*map(read_annotation_file, paths)).figures()
    assert figures["predicates"] == 5
    assert figures["is_verbal"] == {
        "nouns": 4, "accuracy": 0.5, "kappa": 0.0, "tp": 1, "fp": 1, "fn": 1,
        "precision": 0.5, "recall": 0.5, "f1": 0.5,
    }  # fmt: skip
