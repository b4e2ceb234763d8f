"""The figures of QANom's evaluator, compared with a literal implementation of its rules."""

import csv
import json
import random
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from metrics.greedy_alignment import SpanRole, greedy_pairs, role_counts
from schemes.qasrl.noun_evaluation import qanom_figures, read_noun_annotations
from schemes.qasrl.published_csv import NOUN_COLUMNS
from schemes.qasrl.semantic_roles import UNGRAMMATICAL, role_of_question, semantic_role
from schemes.qasrl.slots import Slots
from tests.seeds import seeds

# question, wh, subj, obj, prep, obj2, is_passive, and its role in table 7 of He et al. 2015
QUESTIONS = [
    ("Who sold something?", "who", "", "something", "", "", False, "R0"),
    ("Who might sell something?", "who", "", "something", "", "", False, "R0"),
    ("What did someone sell?", "what", "someone", "", "", "", False, "R1"),
    ("What was sold?", "what", "", "", "", "", True, "R1"),
    ("Who was it sold by?", "who", "something", "", "by", "", True, "R0"),
    ("What did someone sell someone?", "what", "someone", "someone", "", "", False, "R2"),
    ("Who did someone sell it to?", "who", "someone", "something", "to", "", False, "R2 to"),
    ("Who was something sold to?", "who", "something", "", "to", "", True, "R2 to"),
    ("What was he sold it for?", "what", "someone", "something", "for", "", True, "R2 for"),
    ("What did it sell it to do?", "what", "something", "something", "to", "do", False, "R2 to"),
    ("Where was something sold?", "where", "something", "", "", "", True, "where"),
    ("Where did it sell from?", "where", "something", "", "from", "", False, "where from"),
    ("When did it sell to someone?", "when", "something", "", "to", "someone", False, "when"),
    ("What did it sell it it?", "what", "it", "it", "", "it", False, UNGRAMMATICAL),
    ("In what order did it sell?", "in what order", "it", "", "", "", False, UNGRAMMATICAL),
]  # fmt: skip


COLUMNS = ("wh", "subj", "obj", "prep", "obj2", "is_passive")


@pytest.mark.parametrize(("values", "role"), [(row[1:-1], row[-1]) for row in QUESTIONS])
def test_role_of_slots(values, role):
    columns = dict(zip(COLUMNS, values, strict=True))
    slots = Slots(aux="", verb_prefix="", verb_slot_inflection="", is_negated=False, **columns)
    assert semantic_role(slots) == role


@pytest.mark.parametrize(
    ("question", "role"),
    [
        ("Who might not sell something?", "R0"),
        ("What was sold?", "R1"),
        ("Who was something sold to?", "R2 to"),
        ("Where did someone sell something from?", "where from"),
        ("In what circumstances was something sold?", UNGRAMMATICAL),
        ("Which mill was sold?", UNGRAMMATICAL),
    ],
)
def test_role_without_slot_columns_is_that_of_the_text(question, role):
    assert role_of_question(question, None, verb="sell") == role


def test_best_pairs_are_taken_first():
    assert greedy_pairs([(0, 4), (4, 10)], [(0, 6)]) == {(0, 6): (0, 4)}
    # The second best pair of both remains, although the other pairing has two pairs as well.
    assert greedy_pairs([(0, 10), (4, 12)], [(2, 11), (5, 16)]) == {
        (2, 11): (0, 10),
        (5, 16): (4, 12),
    }
    # The best pair leaves nothing, where two pairs were possible.
    assert greedy_pairs([(0, 10), (10, 14)], [(0, 14), (0, 4)]) == {(0, 14): (0, 10)}


def test_pair_needs_more_than_three_tenths():
    assert greedy_pairs([(0, 10)], [(0, 3)]) == {}
    assert greedy_pairs([(0, 13)], [(0, 4)]) == {(0, 4): (0, 13)}


def test_first_of_equal_pairs_is_taken():
    left, right, middle = (0, 2), (2, 4), (1, 3)
    assert greedy_pairs([left, right], [middle]) == {middle: left}
    assert greedy_pairs([right, left], [middle]) == {middle: right}


def test_empty_sides_have_counts_without_ratios():
    role = SpanRole("Who sold something?", "R0", ((0, 2), (3, 4)))
    nothing = role_counts([], [])
    assert [count.ratios() for count in nothing] == [
        {"precision": None, "recall": None, "f1": None}
    ] * 3
    missed, extra = role_counts([role], []), role_counts([], [role])
    assert [(count.tp, count.fp, count.fn) for count in missed] == [(0, 0, 2), (0, 0, 2), (0, 0, 1)]
    assert [(count.tp, count.fp, count.fn) for count in extra] == [(0, 2, 0), (0, 2, 0), (0, 1, 0)]


# --- 200 random files, scored by the rules of the evaluator written out literally


