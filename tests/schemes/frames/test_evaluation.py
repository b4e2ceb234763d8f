from pathlib import Path

import pytest

from schemes.contract.errors import FileError
from schemes.frames.confidences import read_confidences
from schemes.frames.evaluation import (
    Completion,
    cluster_rows,
    evaluate_baseline,
    evaluate_completed,
    evaluate_files,
)
from schemes.frames.items import Baseline, BaselineError, ItemKey, Task

GOLD = """\
#1 2 sell.Sell fund-:-1-:-Seller bond-:-3-:-Goods
#2 2_3 buy_back.Buy it-:-1-:-Buyer share-:-4_5-:-Goods
#3 2 purchase.Buy it-:-1-:-Buyer
"""
SYSTEM = """\
#3 2 purchase.2 it-:-1-:-x
#1 2 sell.1 bond-:-3-:-y fund-:-1-:-x
#2 2_3 buy_back.1 share-:-4_5-:-y it-:-1-:-x
"""
RELATIONS = """\
#1 2 sell.unkn fund-:-1-:-nsubj bond-:-3-:-obj
#2 2_3 buy_back.unkn it-:-1-:-nsubj share-:-4_5-:-obj year-:-9-:-obl
#3 2 purchase.unkn it-:-1-:-nsubj
"""


@pytest.fixture
def file(tmp_path):
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def gold(file):
    return file("gold.txt", GOLD)


def _labels(evaluation):
    return list(zip(evaluation.gold, evaluation.system, strict=True))


def test_tasks_have_their_items_and_labels_in_any_order(gold, file):
    system = file("system.txt", SYSTEM)
    assert _labels(evaluate_files(gold, system, task=Task.FRAMES)) == [
        ("Sell", "1"),
        ("Buy", "1"),
        ("Buy", "2"),
    ]
    assert _labels(evaluate_files(gold, system, task=Task.FRAME_ROLES)) == [
        (("Sell", "Seller"), ("1", "x")),
        (("Sell", "Goods"), ("1", "y")),
        (("Buy", "Buyer"), ("1", "x")),
        (("Buy", "Goods"), ("1", "y")),
        (("Buy", "Buyer"), ("2", "x")),
    ]
    assert _labels(evaluate_files(gold, system, task=Task.GENERIC_ROLES)) == [
        ("Seller", "x"),
        ("Goods", "y"),
        ("Buyer", "x"),
        ("Goods", "y"),
        ("Buyer", "x"),
    ]


def test_figures_follow_the_contract(gold, file):
    system = file("system.txt", SYSTEM)
    assert evaluate_files(gold, system, task=Task.GENERIC_ROLES).figures() == {
        "items": 5,
        "gold_clusters": 3,
        "system_clusters": 2,
        "purity": 0.8,
        "inverse_purity": 1.0,
        "purity_f": 8 / 9,
        "bcubed_precision": 11 / 15,
        "bcubed_recall": 1.0,
        "bcubed_f": 11 / 13,
    }


def test_labels_are_case_sensitive_and_pairs_do_not_merge(file):
    gold = file("g", "#1 2 a.Co x-:-1-:-Agent-X\n#2 2 a.Co-Agent x-:-1-:-X\n#3 2 a.co x-:-1-:-X\n")
    evaluation = evaluate_files(gold, gold, task=Task.FRAME_ROLES)
    assert evaluation.figures()["gold_clusters"] == 3


