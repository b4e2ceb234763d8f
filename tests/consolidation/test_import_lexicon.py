"""Tests of the resource import command and of annotation parts missing from a version."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from annotation.domain.corpus.resource_use import count_submissions_by_version, versions_of
from annotation.enums import SubmissionState
from audit.models import StateChange
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.lost_parts import lost_parts
from projects.command import InputError
from projects.domain.resources import import_resource, resources_of
from projects.models import Project
from tests.annotation.factories import make_project as make_qasrl_project
from tests.crowd.factories import NOW
from tests.schemes.frames.lexicon_files import VERBNET, frame_xml, write_folder, write_zip
from tests.schemes.frames.projects import (
    SAMPLE,
    content_of,
    import_sample,
    make_frames_project,
    make_record,
    submit,
    write_lexicon,
)

pytestmark = pytest.mark.django_db
FRAMENET = {"fndata-1.7/frame/Giving.xml": frame_xml("Giving", units=["give.v", "hand over.v"])}
NO_LOSS = {"annotations": 0, "parts_in_all": 0, "parts": []}


@pytest.fixture
def project() -> Project:
    return make_frames_project()


def run(*arguments: object, name: str = "frames") -> str:
    output = StringIO()
    call_command("import_lexicon", name, *map(str, arguments), stdout=output)
    return output.getvalue()


def test_import_reports_version_and_counts(project, tmp_path):
    path = write_zip(tmp_path / "release.zip", FRAMENET)
    assert json.loads(run(path, "--format", "framenet", "--json")) == {
        "project": "frames",
        "resource": "lexicon",
        "version": 1,
        "new": True,
        "counts": {
            "frames": 1,
            "elements": 2,
            "lexical_units": 2,
            "relations": 0,
            "roles": 32,
            "verbs_with_classes": 0,
            "extra_lexical_units": 0,
        },
        "lost": NO_LOSS,
    }
    again = json.loads(run(path, "--format", "framenet", "--json"))
    assert (again["version"], again["new"]) == (1, False)
    assert project.resources.count() == 1
    changes = StateChange.objects.filter(reason="lexicon: version 1")
    assert [(change.aggregate, change.actor) for change in changes] == [
        ("projects.Project", "import_lexicon")
    ]


def test_formats_are_combined(project, tmp_path):
    run(write_zip(tmp_path / "release.zip", FRAMENET), "--format", "framenet")
    run(write_folder(tmp_path / "verbnet", {"give.xml": VERBNET}), "--format", "verbnet")
    units = tmp_path / "units.csv"
    units.write_text("lemma,frame,score\nslip,Giving,0.5\n", "utf-8")
    run(units, "--format", "csv")
    lexicon = resources_of(project)["lexicon"]
    assert list(lexicon["frames"]) == ["Giving"]
    assert sorted(lexicon["verbs"]) == ["lend", "pass on", "sell"]
    assert lexicon["extra_units"] == [["slip", "Giving", 0.5]]
    assert lexicon["name"] == "FrameNet 1.7"
    assert project.resources.count() == 3


def test_changed_option_creates_a_version(project):
    run(SAMPLE, "--format", "json")
    output = run("--with-optional")
    assert output.startswith("Version 2 is current (65 frames, ")
    values = [row.value["core_only"] for row in project.resources.order_by("version")]
    assert values == [True, False]
    assert run("--with-optional").startswith("Nothing changed: Version 2 stays (65 frames")
    run("--core-only")
    assert project.resources.count() == 3


def test_sample_with_an_option_is_one_version(project):
    run(SAMPLE, "--format", "json", "--with-optional")
    assert [row.value["core_only"] for row in project.resources.all()] == [False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/missing.json", "--format", "json"], "missing.json: does not exist"),
        (["{sample}", "--format", "yaml"], "'yaml' is not a format of this resource. Formats: fra"),
        (["{sample}"], "--format is missing. Formats: framenet, verbnet, json, csv, semeval."),
        ([], "name a file or folder, or an option"),
        (["{cut}", "--format", "json"], "cut.json, line 2: is not complete JSON"),
        (["{sample}", "--format", "framenet"], "is neither a folder nor a complete zip file"),
        (["{sample}", "--format", "json", "--resource", "labels"], "no resource 'labels'"),
    ],
)
def test_invalid_input_is_explained_in_one_line_and_changes_nothing(
    project, tmp_path, arguments, message
):
    first = import_sample(project)
    truncated_file = tmp_path / "cut.json"
    truncated_file.write_text('{"frames":\n{"A": {"def', "utf-8")
    paths = {"folder": tmp_path, "sample": SAMPLE, "cut": truncated_file}
    with pytest.raises(InputError) as raised:
        run(*(argument.format(**paths) for argument in arguments))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.returncode == 2
    assert list(project.resources.all()) == [first]


def test_scheme_without_resources_is_refused():
    make_qasrl_project("news")
    with pytest.raises(InputError, match="the scheme of news has no resources"):
        run(SAMPLE, "--format", "json", name="news")


def test_help_shows_an_example(capsys):
    with pytest.raises(SystemExit):
        call_command("import_lexicon", "--help")
    assert "import_lexicon news release.zip --format framenet" in capsys.readouterr().out


def test_lost_parts_of_gold_and_live_submissions_are_listed(project, tmp_path):
    import_sample(project)
    first, second, third = (make_record(project) for _ in range(3))
    submit(first)
    submit(first, content_of("Giving", element="Donor"))
    submit(second, state=SubmissionState.SUBMITTED)
    submit(second, state=SubmissionState.REJECTED)
    submit(second, {"refused": {"frame": "?"}}, state=SubmissionState.SUBMITTED)
    old, new = content_of(), content_of("Giving", element="Donor")
    for content in (old, new):
        add_gold(item=third, source="expert", content=content, provenance=[{}], now=NOW)
    path = write_lexicon(tmp_path, ["Giving", "Getting"])
    assert json.loads(run(path, "--format", "json", "--json"))["lost"] == {
        "annotations": 2,
        "parts_in_all": 1,
        "parts": [
            {
                "text": "The frame Commerce_sell does not exist.",
                "annotations": 2,
                "items": ["s1/3", "s2/3"],
            }
        ],
    }
    text = run(path, "--format", "json")
    assert "2 annotations use what this version lacks:\n  The frame Commerce_sell" in text


def test_list_of_lost_parts_is_limited(project, tmp_path):
    import_sample(project)
    item = make_record(project)
    for number in range(60):
        submit(item, content_of(f"Frame_{number}"))
    lost = lost_parts(project=project, name="lexicon")
    assert (lost.annotations, lost.parts_in_all, len(lost.parts)) == (60, 60, 50)
    assert "And 10 further parts." in run(SAMPLE, "--format", "json")


def test_submissions_are_counted_by_the_version_of_their_time(project, tmp_path):
    hours = [NOW + timedelta(hours=at) for at in range(5)]
    import_sample(project, now=hours[1])
    path = write_lexicon(tmp_path, ["Commerce_sell"])
    import_sample(project, path=path, now=hours[3])

    item = make_record(project)
    for at in range(5):
        submit(item, now=hours[at])
    submit(item, now=hours[2], state=SubmissionState.REJECTED)
    versions = versions_of(project=project, name="lexicon")
    counts = count_submissions_by_version(project=project, versions=versions)
    assert counts == {2: 2, 1: 2}
    assert count_submissions_by_version(project=project, versions=[]) == {}


def test_value_of_an_older_version_is_unchanged(project, tmp_path):
    first = import_sample(project)
    imported = import_resource(
        project=project,
        name="lexicon",
        path=write_lexicon(tmp_path, ["Giving"]),
        fmt="json",
        switches={"core_only": False},
        actor="rita",
        now=NOW + timedelta(hours=1),
    )
    first.refresh_from_db()
    assert len(first.value["frames"]) == 65
    assert list(imported.resource.value["frames"]) == ["Giving"]
    assert resources_of(project)["lexicon"] == imported.resource.value
