"""Files that contradict themselves: columns, ids and lists that name the same thing twice."""

import json

import pytest
from django.contrib.auth import get_user_model

from annotation.models import Sentence
from tests.borders.site import Desk, gold, items, sentences
from tests.borders.test_cases import GOLD, HEADER, ITEMS, SENTENCES, bank, conllu
from tests.schemes.workbooks import workbook_bytes

pytestmark = pytest.mark.django_db

NOUNS = "qasrl_id,target_idx,noun,verb_form,is_verbal,question,answer_range\n"
QUESTION = "Who sold something?"


@pytest.fixture
def qasrl(desk: Desk) -> Desk:
    desk.corpus(
        "qasrl",
        "qasrl-csv",
        desk.write("s.csv", SENTENCES),
        items=[desk.write("i.csv", ITEMS)],
    )
    assert items() == ["a:1/1", "b:2/1"]
    return desk


def row(**cells: str) -> str:
    return ",".join(cells) + "\n" + ",".join(cells.values()) + "\n"


def asked(**others: str) -> dict[str, str]:
    cells = {"qasrl_id": "a:1", "verb_idx": "1", "question": QUESTION, "answer_range": "0:1"}
    return {**cells, **others}


# --- A file of gold states its sentence


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (asked(tokens="Mary sold a hat to John yesterday ."), ""),
        (asked(tokens="MARY sold a hat to John yesterday ."), ""),
        (asked(sentence="Mary sold a hat to John yesterday."), ""),
        (asked(tokens="Bob sold the old car ."), "other tokens"),
        (asked(sentence="Bob sold the old car."), "“Bob sold the old car.”, but the sentence is"),
        (asked(target_idx="6"), "target_idx: is '6', but verb_idx is '1'"),
        (asked(verb="sold", noun="barked"), "noun: is 'barked', but verb is 'sold'"),
        (asked(verb="sold", noun="sold"), ""),
    ],
)
def test_sentence_and_names_that_gold_states_are_compared(qasrl, cells, message):
    outcome = qasrl.gold("qasrl", "qasrl-csv", qasrl.write("g.csv", row(**cells)))
    assert message in outcome.errors
    assert set(gold()) == (set() if message else {"a:1/1"})


def test_rows_of_a_predicate_with_two_sentences_are_left_out(qasrl):
    head, first = row(**asked(tokens="Mary sold a hat to John yesterday .")).splitlines()
    second = first.replace("0:1", "2:4").replace("Mary", "Bob").replace("Who", "What")
    path = qasrl.write("g.csv", f"{head}\n{first}\n{second}\n")
    outcome = qasrl.gold("qasrl", "qasrl-csv", path)
    assert "line 3: has another sentence than line 2" in outcome.errors
    assert gold() == {}


# --- Nothing empty counts as gold


def without_questions(kind: str) -> str:
    entry = json.loads(bank("Mary sold a hat to John yesterday .", 1))
    (label,) = entry["verbEntries"]["1"]["questionLabels"].values()
    if kind == "no labels":
        entry["verbEntries"]["1"]["questionLabels"] = {}
    elif kind == "no judgments":
        label["answerJudgments"] = []
    else:
        label["answerJudgments"] = [{"sourceId": "turk-1", "isValid": False}]
    return json.dumps(entry) + "\n"


@pytest.mark.parametrize("kind", ["no labels", "no judgments", "an invalid judgment"])
def test_predicate_of_the_bank_without_an_accepted_question_is_no_gold(qasrl, kind):
    path = qasrl.write("b.jsonl", without_questions(kind))
    facts = qasrl.gold("qasrl", "qasrl-bank", path).facts
    assert (facts["added"], facts["blank"], gold()) == (0, 1, {})


@pytest.mark.parametrize(
    ("rows", "added"),
    [
        (f"a:1,1,{QUESTION},0:1,True\n", 0),
        (f"a:1,1,{QUESTION},0:1,True\na:1,1,What was sold?,2:4,False\n", 1),
        ("a:1,1,,,False\n", 1),
    ],
    ids=["redundant", "redundant and another", "said to have none"],
)
def test_predicate_with_redundant_questions_only_is_no_gold(qasrl, rows, added):
    head = "qasrl_id,verb_idx,question,answer_range,is_redundant\n"
    facts = qasrl.gold("qasrl", "qasrl-csv", qasrl.write("g.csv", head + rows)).facts
    assert (facts["added"], facts["blank"], len(gold())) == (added, 1 - added, added)