@pytest.mark.parametrize(
    ("change", "task", "complaint"),
    [
        (
            ("#3 2 purchase.2 it-:-1-:-x\n", ""),
            "A",
            "system.txt: #3 2 is missing (gold.txt, line 3)",
        ),
        (
            ("#3 2 pur", "#4 2 pur"),
            "A",
            "system.txt, line 1: #4 2 is not in gold.txt; 1 are missing",
        ),
        (("#3 2 pur", "#3 5 pur"), "A", "system.txt, line 1: #3 5 is not in gold.txt"),
        (
            ("bond-:-3", "bond-:-4"),
            "B.1",
            "system.txt, line 2: #1 2, argument at 4 is not in gold.txt",
        ),
        (
            ("bond-:-3-:-y ", ""),
            "B.2",
            "system.txt: #1 2, argument at 3 is missing (gold.txt, line 1)",
        ),
        (("it-:-1-:-x\n#1", "it-:-1-:-x\n#3 2 p.1\n#1"), "A", "line 2: the verb #3 2 is repeated"),
        (("fund-:-1-:-x", "fund-:-1-:-x it-:-1-:-y"), "A", "line 2: argument: the argument at"),
    ],
)
def test_files_with_different_items_are_refused(gold, file, change, task, complaint):
    system = file("system.txt", SYSTEM.replace(*change))
    with pytest.raises(FileError) as excinfo:
        evaluate_files(gold, system, task=Task(task))
    assert complaint in str(excinfo.value)


def test_number_of_different_items_is_reported(gold, file):
    shifted = SYSTEM.replace("#3 2", "#4 2").replace("#1 2", "#5 2")
    with pytest.raises(FileError) as excinfo:
        evaluate_files(gold, file("system.txt", shifted), task=Task.FRAMES)
    assert str(excinfo.value) == (
        "system.txt, line 1: #4 2 is not in gold.txt; 1 more like it; 2 are missing, first #1 2."
    )


def test_file_without_items_of_the_task_is_refused(file):
    verbs = file("verbs.txt", "#1 2 go.F\n")
    assert evaluate_files(verbs, verbs, task=Task.FRAMES).figures()["items"] == 1
    with pytest.raises(FileError, match=r"verbs\.txt: contains no argument"):
        evaluate_files(verbs, verbs, task=Task.GENERIC_ROLES)


@pytest.mark.parametrize(
    ("baseline", "task", "labels"),
    [
        ("1CPI", "A", [0, 1, 2]),
        ("AIN1", "A", [0, 0, 0]),
        ("1CPH", "A", ["sell", "buy_back", "purchase"]),
        ("1CPH", "B.1", ["sell", "sell", "buy_back", "buy_back", "purchase"]),
        ("1CPG", "B.2", ["nsubj", "obj", "nsubj", "obj", "nsubj"]),
        (
            "1CPHG",
            "B.1",
            [
                ("sell", "nsubj"),
                ("sell", "obj"),
                ("buy_back", "nsubj"),
                ("buy_back", "obj"),
                ("purchase", "nsubj"),
            ],
        ),
    ],
)
def test_baselines_cluster_as_named(gold, file, baseline, task, labels):
    evaluation = evaluate_baseline(
        gold, Baseline(baseline), task=Task(task), relations_path=file("stx.txt", RELATIONS)
    )
    assert evaluation.system == labels


def test_random_baseline_has_as_many_labels_as_gold_clusters(file):
    gold = file("g", "".join(f"#{at} 2 go.F{at % 4}\n" for at in range(400)))
    first = evaluate_baseline(gold, Baseline.RANDOM, task=Task.FRAMES, seed=3)
    assert set(first.system) == {0, 1, 2, 3}
    second = evaluate_baseline(gold, Baseline.RANDOM, task=Task.FRAMES, seed=3)
    other = evaluate_baseline(gold, Baseline.RANDOM, task=Task.FRAMES, seed=4)
    assert first.system == second.system != other.system


def test_relation_baselines_explain_missing_relations(gold, file):
    with pytest.raises(BaselineError, match="needs grammatical relations"):
        evaluate_baseline(gold, Baseline.PER_RELATION, task=Task.GENERIC_ROLES)
    stx = file("stx.txt", RELATIONS.replace("bond-:-3-:-obj", ""))
    with pytest.raises(BaselineError, match=r"--task B\.1 or B\.2"):
        evaluate_baseline(gold, Baseline.PER_RELATION, task=Task.FRAMES, relations_path=stx)
    with pytest.raises(FileError, match=r"stx\.txt: #1 2, argument at 3 is missing"):
        evaluate_baseline(gold, Baseline.PER_RELATION, task=Task.GENERIC_ROLES, relations_path=stx)


