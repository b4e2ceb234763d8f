"""Agreement of workers with known noise, and of first and second consolidations."""

import csv
import json
import random
from io import StringIO
from itertools import combinations
from xml.etree import ElementTree

import pytest
from django.core.management import call_command

from annotation.models import Item, Submission
from consolidation.domain.cases.open_cases import publish_case
from consolidation.domain.cases.second_consolidation import open_second_cases
from consolidation.domain.gold.current_gold import current_gold
from consolidation.models import Case
from datasets.domain.agreement.agreement import consolidation_agreement, worker_agreement
from datasets.domain.agreement.agreement_chart import draw_agreement
from metrics.bootstrap import bootstrap_counts
from schemes.qasrl.comparison import labelled_spans
from schemes.registry import get_scheme
from tests.consolidation.factories import make_generation, make_item, make_project
from tests.consolidation.gold import consolidate, consolidation_of, make_gold_item
from tests.crowd.factories import NOW, make_worker
from tests.metrics.reference_agreement import both_ways, pairwise_agreement

pytestmark = pytest.mark.django_db

# Answers have five words with space around them. A one-word error at an end leaves an IoU of at
# least 4/6 even if both sides err, so a blurred answer still matches.
WORDS = (
    "a the old town council of b had rejected c the very long proposal here d "
    "after the last summer break e ."
)
TOKENS = WORDS.split()
REFERENCE = {
    "questions": [
        {"question": "Who had rejected something?", "answers": [[1, 6]]},
        {"question": "What had someone rejected?", "answers": [[10, 15]]},
        {"question": "When had someone rejected something?", "answers": [[16, 21]]},
    ]
}
ITEMS, SKILL = 150, 0.8
OTHER_WORDS = {"Who": "What", "What": "Who", "When": "Where"}
UA = get_scheme("qasrl").comparison.figures[0]


def noisy_item(project, number: int, workers) -> Item:
    item = make_item(TOKENS, TOKENS.index("rejected"), project)
    item.position = number
    item.save(update_fields=["position"])
    for at, worker in enumerate(workers):
        make_generation(item, noisy_content(f"{number}:{at}"), worker)
    return item


def noisy_content(seed: str):
    """Return the reference with known noise. See `test_figures_match_known_noise`."""
    rng = random.Random(seed)
    questions = [dict(question) for question in REFERENCE["questions"] if rng.random() < SKILL]
    for question in questions:
        [[start, end]] = question["answers"]
        question["answers"] = [[start, end - (rng.random() > SKILL)]]
        if rng.random() > SKILL:
            first, _, rest = question["question"].partition(" ")
            question["question"] = f"{OTHER_WORDS[first]} {rest}"
    return {"questions": questions, "no_question": "" if questions else "Nothing is asked."}


def test_figures_match_known_noise():
    """UA F1 is s, and LA F1 is s * (s*s + (1-s)*(1-s)).

    Each side keeps a question with probability s. Pairs are s*s and one-sided questions 2*s*(1-s), so
    UA F1 = 2*s*s / (2*s*s + 2*s*(1-s)) = s. Each side labels a question independently, and a wrong
    label is always the same. Labels are equal with probability s*s + (1-s)*(1-s).
    """
    project, workers = make_project(), [make_worker(), make_worker()]
    for number in range(ITEMS):
        noisy_item(project, number, workers)
    report = worker_agreement(project=project)
    ua, la = SKILL, SKILL * (SKILL**2 + (1 - SKILL) ** 2)
    found_ua, found_la = report.figures["UA"], report.figures["LA"]
    assert found_ua.interval.low <= ua <= found_ua.interval.high
    assert found_la.interval.low <= la <= found_la.interval.high
    assert found_ua.value == found_ua.mean == pytest.approx(ua, abs=0.06)
    assert found_la.value == found_la.mean == pytest.approx(la, abs=0.08)
    assert found_ua.interval.high - found_ua.interval.low < 0.15
    assert (report.items, len(report.pairs)) == (ITEMS, 1)
    assert worker_agreement(project=project, limit=20).items == 20


def test_pairs_that_share_an_item_are_compared():
    project, workers = make_project(), [make_worker() for _ in range(3)]
    for number, pair in enumerate(((0, 1), (1, 2), (1, 2))):
        noisy_item(project, number, [workers[at] for at in pair])
    report = worker_agreement(project=project)
    shared = {frozenset((pair.first, pair.second)): pair.items for pair in report.pairs}
    names = [worker.pseudonym for worker in workers]
    assert shared == {frozenset(names[:2]): 1, frozenset(names[1:]): 2}
    assert {tuple(pair.figures) for pair in report.pairs} == {("UA", "LA")}


def test_training_is_left_out_of_agreement():
    project, workers = make_project(), [make_worker(), make_worker()]
    for number in range(3):
        item = noisy_item(project, number, workers)
    item.in_production = False
    item.save(update_fields=["in_production"])
    assert worker_agreement(project=project).items == 2
    assert worker_agreement(project=project, among=project.items.all()).items == 2


def test_agreement_without_pairs_is_undefined():
    report = worker_agreement(project=make_project())
    ua = report.figures["UA"]
    assert (ua.value, ua.mean, ua.interval.low, report.items) == (None, None, None, 0)
    assert ElementTree.fromstring(draw_agreement(report, UA)).tag.endswith("svg")