def write_file(path, nouns):
    """Write nouns, each with its key, its decision and rows of (number of the question, answers)."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, NOUN_COLUMNS, restval="")
        writer.writeheader()
        for (sentence, at), (is_verbal, rows) in nouns.items():
            start = {"qasrl_id": sentence, "target_idx": at, "noun": "sale", "verb_form": "sell"}
            start["is_verbal"] = is_verbal
            if not rows:
                writer.writerow(start)
            for number, answers in rows:
                question, *values, _ = QUESTIONS[number]
                ranges = "~!~".join(f"{first}:{last}" for first, last in answers)
                columns = dict(zip(COLUMNS, values, strict=True))
                writer.writerow({**start, **columns, "question": question, "answer_range": ranges})


def random_nouns(rng, keys):
    return {key: random_noun(rng) for key in keys if rng.random() < 0.9}


def random_noun(rng):
    if rng.random() < 0.3:
        return False, []
    rows = []
    for _ in range(rng.choice([0, 1, 2, 3, 4])):
        starts = [rng.randrange(8) for _ in range(rng.choice([1, 1, 2, 3]))]
        answers = [(start, start + rng.randint(1, 7)) for start in starts]
        rows.append((rng.randrange(len(QUESTIONS)), answers))
    if rows and rng.random() < 0.3:
        rows.append(rng.choice(rows))
    if rows and rng.random() < 0.3:
        rows.append((rng.randrange(len(QUESTIONS)), rng.choice(rows)[1]))
    return True, rows


def naive_figures(reference, predicted):
    """Return TP, FP and FN of the decisions, arguments, labelled arguments and roles."""
    totals = {name: [0, 0, 0] for name in ("is_verbal", "arguments", "labelled_arguments", "roles")}
    for key in reference:
        if key not in predicted:
            continue
        (is_verbal, rows), (said_verbal, said_rows) = reference[key], predicted[key]
        totals["is_verbal"][0] += is_verbal and said_verbal
        totals["is_verbal"][1] += said_verbal and not is_verbal
        totals["is_verbal"][2] += is_verbal and not said_verbal
        if is_verbal != said_verbal:
            continue
        pairs = naive_pairs(rows, said_rows)
        expected, said = (sum(len(row[1]) for row in side) for side in (rows, said_rows))
        same = 0
        for said_span, span in pairs:
            said_role = QUESTIONS[naive_row(said_rows, said_span)[0]][-1]
            same += said_role == QUESTIONS[naive_row(rows, span)[0]][-1]
        for name, tp in (("arguments", len(pairs)), ("labelled_arguments", same)):
            totals[name][0] += tp
            totals[name][1] += said - tp
            totals[name][2] += expected - tp
        links = [
            (row, naive_row(rows, span))
            for row in said_rows
            for said_span, span in pairs
            if said_span in row[1]
        ]
        for row in rows:
            partners = {repr(said_row) for said_row, other in links if other == row}
            totals["roles"][0 if len(partners) == 1 else 2] += 1
        for row in said_rows:
            partners = {repr(other) for said_row, other in links if said_row == row}
            totals["roles"][1] += len(partners) != 1
    return totals


def naive_row(rows, span):
    return next(row for row in rows if span in row[1])


def naive_pairs(rows, said_rows):
    """Take the pair with the highest overlap until none is left."""
    left = [span for row in rows for span in row[1]]
    said_left = [span for row in said_rows for span in row[1]]
    pairs = []
    while True:
        best, best_overlap = None, 0.3
        for said_span in said_left:
            for span in left:
                tokens, said_tokens = set(range(*span)), set(range(*said_span))
                share = len(tokens & said_tokens) / len(tokens | said_tokens)
                if share > best_overlap:
                    best, best_overlap = (said_span, span), share
        if best is None:
            return pairs
        pairs.append(best)
        said_left = [span for span in said_left if span != best[0]]
        left = [span for span in left if span != best[1]]


@pytest.mark.parametrize("seed", seeds(200))
def test_figures_equal_the_rules_of_the_evaluator(tmp_path, seed):
    rng = random.Random(seed)
    keys = [(f"s{number // 2}", number % 2) for number in range(rng.choice([0, 1, 8, 25]))]
    reference, predicted = random_nouns(rng, keys), random_nouns(rng, keys)
    sides = []
    for name, nouns in (("reference.csv", reference), ("predicted.csv", predicted)):
        write_file(tmp_path / name, nouns)
        sides.append(read_noun_annotations(tmp_path / name))
    figures = qanom_figures(*sides)
    expected = naive_figures(reference, predicted)
    assert {
        name: [figures[name][part] for part in ("tp", "fp", "fn")] for name in expected
    } == expected
    shared = reference.keys() & predicted.keys()
    equal = sum(reference[key][0] == predicted[key][0] for key in shared)
    assert figures["nouns"] == len(shared)
    assert figures["is_verbal"]["accuracy"] == (equal / len(shared) if shared else None)
    assert figures["other_decision"] == len(shared) - equal


# --- the command


def evaluate(*words):
    output = StringIO()
    call_command("evaluate", "qasrl", *map(str, words), stdout=output)
    return output.getvalue()


@pytest.fixture
def files(tmp_path):
    """Return a reference and a prediction.

    They have a pair with another role, an extra answer, a noun with another decision, and nouns of one
    file only.
    """
    reference = {
        ("a", 1): (True, [(0, [(0, 2)]), (2, [(4, 10)])]),
        ("b", 1): (True, [(0, [(0, 2)])]),
        ("c", 1): (False, []),
        ("d", 1): (True, [(0, [(0, 2)])]),
    }
    predicted = {
        ("a", 1): (True, [(0, [(0, 2)]), (0, [(4, 6)]), (10, [(4, 6), (12, 13)])]),
        ("b", 1): (False, []),
        ("c", 1): (False, []),
        ("e", 1): (False, []),
    }
    paths = tmp_path / "reference.csv", tmp_path / "predicted.csv"
    for path, nouns in zip(paths, (reference, predicted), strict=True):
        write_file(path, nouns)
    return paths


def test_both_metrics_are_printed(files):
    plain = json.loads(evaluate(*files, "--json"))
    figures = json.loads(evaluate(*files, "--metric", "qanom", "--json"))
    qanom = figures.pop("qanom")
    assert figures == plain
    assert [figures["UA"][name] for name in ("tp", "fp", "fn")] == [1, 2, 3]
    assert qanom == {
        "nouns": 3,
        "only_in_reference": 1,
        "only_predicted": 1,
        "other_decision": 1,
        "is_verbal": {
            "tp": 1, "fp": 0, "fn": 1, "precision": 1.0, "recall": 0.5, "f1": 2 / 3,
            "accuracy": 2 / 3,
        },
        "arguments": {
            "tp": 2, "fp": 2, "fn": 0, "precision": 0.5, "recall": 1.0, "f1": 2 / 3,
        },
        "labelled_arguments": {
            "tp": 1, "fp": 3, "fn": 1, "precision": 0.25, "recall": 0.5, "f1": 1 / 3,
        },
        # "What did someone sell?" leads to both predicted questions about 4:6.
        "roles": {"tp": 1, "fp": 0, "fn": 1, "precision": 1.0, "recall": 0.5, "f1": 2 / 3},
    }  # fmt: skip
    text = evaluate(*files, "--metric", "qanom")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "arguments, IoU > 0.3 2 2 0 50.00 100.00 66.67" in lines
    assert "3 nouns in both files, with equal decisions in 66.67 %." in text
    assert (
        "The questions of the 1 others are left out. 2 nouns of one file only were ignored." in text
    )


def test_first_row_of_a_noun_decides(tmp_path):
    path = tmp_path / "nouns.csv"
    path.write_text(
        "qasrl_id,target_idx,noun,verb_form,is_verbal,question,answer_range,is_redundant\n"
        "s,1,sale,sell,False,,,\n"
        "s,1,sale,sell,True,Who sold something?,0:1,True\n",
        encoding="utf-8",
    )
    [noun] = read_noun_annotations(path).values()
    assert noun.is_verbal is False
    assert [(role.label, role.spans) for role in noun.roles] == [("R0", ((0, 1),))]


def test_contradictory_nouns_are_left_out_of_both_metrics(files):
    reference = files[0]
    expected = json.loads(evaluate(*files, "--metric", "qanom", "--json"))
    contradictory = reference.read_text().splitlines()[1].replace("a,,1,", "z,,2,", 1)
    with reference.open("a", encoding="utf-8") as file:
        file.write(contradictory.replace("True", "False", 1) + "\n")
    with pytest.raises(CommandError, match="is False, but there is a question"):
        evaluate(*files, "--metric", "qanom")
    figures = json.loads(evaluate(*files, "--metric", "qanom", "--skip-bad-rows", "--json"))
    assert figures.pop("skipped_rows")["items"] == 1
    assert figures == expected


@pytest.mark.parametrize("name", ["verbs.csv", "parser.jsonl"])
def test_files_without_decisions_have_no_qanom_figures(files, tmp_path, name):
    path = tmp_path / name
    path.write_text(
        "qasrl_id,verb_idx,question,answer_range\na,1,Who sold something?,0:2\n"
        if name.endswith("csv")
        else json.dumps({"sentenceId": "a", "sentenceTokens": ["a"], "verbEntries": {}})
    )
    with pytest.raises(CommandError, match=f"{name}: is_verbal: is missing"):
        evaluate(files[0], path, "--metric", "qanom")


def test_questions_without_slots_are_read_with_the_verb_of_the_noun(tmp_path):
    header = "qasrl_id,target_idx,noun,verb_form,is_verbal,question,answer_range\n"
    paths = [tmp_path / "reference.csv", tmp_path / "predicted.csv"]
    for path, question in zip(paths, ("Who sold something?", "Who sells something?"), strict=True):
        path.write_text(f"{header}s,1,sale,sell,True,{question},0:1\n", encoding="utf-8")
    figures = json.loads(evaluate(*paths, "--metric", "qanom", "--json"))
    assert figures["LA"]["tp"] == figures["qanom"]["labelled_arguments"]["tp"] == 1