def test_rows_list_items_cells_and_clusters(gold, file):
    evaluation = evaluate_files(gold, file("system.txt", SYSTEM), task=Task.FRAME_ROLES)
    rows = list(evaluation.item_rows())
    assert rows[0] == ("#1", "2", "1", "Sell Seller", "1 x", 0.5, 1.0)
    assert rows[3][:5] == ("#2", "2_3", "4_5", "Buy Goods", "1 y")
    assert next(evaluation.alignment_rows()) == ("Sell Seller", "1 x", 1, 1, 2)
    assert {row[0]: row[1] for row in cluster_rows([evaluation])} == {
        "Sell Seller": 1,
        "Sell Goods": 1,
        "Buy Buyer": 2,
        "Buy Goods": 1,
    }


def test_partial_system_is_completed_with_a_baseline_and_the_counts_are_reported(gold, file):
    partial = file("partial.txt", "#1 2 sell.buy_back\n#9 2 sell.1\n")
    evaluation = evaluate_completed(gold, partial, Baseline.PER_HEAD, task=Task.FRAMES)
    assert evaluation.completion == Completion("1CPH", answered=1, completed=2, extra=1)
    # The system's cluster "buy_back" is not a cluster of the baseline.
    assert evaluation.system == ["buy_back", ("1CPH", "buy_back"), ("1CPH", "purchase")]
    assert evaluation.figures()["completion"]["completed"] == 2
    assert evaluation.figures()["system_clusters"] == 3


def test_baseline_does_not_change_the_scores_of_a_complete_system(gold, file):
    system = file("system.txt", SYSTEM)
    for task in Task:
        completed = evaluate_completed(gold, system, Baseline.ALL_IN_ONE, task=task)
        assert completed.scores == evaluate_files(gold, system, task=task).scores
        assert completed.completion.completed == completed.completion.extra == 0


def test_baseline_without_its_relations_is_refused(gold, file):
    partial = file("partial.txt", "#1 2 sell.1 fund-:-1-:-x\n")
    with pytest.raises(BaselineError, match="needs grammatical relations"):
        evaluate_completed(gold, partial, Baseline.PER_RELATION, task=Task.GENERIC_ROLES)


def test_clusters_of_several_systems_are_listed_side_by_side(gold, file):
    first = evaluate_files(gold, file("system.txt", SYSTEM), task=Task.FRAMES)
    second = evaluate_files(gold, gold, task=Task.FRAMES)
    (sell, buy) = sorted(cluster_rows([first, second]), key=lambda row: row[0], reverse=True)
    assert sell[:2] == ("Sell", 1)
    assert buy[:2] == ("Buy", 2)
    assert (sell[3], buy[3]) == (0.0, 0.0)  # a perfect system has the same score for every cluster
    alone = {row[0]: row[2] for row in cluster_rows([first])}
    assert (sell[2], buy[2]) == (alone["Sell"], alone["Buy"])


def test_confidence_is_that_of_the_verb_and_must_be_known(gold, file):
    evaluation = evaluate_files(gold, file("system.txt", SYSTEM), task=Task.GENERIC_ROLES)
    path = file("sure.txt", "#1 2 3\n\n#2 2_3 5\n#3 2 5\n")
    confidences = read_confidences(path, evaluation.keys)
    assert confidences[ItemKey("#2", (2, 3))] == 5
    strata = evaluation.by_confidence(confidences)
    assert [(level, *(scores.items for scores in strata[level])) for level in strata] == [
        (3, 2, 5),
        (5, 3, 3),
    ]
    for text, complaint in (
        ("#1 2 3\n#2 2_3 5\n", "#3 2, argument at 1 has no confidence"),
        ("#1 2 3\n#1 2 4\n", "sure.txt, line 2: #1 2 is repeated"),
        ("#1 2 high\n", "sure.txt, line 1: is not a sentence id"),
    ):
        with pytest.raises(FileError, match=complaint):
            read_confidences(file("sure.txt", text), evaluation.keys)
