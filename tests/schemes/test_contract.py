"""Rules that every scheme follows, checked for registered schemes and the scheme of the tests."""

import json
import re
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.contract.scheme import Scheme
from schemes.contract.values import Image
from schemes.figures import Figure
from schemes.registry import SCHEMES
from schemes.simulated_person import Person
from tests.environment import ROOT
from tests.schemes.custom.definitions import contract_scheme
from tests.schemes.labels.scheme import SCHEME as LABELS

# A declared scheme has as many shapes as definitions. One of them has all types of fields.
ALL = [*SCHEMES.values(), LABELS, contract_scheme()]
TOKENS = "The rebels carried the old radio out of the village on Sunday .".split()  # noqa: SIM905
every_scheme = pytest.mark.parametrize("scheme", ALL, ids=lambda scheme: scheme.name)
garbage = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3)
    ),
    max_leaves=6,
)


def context_of(scheme: Scheme) -> ItemContext:
    image = Image("village.png", 640, 480) if scheme.corpus.needs_images else None
    sentence = ItemContext(TOKENS, image=image)
    item = scheme.corpus.find_items("s:1:2", sentence)[0]
    return replace(sentence, target=scheme.corpus.complete_item(item, sentence).target)


def content_of(scheme: Scheme, skill: float = 1.0, seed: str = "1"):
    context = context_of(scheme)
    simulation = scheme.get_simulation()
    reference = scheme.content.parse_gold(simulation.invent(context), context)
    generated = simulation.generate(reference, context, Person(skill), seed)
    return scheme.content.parse_generation(generated, context)


@every_scheme
@pytest.mark.parametrize("skill", [0.0, 0.5, 1.0])
def test_invented_references_can_be_annotated(scheme, skill):
    """Rehearsals pass them to simulated workers as they are."""
    context, simulation = context_of(scheme), scheme.get_simulation()
    reference = simulation.invent(context)
    for seed in range(20):
        generated = simulation.generate(reference, context, Person(skill), str(seed))
        scheme.content.parse_generation(generated, context)
        if simulation.consolidate:
            sources = [scheme.content.parse_generation(generated, context)]
            merged = simulation.consolidate(sources, context, Person(skill), str(seed))
            scheme.get_merging().parse(merged, context, sources)


@every_scheme
def test_everything_is_kept_of_gold_and_never_more_than_is_paid(scheme):
    count, kept = scheme.content.count_units, scheme.comparison.count_kept
    contents = [content_of(scheme, skill, str(seed)) for skill in (0.2, 1.0) for seed in range(10)]
    for reference in contents:
        assert kept(reference, reference) == count(reference, "generator")
        for content in contents:
            assert 0 <= kept(reference, content) <= count(content, "generator")


def is_undefined(value: float | None, figure: Figure, scheme: Scheme) -> bool:
    """Return True if the figure may be undefined and is None. The main figure is always defined.

    Kappa is undefined for a single label, and accuracy on matched parts if nothing matches.
    """
    return value is None and figure is not scheme.comparison.figures[0]


@every_scheme
def test_names_and_texts_are_complete(scheme):
    assert SCHEMES.get(scheme.name, LABELS).name == scheme.name
    assert scheme.vocabulary.unit.count(1).startswith("1 ")
    assert {"generator"} <= set(scheme.vocabulary.tasks)
    assert scheme.comparison.figures
    assert all(rule.startswith(f"{scheme.name}.") for rule in scheme.rules.values())


@every_scheme
def test_parsed_content_is_unchanged_json(scheme):
    context, content = context_of(scheme), content_of(scheme)
    assert json.loads(json.dumps(content)) == content
    assert scheme.content.parse_generation(content, context) == content
    assert scheme.content.count_units(content, "generator") >= 1
    assert set(scheme.content.count(content)) == {total.key for total in scheme.content.totals}


@every_scheme
@given(content=garbage)
def test_garbage_is_refused_with_a_path(scheme, content):
    context, paths = context_of(scheme), []
    for parse in (scheme.content.parse_generation, scheme.content.parse_gold):
        try:
            parsed = parse(content, context)
        except ContentError as error:
            paths.append(error.path)
        else:
            assert parse(parsed, context) == parsed
    assert all(isinstance(path, str) for path in paths)
    assert scheme.views.units(content, context) is None or isinstance(content, dict)


