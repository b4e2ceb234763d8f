"""Tutorials of all schemes, which are complete, valid and short enough for small windows."""

import json

import pytest

from schemes.registry import SCHEMES, get_scheme

TUTORIALS = [
    (scheme, role)
    for scheme in ("frames", "grounding", "qasrl")
    for role in ("consolidator", "generator", "validator")
]


def test_every_scheme_has_a_tutorial_for_each_role():
    tutorials = [(name, role) for name in SCHEMES for role in SCHEMES[name].tutorials]
    assert sorted(tutorials) == TUTORIALS


@pytest.mark.parametrize(("name", "role"), TUTORIALS)
def test_tutorial_has_five_short_steps_and_ends_with_text(name, role):
    steps = get_scheme(name).tutorials[role]().steps
    assert len(steps) == 5
    assert all(steps[at].goals for at in range(3))
    assert not steps[-1].goals
    assert max(len(step.text) for step in steps) <= 230


@pytest.mark.parametrize(("name", "role"), TUTORIALS)
def test_example_is_valid_for_its_scheme(name, role):
    scheme = get_scheme(name)
    tutorial = scheme.tutorials[role]()
    data = [scheme.pages.item(tutorial.context)]
    sources = list(tutorial.sources)
    if role == "consolidator":
        data.append(scheme.get_merging().lay_out(sources, tutorial.context))
    if role == "validator":
        data.append(scheme.get_validating().asked(sources))
    assert json.loads(json.dumps(data)) == data


@pytest.mark.parametrize(("name", "role"), TUTORIALS)
def test_example_is_shown_as_written(name, role):
    context = get_scheme(name).tutorials[role]().context
    assert context.span_text(0, len(context.tokens)) == context.text
    assert " ." not in context.text
