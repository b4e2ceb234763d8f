"""`evaluate qasrl-workers`, which reports agreement and figures per worker from a CSV."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

ANNOTATIONS = """\
qasrl_id,verb_idx,verb,worker_id,question,answer_range
s1,1,cut,ann,Who cut something?,0:1
s1,1,cut,ann,What did someone cut?,2:4
s1,1,cut,bob,Who cut something?,0:1
s1,1,cut,bob,Why did someone cut something?,2:4~!~5:6
s2,3,ran,ann,Who ran?,0:2
s2,3,ran,cem,,
s3,1,sat,cem,Who sat?,0:1
s3,1,sat,,Who sat?,0:1
"""
REFERENCE = """\
qasrl_id,verb_idx,verb,worker_id,question,answer_range
s1,1,cut,expert,Who cut something?,0:1
s1,1,cut,expert,What did someone cut?,2:4
s3,1,sat,expert,Where did someone sit?,3:4
"""


@pytest.fixture
def report(tmp_path):
    annotations, reference = tmp_path / "annotations.csv", tmp_path / "reference.csv"
    annotations.write_text(ANNOTATIONS)
    reference.write_text(REFERENCE)

    def run(*options, text=ANNOTATIONS):
        annotations.write_text(text)
        arguments = [str(reference) if option == "REF" else option for option in options]
        output = StringIO()
        call_command("evaluate", "qasrl-workers", str(annotations), *arguments, stdout=output)
        return output.getvalue()

    return run


def counts(figures: dict) -> tuple[int, int, int]:
    return figures["tp"], figures["fp"], figures["fn"]


def test_bad_rows_are_skipped_on_request(report):
    text = ANNOTATIONS.replace("s3,1,sat,,Who sat?,0:1", "s4,1,sat,,Who sat?,0-1")
    with pytest.raises(CommandError, match="leaves out this number of predicates: 2"):
        report(text=text)
    output = report("--skip-bad-rows", text=text)
    assert "1 bad rows were skipped, with 2 predicates:" in output


def test_pairs_agree_in_both_directions(report):
    figures = json.loads(report("--json"))
    assert (figures["workers"], figures["items"]) == (3, 2)
    ann_bob, ann_cem = figures["pairs"]
    assert (ann_bob["first"], ann_bob["second"], ann_bob["items"]) == ("ann", "bob", 1)
    # Bob has one additional answer, which counts once as extra and once as missed.
    assert counts(ann_bob["UA"]) == (4, 1, 1)
    assert counts(ann_bob["LA"]) == (2, 3, 3)
    assert counts(ann_cem["UA"]) == (0, 1, 1)
    assert figures["UA"] == {"f1": 8 / 12, "mean_f1": (8 / 10 + 0) / 2}
    assert figures["LA"] == {"f1": 4 / 12, "mean_f1": (4 / 10 + 0) / 2}


def test_workers_have_a_yield_and_an_agreement(report):
    ann, bob, cem = json.loads(report("--json"))["by_worker"]
    assert ann == {
        "worker": "ann", "items": 2, "roles": 3, "arguments": 3, "roles_per_item": 1.5,
        "agreement": {"items": 2, "UA": 8 / 12, "LA": 4 / 12},
    }  # fmt: skip
    assert (bob["roles"], bob["arguments"], bob["agreement"]["UA"]) == (2, 3, 8 / 10)
    # A predicate without questions counts as annotated.
    assert (cem["items"], cem["roles_per_item"]) == (2, 0.5)


def test_workers_are_scored_on_their_annotated_reference_predicates(report):
    ann, bob, cem = json.loads(report("--reference", "REF", "--json"))["by_worker"]
    scored = [
        (row["reference_items"], counts(row["UA"]), counts(row["LA"])) for row in (ann, bob, cem)
    ]
    assert scored == [
        (1, (2, 0, 0), (2, 0, 0)),
        (1, (2, 1, 0), (1, 2, 1)),
        (1, (0, 1, 1), (0, 1, 1)),
    ]


def test_text_has_a_table_of_pairs_and_of_workers(report):
    lines = report("--reference", "REF").splitlines()
    assert lines[0] == "3 workers, 2 predicates with two or more."
    assert [line.split()[:2] for line in lines if line[:3] in ("ann", "bob", "cem")] == [
        ["ann", "bob"],
        ["ann", "cem"],
        ["ann", "2"],
        ["bob", "1"],
        ["cem", "2"],
    ]


def test_file_without_workers_is_refused(report):
    with pytest.raises(CommandError, match="worker_id: no row has a worker"):
        report(text="qasrl_id,verb_idx,question,answer_range\ns1,1,Who?,0:1\n")