@every_scheme
@given(skill=st.floats(0, 1), seed=st.integers(0, 50))
def test_figures_are_in_their_range_and_best_for_the_reference(scheme, skill, seed):
    context, reference = context_of(scheme), content_of(scheme)
    predicted = content_of(scheme, skill, str(seed))
    compared = scheme.comparison.compare(reference, predicted, context)
    assert compared.measures == scheme.comparison.measure(reference, predicted, context.target)
    assert {row.state for row in compared.rows} <= set(scheme.comparison.states)
    for figure in scheme.comparison.figures:
        value = figure.value([compared.measures[figure.key]])
        perfect = scheme.comparison.measure(reference, reference, context.target)
        best = figure.value([perfect[figure.key]])
        assert value is None or figure.unit != "%" or 0 <= value <= 1
        assert best == (1.0 if figure.higher_is_better else 0.0) or is_undefined(
            best, figure, scheme
        )
        assert figure.value([]) is None
        assert set(figure.total([compared.measures[figure.key]])) == set(figure.columns)


@every_scheme
def test_item_without_an_annotation_can_be_compared(scheme):
    reference = content_of(scheme)
    compared = scheme.comparison.compare(reference, scheme.content.empty, context_of(scheme))
    for figure in scheme.comparison.figures:
        value = figure.value([compared.measures[figure.key]])
        worst = 0.0 if figure.higher_is_better else 1.0
        assert value == worst or is_undefined(value, figure, scheme)


@every_scheme
def test_consolidation_keeps_all_kept_parts(scheme):
    merging, context = scheme.get_merging(), context_of(scheme)
    source = merging.as_source(content_of(scheme))
    consolidation = merging.parse(merging.keep_all(source), context, [source])
    gold, origins = merging.gold_of(consolidation, [source])
    assert scheme.content.parse_gold(gold, context) == gold
    assert {origin["state"] for origin in origins} == {"kept"}
    trace = merging.trace(consolidation, [source])
    assert [set(outcome) for outcome in trace.outcomes] == [{key for key, _ in merging.outcomes}]
    assert {unit.state for unit in merging.judged(consolidation, [source], context)} == {"kept"}
    assert {unit.state for unit in merging.judged(None, [source], context)} == {""}


@every_scheme
def test_agreeing_validators_keep_everything(scheme):
    validating, simulation, context = scheme.get_validating(), scheme.simulation, context_of(scheme)
    source = scheme.get_merging().as_source(content_of(scheme))
    answers = [
        validating.parse(
            simulation.validate([source], context, Person(1.0), seed), context, [source]
        )
        for seed in "ab"
    ]
    gold, _ = validating.gold_of([source], answers, 2)
    figures = scheme.comparison.figures
    measures = scheme.comparison.measure(source, gold, context.target)
    values = [figure.value([measures[figure.key]]) for figure in figures]
    assert values[0] == 1.0
    assert set(values) <= {1.0, None}
    equal, verdicts = validating.same_verdicts(*answers)
    assert equal == verdicts > 0
    assert not validating.is_empty([source])


@every_scheme
def test_exports_are_read_back_unchanged(scheme, tmp_path):
    if scheme.exports is None:
        pytest.skip("the scheme has no export formats")
    context = context_of(scheme)
    merging = scheme.get_merging()
    source = merging.as_source(content_of(scheme))
    consolidation = merging.parse(merging.keep_all(source), context, [source])
    content, origins = merging.gold_of(consolidation, [source])
    ids = {"worker_id": "w", "assign_id": "a", "source_assign_id": "g"}
    origins = [ids for _ in origins]
    row = ExportRow("s:1:2", tuple(TOKENS), context.target, content, origins, image=context.image)
    for fmt, suffix in scheme.exports.formats.items():
        if scheme.exports.left_out(content, fmt):
            continue
        path = tmp_path / f"gold.{suffix}"
        scheme.exports.write([row], path, fmt)
        assert_reads_back(scheme, fmt, [path], content)
    for fmt, files in scheme.exports.file_sets.items():
        paths = {ending: tmp_path / f"gold.{ending}" for ending in files.endings}
        counts = files.write([row], paths)
        assert set(counts) == set(files.endings)
        written = [path for path in paths.values() if path.suffix != ".conllu"]
        assert_reads_back(scheme, fmt, written, content)


def assert_reads_back(scheme, fmt, paths, content):
    if fmt not in scheme.corpus.gold_formats:
        return
    (record,) = scheme.corpus.read_gold(paths, fmt, _refuse)
    assert record.item.external_id == "s:1:2"
    assert scheme.content.parse_gold(record.content, context_of(scheme)) == content


@every_scheme
def test_every_item_has_a_headline_and_a_position(scheme):
    context = context_of(scheme)
    assert scheme.corpus.headline(context)
    assert isinstance(scheme.corpus.order(context.target), int)
    assert all(0 <= at < len(TOKENS) for at in scheme.views.marked(context.target))


def _refuse(error):
    raise error


def test_guide_for_developers_lists_every_part():
    guide = (ROOT / "docs/development/adding-a-scheme.md").read_text()
    parts = {field.name for field in fields(Scheme)} - {"name", "title", "summary"}
    assert set(re.findall(r"^\| `(\w+)` \|", guide, re.M)) == parts
