"""Verification, with its parsing, disputes and gold."""

import copy

import pytest

from schemes.base import ContentError, ItemContext
from schemes.frames.verifying import VALIDATING, verification_remark

TOKENS = tuple("The fund sold three old bonds to a bank .".split())  # noqa: SIM905
CONTEXT = ItemContext(TOKENS, {"verb": [2], "lemma": "sell"})
RECORD = {
    "skip": "",
    "verb": [2],
    "lemma": "sell",
    "frame": "Commerce_sell",
    "arguments": [
        {"head": [1], "filler": "fund", "element": "Seller", "role": "Agent"},
        {"head": [5], "filler": "bond", "element": "Goods", "role": "Theme"},
    ],
    "confidence": 4,
}
YES = {"verdict": "verified", "reason": "", "proposal": ""}
MISSING = {"head": [8], "element": "Buyer", "role": "Recipient"}


def no(proposal="", reason="This is wrong."):
    return {"verdict": "disputed", "reason": reason, "proposal": proposal}


def verification(**changes):
    """Return content that verifies everything, with changes by path such as `a1_role`."""
    content = {
        "frame": YES,
        "arguments": [{"head": YES, "element": YES, "role": YES} for _ in range(2)],
        "missing": [],
    }
    content = copy.deepcopy(content)
    for path, value in changes.items():
        if path[:2] in ("a0", "a1"):
            at, _, part = path[1:].partition("_")
            content["arguments"][int(at)][part] = value
        else:
            content[path] = value
    return content


def parse(**changes):
    return VALIDATING.parse(verification(**changes), CONTEXT, [RECORD])


def test_verifiers_do_not_see_the_confidence():
    assert VALIDATING.asked([RECORD]) == {**RECORD, "confidence": None}


def test_parsed_content_is_unchanged():
    parsed = parse(frame=no("Giving"), missing=[MISSING])
    assert VALIDATING.parse(parsed, CONTEXT, [RECORD]) == parsed
    assert parsed["record"]["frame"] == "Giving"
    assert [argument["filler"] for argument in parsed["record"]["arguments"]] == [
        "fund",
        "bond",
        "bank",
    ]
    assert "Disputed: frame (This is wrong.); 1 missing arguments" in verification_remark(parsed)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"frame": no(reason="  ")}, "frame.reason"),
        ({"a0_role": None}, "arguments[0].role"),
        ({"a0_head": no([99])}, "arguments[0].head.proposal"),
        ({"a0_element": no([1])}, "arguments[0].element.proposal"),
        ({"arguments": []}, "arguments"),
        ({"missing": [{**MISSING, "head": [1]}]}, "missing[0].head"),
        ({"missing": [{**MISSING, "head": [99]}]}, "missing[0].head"),
        ({"missing": [{**MISSING, "element": "", "role": ""}]}, "missing[0]"),
        ({"frame": no("x" * 201)}, "frame.proposal"),
        ({"frame": no(reason="x" * 100_000)}, "frame.reason"),
    ],
)
def test_invalid_verifications_are_refused_with_a_path(changes, path):
    with pytest.raises(ContentError) as excinfo:
        parse(**changes)
    assert excinfo.value.path.startswith(path)


def test_enough_verifications_leave_no_disputes():
    agreeing = [parse(), parse(), parse(frame=no())]
    assert VALIDATING.disputes([RECORD], agreeing, 2) == {}
    gold, provenance = VALIDATING.gold_of([RECORD], agreeing, 2)
    assert gold == RECORD
    assert [origin["state"] for origin in provenance] == ["kept", "kept"]


def test_disputes_are_reported_by_part():
    verifications = [parse(), parse(frame=no("Giving"), a1_role=no("Patient"), missing=[MISSING])]
    disputes = VALIDATING.disputes([RECORD], verifications, 2)
    assert disputes["frame"] == [{"reason": "This is wrong.", "proposal": "Giving"}]
    assert disputes["arguments"] == [
        {"argument": 1, "part": "role", "reason": "This is wrong.", "proposal": "Patient"}
    ]
    assert [argument["head"] for argument in disputes["missing"]] == [[8]]


def test_disputed_head_needs_no_further_judgments():
    verifications = [parse(), parse(a0_head=no([1, 2]), a0_element=None, a0_role=None)]
    disputes = VALIDATING.disputes([RECORD], verifications, 2)
    assert [argument["part"] for argument in disputes["arguments"]] == ["head"]
    gold, _ = VALIDATING.gold_of([RECORD], verifications, 2)
    assert [argument["head"] for argument in gold["arguments"]] == [[5]]


def test_gold_without_a_supported_frame_has_only_roles():
    verifications = [parse(), parse(frame=no())]
    gold, provenance = VALIDATING.gold_of([RECORD], verifications, 2)
    assert gold["frame"] == ""
    assert [(argument["element"], argument["role"]) for argument in gold["arguments"]] == [
        ("", "Agent"),
        ("", "Theme"),
    ]
    assert [origin["state"] for origin in provenance] == ["edited", "edited"]


def test_skipped_record_needs_no_verification():
    skipped = {**RECORD, "skip": "no-frame", "frame": "", "arguments": []}
    assert VALIDATING.is_empty([skipped])
    assert not VALIDATING.is_empty([RECORD])
    assert VALIDATING.gold_of([skipped], [], 2) == (skipped, [])


def test_verdicts_are_compared_if_both_judged():
    first, second = parse(), parse(a0_head=no(), a0_element=None, a0_role=None)
    assert VALIDATING.verdicts(first) == (7, 7)
    assert VALIDATING.verdicts(second) == (4, 5)
    assert VALIDATING.same_verdicts(first, second) == (4, 5)