def test_chart_shows_each_pair_in_both_directions():
    project, workers = make_project(), [make_worker() for _ in range(3)]
    for number, pair in enumerate(((0, 1), (0, 1), (1, 2))):
        noisy_item(project, number, [workers[at] for at in pair])
    report = worker_agreement(project=project)
    drawing = ElementTree.fromstring(draw_agreement(report, UA))
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    for worker in workers:
        assert texts.count(worker.pseudonym) == 2
    numbers = sorted(f"{100 * pair.figures['UA'].value:.0f}" for pair in report.pairs)
    assert sorted(text for text in texts if text.isdigit()) == sorted(2 * numbers)
    second_report = worker_agreement(project=project)
    assert draw_agreement(report, UA) == draw_agreement(second_report, UA)


# --- consolidations


def consolidated_twice(second: dict, *, fresh: bool):
    gold = make_gold_item()
    project = gold.item.project
    if fresh:
        for source in gold.case.sources.all():
            make_generation(
                gold.item,
                {"questions": without_verdicts(source.submission.content), "no_question": ""},
            )
    assert open_second_cases(project=project, count=5, now=NOW) == 1
    assert open_second_cases(project=project, count=5, now=NOW) == 0
    case = Case.objects.get(attempt=1)
    assert publish_case(case_id=case.pk, now=NOW)
    case = Case.objects.select_related("item__sentence", "item__project", "task").get(pk=case.pk)
    order_as_first(gold.case, case)
    consolidate(case, second)
    return gold


def without_verdicts(content: dict) -> list[dict]:
    return [
        {"question": question["question"], "answers": question["answers"]}
        for question in content["questions"]
    ]


def order_as_first(first: Case, second: Case) -> None:
    """Put the second case's sources in the order of the first case's contents."""
    contents = [source.submission.content for source in first.sources.all()]
    rows = list(second.sources.select_related("submission"))
    for offset in (10, 0):
        for row in rows:
            row.position = offset + contents.index(row.submission.content)
            row.save(update_fields=["position"])


def test_second_consolidation_is_compared_but_does_not_become_gold():
    shorter = consolidation_of()
    shorter["questions"][5] |= {"verdict": "invalid", "answers": []}
    gold = consolidated_twice(shorter, fresh=False)
    report = consolidation_agreement(project=gold.item.project, disjoint=False)
    # Four answers are compared with three. Both directions have three pairs.
    ua = report.figures["UA"].total
    assert (ua["tp"], ua["fp"], ua["fn"]) == (6, 1, 1)
    assert ua["f1"] == pytest.approx(6 / 7)
    assert consolidation_agreement(project=gold.item.project, disjoint=True).items == 0
    assert current_gold(gold.item.project, "consolidated").get() == gold


def test_disjoint_teams_share_no_generations():
    gold = consolidated_twice(consolidation_of(), fresh=True)
    report = consolidation_agreement(project=gold.item.project, disjoint=True)
    values = [agreement.value for agreement in report.figures.values()]
    assert (report.items, values) == (1, [1.0, 1.0])


# --- the command


def test_command_prints_json_and_writes_table_and_heat_map(tmp_path):
    project, workers = make_project(), [make_worker(), make_worker()]
    for number in range(4):
        noisy_item(project, number, workers)
    out, second_plot = StringIO(), tmp_path / "again.svg"
    plot, table = tmp_path / "map.svg", tmp_path / "pairs.csv"
    call_command("agreement", project.slug, "--json", "--plot", plot, "--csv", table, stdout=out)
    call_command("agreement", project.slug, "--plot", second_plot, stdout=StringIO())
    facts = json.loads(out.getvalue())
    assert set(facts) == {"workers", "consolidations", "disjoint_teams", "validators"}
    [pair] = facts["workers"]["pairs"]
    assert list(pair) == [
        "first", "second", "items",
        "ua_f1", "ua_low", "ua_high", "la_f1", "la_low", "la_high",
        "ua_tp", "ua_fp", "ua_fn", "la_tp", "la_fp", "la_fn",
    ]  # fmt: skip
    assert list(facts["workers"]) == ["items", "pairs", "UA", "LA"]
    assert set(facts["workers"]["UA"]) == {"f1", "mean_f1", "interval"}
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["first"] for row in rows] == [pair["first"], "all"]
    assert float(rows[0]["ua_f1"]) == pair["ua_f1"] == facts["workers"]["UA"]["f1"]
    texts = {"".join(node.itertext()).strip() for node in ElementTree.parse(plot).iter()}
    assert {pair["first"], pair["second"], f"{100 * pair['ua_f1']:.0f}"} <= texts
    assert plot.read_bytes() == second_plot.read_bytes()


def test_figures_equal_those_of_the_evaluation_library():
    project, workers = make_project(), [make_worker() for _ in range(3)]
    for number, pair in enumerate(((0, 1), (1, 2), (0, 2), (0, 1))):
        noisy_item(project, number, [workers[at] for at in pair])
    annotations: dict = {}
    for row in Submission.objects.order_by("worker__pseudonym", "item").select_related("worker"):
        items = annotations.setdefault(row.worker.pseudonym, {})
        items[row.item_id] = labelled_spans(row.content)
    expected, report = pairwise_agreement(annotations), worker_agreement(project=project)
    assert report.figures["UA"].total == expected.ua.as_json()
    assert report.figures["LA"].total == expected.la.as_json()
    assert report.figures["UA"].mean == expected.mean_ua_f1
    assert report.figures["LA"].mean == expected.mean_la_f1
    assert [(p.first, p.second, p.items, p.figures["LA"].total) for p in report.pairs] == [
        (pair.first, pair.second, pair.items, pair.la.as_json()) for pair in expected.pairs
    ]
    names = sorted(annotations)
    counts = [
        both_ways(annotations[first][item], annotations[second][item]).ua
        for first, second in combinations(names, 2)
        for item in annotations[first]
        if item in annotations[second]
    ]
    interval = bootstrap_counts(counts, repetitions=1000, seed=abs(project.seed))["f1"]
    assert report.figures["UA"].interval == interval