def test_noun_without_a_decision_is_refused(desk):
    corpus = desk.write("s.csv", f"{HEADER}a:1,The sale ended .,x\n")
    listed = desk.write("i.csv", f"{NOUNS}a:1,1,sale,sell,True,,\n")
    desk.corpus("qasrl", "qasrl-csv", corpus, items=[listed])
    path = desk.write("g.csv", f"{NOUNS}a:1,1,sale,sell,,,\n")
    outcome = desk.gold("qasrl", "qasrl-csv", path)
    assert ("is_verbal: is empty" in outcome.errors, gold()) == (True, {})


# --- A record that is repeated with other content is left out altogether


@pytest.mark.parametrize("between", [0, 250])
def test_both_contents_of_a_repeated_item_are_left_out(desk, between):
    names = [f"z:{at}" for at in range(between)]
    corpus = "".join(f"{name},Mary sold a hat .,x\n" for name in ["a:1", *names])
    verbs = "".join(f"{name},1,sold\n" for name in ["a:1", *names])
    desk.corpus(
        "qasrl",
        "qasrl-csv",
        desk.write("s.csv", HEADER + corpus),
        items=[desk.write("i.csv", f"qasrl_id,verb_idx,verb\n{verbs}")],
    )
    lines = [bank("Mary sold a hat .", 1, name=name) for name in ["a:1", *names]]
    same, other = lines[0], bank("Mary sold a hat .", 1, spans=((2, 4),))
    outcome = desk.gold("qasrl", "qasrl-bank", desk.write("b.jsonl", "".join([*lines, other])))
    assert outcome.errors.count("more than once, with other content") == 2
    assert len(gold()) == between
    outcome = desk.gold("qasrl", "qasrl-bank", desk.write("b.jsonl", "".join([*lines, same])))
    assert (outcome.errors, len(gold())) == ("", between + 1)


# --- Lists of items


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"qasrl_id": "a:1", "verb_idx": "1", "verb": "sell"}, ""),
        ({"item": "a:1/1", "qasrl_id": "a:1", "verb_idx": "1"}, ""),
        ({"item": "a:1/1", "verb": "sold"}, ""),
        ({"qasrl_id": "a:1", "target_idx": "1", "noun": "sold"}, ""),
        ({"qasrl_id": "a:1", "verb_idx": "1", "verb": "barked"}, "1:2 is “sold”, not “barked”"),
        ({"item": "a:1/1", "verb": "barked"}, "1:2 is “sold”, not “barked”"),
        ({"item": "a:1/1", "qasrl_id": "b:2", "verb_idx": "1"}, "is a:1/1, but the other columns"),
        (asked(tokens="Bob sold the old car ."), "has other tokens"),
        (asked(answer="Bob"), "0:1 is “Mary”, not “Bob”"),
        (asked(sentence="Bob sold it."), "but the sentence is"),
    ],
)
@pytest.mark.parametrize("command", ["expert_queue", "set_up_rounds"])
def test_words_of_a_list_of_items_are_compared(qasrl, command, cells, message):
    path = qasrl.write("list.csv", row(**cells, round="1"))
    if command == "expert_queue":
        get_user_model().objects.create_user("rosa")
        outcome = qasrl.run(command, "qasrl", "Q", items=path, by="rosa")
    else:
        outcome = qasrl.run(command, "qasrl", path)
    assert message in outcome.errors
    # Items of rounds need expert gold, which is missed last.
    refused = message or ("" if command == "expert_queue" else "expert")
    assert (outcome.code == 0) == (not refused), outcome.errors


# --- Tables


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("fmt", "separator", "header"),
    [
        ("table", ",", "id,text\n"),
        ("table", "\t", "id\ttext\n"),
        ("table", ";", "id;text\n"),
        ("qasrl-csv", ",", "qasrl_id,tokens\n"),
    ],
)
def test_second_header_is_not_a_row(desk, fmt, separator, header, mark):
    first, second = f"1{separator}Mary left .\n", f"2{separator}Ann ate .\n"
    path = desk.write("t.csv", f"{header}{first}{mark}{header}{second}")
    outcome = desk.corpus("qasrl", fmt, path)
    assert "t.csv, line 3: repeats the header." in outcome.errors
    assert list(sentences()) == ["1", "2"]


