"""Imported published gold, whose figures on the page Quality equal those of `evaluate`."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from tests.schemes.qasrl.published_data import EXPERT, GOLD, SENTENCES, needs_published_data

pytestmark = [pytest.mark.django_db, needs_published_data]


def run(*command) -> dict:
    output = StringIO()
    call_command(*map(str, command), "--json", stdout=output, stderr=StringIO())
    return json.loads(output.getvalue())


CONTRADICTED = "behind World Championship hosts and Paralympic gold medalists Finland"


def test_figures_of_imported_gold_equal_those_of_the_files(tmp_path):
    """An answer of the expert's file contradicts its range, which the import would refuse."""
    expert = tmp_path / EXPERT.name
    text = EXPERT.read_text("utf-8-sig")
    assert text.count(CONTRADICTED) == 1
    expert.write_text(text.replace(CONTRADICTED, CONTRADICTED.removeprefix("behind ") + " ."))
    run("create_project", "wikinews", "--scheme", "qasrl")
    run("import_corpus", "wikinews", SENTENCES, "--format", "qasrl-csv", "--items", GOLD)
    for path, source in ((GOLD, "imported"), (expert, "expert")):
        run("import_gold", "wikinews", path, "--format", "qasrl-csv", "--source", source)
    quality = run("quality", "wikinews", "--source", "imported", "--against", "expert")
    evaluated = run("evaluate", "qasrl", EXPERT, GOLD)
    row = quality["rows"][0]
    assert (row["reference"], row["matching"], row["items"]) == ("expert", "automatic", 49)
    assert {name: row[name] for name in ("UA", "LA")} == {
        name: evaluated[name] for name in ("UA", "LA")
    }
    assert [row["LA"][count] for count in ("tp", "fp", "fn")] == [134, 33, 43]
