"""Tests of `import_gold` with valid and invalid input."""

import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from consolidation.domain.gold.import_gold import import_gold
from consolidation.models import Gold
from projects.domain.create_project import create_project

pytestmark = pytest.mark.django_db

HEADER = "qasrl_id,verb_idx,verb,question,answer_range\n"


@pytest.fixture
def project(tmp_path):
    project = create_project(
        slug="corpus", scheme="qasrl", pay_scheme="qasrl-2020", now=timezone.now()
    )
    sentences, items = tmp_path / "s.csv", tmp_path / "i.csv"
    sentences.write_text(
        "qasrl_id,tokens,sentence\na:1,The dog barked at Zoë .,x\na:2,Cats purr .,x\n"
    )
    items.write_text(HEADER + "a:1,2,barked,Who barked?,0:2\na:2,1,purr,What purrs?,0:1\n")
    Import(project=project, options=CorpusOptions(fmt="qasrl-csv", items=[items])).run([sentences])
    return project


def run(tmp_path, rows: str, source: str = "expert"):
    path = tmp_path / "gold.csv"
    path.write_text(HEADER + rows)
    out, err = StringIO(), StringIO()
    call_command(
        "import_gold",
        "corpus",
        str(path),
        format="qasrl-csv",
        source=source,
        json=True,
        stdout=out,
        stderr=err,
    )
    return json.loads(out.getvalue()), err.getvalue()


GOOD = "a:1,2,barked,Who barked?,0:2\na:1,2,barked,Who did someone bark at?,4:5\n"


def test_gold_is_added_once_and_a_change_makes_a_version(project, tmp_path):
    assert run(tmp_path, GOOD)[0] == {
        "added": 1,
        "known": 0,
        "blank": 0,
        "error_count": 0,
        "items_left_out": 0,
        "notes": {},
    }
    assert run(tmp_path, GOOD)[0] == {
        "added": 0,
        "known": 1,
        "blank": 0,
        "error_count": 0,
        "items_left_out": 0,
        "notes": {},
    }
    assert run(tmp_path, GOOD.replace("4:5", "3:5"))[0]["added"] == 1
    assert list(Gold.objects.order_by("version").values_list("source", "version")) == [
        ("expert", 1),
        ("expert", 2),
    ]
    assert run(tmp_path, GOOD, source="imported")[0]["added"] == 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a:1,2,barked,Who barked?,0:9\n", "line 2"),  # past the end of the sentence
        ("a:1,2,barked,Who barked?,3:3\n", "ends before it starts"),
        ("a:1,2,barked,Who barked?,4:2\n", "ends before it starts"),
        ("a:1,2,barked,Who barked?,x:2\n", "not a position"),
        ("a:1,2,barked,Who barked?,\n", "no answer"),
        ("a:1,3,at,Who barked?,0:2\n", "no item 'a:1/3'"),
        ("b:7,1,x,Who barked?,0:2\n", "no item 'b:7/1'"),
        ("a:1,2,barked,Who barked?,0:2~!~1:3\n", "overlap|answer"),
    ],
)
def test_invalid_row_is_reported_and_the_others_imported(project, tmp_path, row, message):
    facts, errors = run(tmp_path, row + "a:2,1,purr,What purrs?,0:1\n")
    assert (facts["added"], facts["error_count"]) == (1, 1)
    assert "gold.csv, line 2" in errors
    assert re.search(message, errors), errors
    assert Gold.objects.get().item.key == "a:2/1"


def test_missing_column_and_unknown_source_are_refused(project, tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("qasrl_id,verb_idx\na:1,2\n")
    with pytest.raises(CommandError, match=r"gold\.csv.*question") as error:
        call_command("import_gold", "corpus", str(path), format="qasrl-csv", source="expert")
    assert error.value.returncode == 2
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("import_gold", "corpus", str(path), "--format=qasrl-csv", "--source=mine")


HEADER_WITH_ANSWERS = "qasrl_id,verb_idx,verb,question,answer_range,answer\n"
FIRST = "a:1,2,barked,Who barked?,0:2,The dog\n"
SECOND = "a:1,2,barked,Who did someone bark at?,4:5,Zoë\n"
PURRS = "a:2,1,purr,What purrs?,0:1,Cats\n"


@pytest.mark.parametrize(
    ("rows", "stored"),
    [
        (FIRST + SECOND + PURRS, {"a:1/2", "a:2/1"}),
        (FIRST + SECOND.replace("a:1", "x:1") + PURRS, {"a:2/1"}),
        (FIRST + SECOND.replace("1,2", "1,3") + PURRS, {"a:2/1"}),
        (SECOND.replace("1,2", "1,3") + FIRST + PURRS, {"a:2/1"}),
        (FIRST + "x:9,7,sang,Who sang?,3:4,It\n" + SECOND + PURRS, {"a:2/1"}),
        (FIRST + SECOND + PURRS + "x:9,7,sang,Who sang?,3:4,It\n", {"a:1/2", "a:2/1"}),
        (FIRST + "a:2,1,barked,Who did someone bark at?,4:5,Zoë\n" + PURRS, set()),
        # The row of another item of a larger file
        (FIRST + SECOND + "b:7,2,barked,Who barked?,0:2,A fox\n" + PURRS, {"a:1/2", "a:2/1"}),
    ],
)
def test_item_that_lost_a_row_to_a_wrong_id_is_left_out(project, tmp_path, rows, stored):
    path = tmp_path / "gold.csv"
    path.write_text(HEADER_WITH_ANSWERS + rows)
    errors = []
    import_gold(
        project=project, paths=[path], fmt="qasrl-csv", source="expert",
        on_error=errors.append, now=timezone.now(),
    )  # fmt: skip
    assert set(Gold.objects.values_list("item__key", flat=True)) == stored
    assert bool(errors) == (rows != FIRST + SECOND + PURRS)


def test_strict_import_with_an_invalid_record_adds_nothing(project, tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text(HEADER + GOOD + "a:9,1,x,Who?,0:1\n")
    with pytest.raises(CommandError, match="no item 'a:9/1' in the project"):
        call_command("import_gold", "corpus", str(path), source="expert", strict=True)
    assert not Gold.objects.exists()