@pytest.mark.parametrize(
    ("number", "stored"), [(7, "7"), (123456789012345, "123456789012345"), (12345678901234567, "")]
)
def test_number_that_a_workbook_does_not_keep_is_refused(desk, number, stored):
    path = desk.write("t.xlsx", workbook_bytes(["id", "text"], [[number, "Mary left ."]]))
    outcome = desk.corpus("qasrl", "table", path)
    message = f"{number} is a number of more than 15 digits, of which a workbook keeps no more."
    assert (message[-40:] in outcome.errors) == (not stored)
    assert list(sentences()) == ([stored] if stored else [])


# --- What exists with another domain or partition


def test_sentence_of_another_partition_or_domain_is_named(qasrl):
    path = qasrl.path("s.csv")
    given = {"domain": "wiki", "partition": "test"}
    outcome = qasrl.corpus("qasrl", "qasrl-csv", path, **given)
    assert "a:1 exists with other domain, partition." in outcome.errors
    assert set(Sentence.objects.values_list("domain", "partition")) == {("", "")}
    facts = qasrl.corpus("qasrl", "qasrl-csv", path, **given, update=True).facts
    assert facts["sentences_updated"] == 2
    assert set(Sentence.objects.values_list("domain", "partition")) == {("wiki", "test")}
    # Options that are not given state nothing.
    assert qasrl.corpus("qasrl", "qasrl-csv", path).errors == ""


# --- Input files are never written


@pytest.mark.parametrize("name", ["s.csv", "i.csv"])
def test_file_of_bad_rows_is_no_input(qasrl, name):
    path = qasrl.path(name)
    before = path.read_bytes()
    outcome = qasrl.corpus(
        "qasrl", "qasrl-csv", qasrl.path("s.csv"), items=[qasrl.path("i.csv")], bad_rows=path
    )
    assert (outcome.code, "is an input" in outcome.errors) == (2, True)
    gold_file = qasrl.write("g.csv", f"{GOLD}a:1,1,sold,{QUESTION},0:1,Mary\n")
    outcome = qasrl.gold("qasrl", "qasrl-csv", gold_file, bad_rows=gold_file)
    assert "is an input" in outcome.errors
    assert path.read_bytes() == before


def test_empty_file_of_bad_rows_is_not_announced(qasrl):
    path = qasrl.folder / "bad.csv"
    outcome = qasrl.corpus("qasrl", "qasrl-csv", qasrl.path("s.csv"), bad_rows=path)
    assert (outcome.errors, path.read_text().splitlines()) == ("", ["file,line,field,message"])


# --- Multiword tokens without a form, and characters that Python can't name


def test_multiword_token_without_a_form_gives_no_text(desk):
    words = conllu("They/PRON", "can/AUX", "not/PART", "swim/VERB")
    lines = words.splitlines(keepends=True)
    lines.insert(2, "\t".join(["2-3", *["_"] * 9]) + "\n")
    path = desk.write("a.conllu", "".join(lines))
    outcome = desk.corpus("qasrl", "conllu", path)
    assert outcome.errors == ""
    assert list(Sentence.objects.values_list("text", "offsets")) == [("", [])]
    lines.insert(0, "# text = They cannot swim\n")
    path = desk.write("b.conllu", "".join(lines).replace("a:1", "a:2"))
    desk.corpus("qasrl", "conllu", path)
    sentence = Sentence.objects.get(external_id="a:2")
    assert sentence.text == "They cannot swim"
    assert sentence.offsets == [[0, 4], [5, 8], [8, 11], [12, 16]]


@pytest.mark.parametrize("character", ["\U0001fae8", "\ue000"])
def test_character_without_a_name_is_not_invisible(desk, character):
    path = desk.write("s.csv", f"{HEADER}a:1,Mary left .,Mary {character} left.\n")
    assert "does not consist of its tokens" in desk.corpus("qasrl", "qasrl-csv", path).errors
    path = desk.write("t.csv", f"{HEADER}a:2,Mary {character} left .,Mary {character} left.\n")
    assert desk.corpus("qasrl", "qasrl-csv", path).errors == ""
    assert Sentence.objects.get(external_id="a:2").offsets[1] == [5, 6]


# --- Evaluations list or refuse what the sentences file contradicts

PUBLISHED = f"{HEADER}a:1,Mary sold a hat .,x\na:2,Mary sold a hat .,x\na:9,Bob sold a car .,x\n"
REFERENCE = f"qasrl_id,verb_idx,question,answer_range\na:1,1,{QUESTION},0:1\n"


def parsed(tokens: str, **ids: str) -> str:
    span_ = {"start": 0, "end": 0, "score": 0.9}
    pairs = [{"question": QUESTION, "spans": [span_]}]
    verb = {"verb": "sold", "index": 1, "qa_pairs": pairs}
    return json.dumps({**ids, "words": tokens.split(), "verbs": [verb]}) + "\n"


@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        (parsed("Mary sold a hat .", sentenceId="a:1"), ""),
        (parsed("Bob sold a car .", sentenceId="a:1"), "its tokens are those of a:9, not a:1"),
        (parsed("Ann sold a car .", sentenceId="a:1"), "not those of a sentence in the sentences"),
        (parsed("Mary sold a hat ."), "are those of 2 sentences, first a:1"),
        (
            parsed("Mary sold a hat .", sentenceId="a:1")
            + parsed("Mary sold a hat .", sentenceId="a:1").replace('"end": 0', '"end": 2'),
            "a:1/1 is repeated with other content, and left out",
        ),
        (bank("Bob sold a car .", 1), "tokens: are “Bob sold a car .”, but the sentence is “Mary"),
        (bank("Mary sold a hat .", 1), ""),
    ],
)
def test_sentences_of_predictions_are_compared(desk, predicted, message):
    files = {"s.csv": PUBLISHED, "r.csv": REFERENCE, "p.jsonl": predicted}
    sentences_, reference, path = (desk.write(*file) for file in files.items())
    outcome = desk.run(
        "evaluate", "qasrl", reference, path, sentences=sentences_, skip_bad_rows=True
    )
    listed = [*outcome.facts["contradictions"], *outcome.facts["skipped_rows"]["first"]]
    assert [message in line for line in listed] == ([True] if message else [])
    counts = outcome.facts["UA"]["tp"], outcome.facts["UA"]["fn"]
    assert counts == ((0, 1) if message and "“" not in message else (1, 0))


def test_reference_without_a_usable_predicate_is_refused(desk):
    reference = desk.write("r.csv", REFERENCE.replace("0:1", "9:9"))
    outcome = desk.run("evaluate", "qasrl", reference, reference, skip_bad_rows=True)
    assert (outcome.code, "no predicate that can be used" in outcome.errors) == (2, True)


# --- Questions of models


def asked_by(*sources: str, judge: str = "turk-1") -> str:
    """Return a sentence with a question of a person, and one of these sources."""
    entry = json.loads(bank("Mary sold a hat to John yesterday .", 1))
    labels = entry["verbEntries"]["1"]["questionLabels"]
    (first,) = labels.values()
    other = "What did someone sell?"
    judgments = [{"sourceId": judge, "isValid": True, "spans": [[2, 4]]}]
    labels[other] = {
        **first,
        "questionString": other,
        "questionSources": list(sources),
        "answerJudgments": judgments,
    }
    return json.dumps(entry) + "\n"


@pytest.mark.parametrize(
    ("sources", "judge", "is_read"),
    [
        (["model-x"], "turk-1", False),
        (["model-x", "model-y"], "turk-1", False),
        (["model-x", "turk-2"], "turk-1", True),
        (["turk-2"], "turk-1", True),
        ([], "turk-1", True),
        (["model-x"], "turk-1-gold", True),
    ],
)
def test_questions_that_only_models_asked_are_left_out(qasrl, sources, judge, is_read):
    path = qasrl.write("b.jsonl", asked_by(*sources, judge=judge))
    reference = qasrl.write("r.csv", f"{GOLD}a:1,1,sold,What did someone sell?,2:4,a hat\n")
    left_out = {} if is_read else {"questions_of_models_left_out": 1}
    facts = qasrl.gold("qasrl", "qasrl-bank", path).facts
    assert facts["notes"] == left_out
    questions = [question["question"] for question in gold()["a:1/1"]["questions"]]
    assert ("What did someone sell?" in questions) == is_read
    figures = qasrl.run("evaluate", "qasrl", reference, path).facts
    assert {name: figures[name] for name in figures if "models" in name} == left_out
    assert figures["UA"]["tp"] == int(is_read)
    figures = qasrl.run("evaluate", "qasrl", reference, path, sources="all").facts
    assert (figures["UA"]["tp"], "models" in str(figures)) == (1, False)
    facts = qasrl.system("qasrl", "qasrl-bank", path, sources="all").facts
    assert facts["notes"] == {}
