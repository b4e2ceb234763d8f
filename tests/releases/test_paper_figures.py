"""Figures for a paper: their numbers are those of the tables, as SVG and as PDF."""

import json
import re
import zipfile
from xml.etree import ElementTree

import pytest

from releases.domain.paper_figures import (
    LABEL,
    MAX_BARS,
    WIDTH,
    draw_figure,
    figure_files,
    paper_figures,
)
from releases.domain.paper_tables import Number, PaperTable, numbers_json, paper_tables
from releases.domain.released import Released
from tests.dashboard.campaign import Campaign, make_project
from tests.releases.projects import SCHEME_NAMES, archive_in, make_release, make_sample_project
from tests.web.test_drawing import SVG, info_of, texts_of
from web.drawing import text_width

TRAINING = PaperTable(
    key="training",
    caption="Workers in training rounds",
    columns=["Round", "Invited", "Began", "Finished", "Passed", "Cost"],
    rows=[
        ["Screening", *(Number(n, str(n)) for n in (40, 32, 30, 21)), Number(900, "$9.00")],
        ["Training", *(Number(n, str(n)) for n in (21, 20, 19, 12)), Number(950, "$9.50")],
    ],
    origin="page Training",
)
PEOPLE = PaperTable(
    key="people",
    caption="Workers and accepted annotations",
    columns=["Role", "Workers", "Annotations"],
    rows=[["generator", Number(12, "12"), Number(300, "300")]],
    origin="manage.py export_submissions",
)


def share(value: float | None) -> Number:
    return Number(value, "–" if value is None else f"{100 * value:.1f} %", "%")


def quality(*rows) -> PaperTable:
    return PaperTable("quality", "Agreement", ["Figure", "Value", "Low", "High"], rows, "page")


@pytest.fixture
def campaign(db, job_files) -> Released:
    """Release the gold of workers, with agreement and pay."""
    project = make_project()
    Campaign(project, 12)
    return Released(make_release(project, source=""))


def rectangles(svg: bytes) -> list[float]:
    """Return the widths of the bars."""
    return [float(bar.get("width")) for bar in ElementTree.fromstring(svg).iter(f"{SVG}rect")]


def test_funnel_goes_from_invited_workers_to_annotators():
    [figure] = paper_figures([TRAINING, PEOPLE])
    assert [(bar.label, bar.value.value) for bar in figure.bars] == [
        ("Screening: invited", 40),
        ("Screening: began", 32),
        ("Screening: passed", 21),
        ("Training: passed", 12),
        ("Annotated as generator", 12),
    ]
    assert [bar.name for bar in figure.bars][2:] == [
        "training.Screening.Passed",
        "training.Training.Passed",
        "people.generator.Workers",
    ]
    widths = rectangles(draw_figure(figure).as_svg())
    assert widths[1] / widths[0] == pytest.approx(32 / 40, abs=0.01)


def test_interval_is_drawn_around_its_point():
    rows = [
        ["Agreement, a", share(0.5), share(0.4), share(0.8)],
        ["Agreement, b", share(0.9), share(None), share(None)],
        ["Distance", Number(3, "3 words", "words"), Number(1, "1"), Number(5, "5")],
        ["Undefined", share(None), share(None), share(None)],
    ]  # fmt: skip
    [figure] = paper_figures([quality(*rows)])
    assert [bar.label for bar in figure.bars] == ["Agreement, a", "Agreement, b"]
    svg = draw_figure(figure).as_svg()
    root = ElementTree.fromstring(svg)
    whisker = next(line for line in root.iter(f"{SVG}line") if line.get("stroke-width") == "1")
    low, high = float(whisker.get("x1")), float(whisker.get("x2"))
    square = next(iter(root.iter(f"{SVG}rect")))
    point = float(square.get("x")) + float(square.get("width")) / 2
    assert (point - low) / (high - low) == pytest.approx(0.25, abs=0.01)
    assert "Agreement, a: 50.0 % (40.0 % to 80.0 %)." in root.find(f"{SVG}desc").text


def test_figure_of_a_single_number_is_not_written():
    assert figure_files(paper_figures([PEOPLE])) == {}


def test_only_counts_that_differ_are_drawn():
    def figures(*values):
        rows = [[f"type {at}", Number(value, str(value))] for at, value in enumerate(values)]
        return paper_figures([PaperTable("statistics-1", "Types", ["Type", "Units"], rows, "page")])

    assert figures(1, 2)
    assert not figures(2, 2)
    assert not figures(2.0, 4.5)


def test_long_tables_and_labels_are_cut():
    name = "Donaudampfschifffahrtsgesellschaftskapitän"
    rows = [[f"{name} {at}", Number(at, str(at))] for at in range(30)]
    [figure] = paper_figures([PaperTable("statistics-1", "Types", ["Type", "Units"], rows, "page")])
    assert len(figure.bars) == MAX_BARS
    assert "the first 20" in figure.caption
    drawing = draw_figure(figure)
    labels = [text for text in texts_of(drawing.as_pdf()) if text.startswith("Donau")]
    assert len(labels) == MAX_BARS
    assert all(text.endswith("…") and text_width(text) <= LABEL for text in labels)


def test_label_in_another_script_has_no_pdf():
    rows = [["時間", Number(2, "2")], ["場所", Number(1, "1")]]
    table = PaperTable("statistics-1", "Types", ["Type", "Units"], rows, "page")
    files = figure_files(paper_figures([table]))
    assert sorted(files) == ["figures.tex", "statistics-1.svg"]
    assert b"includegraphics" not in files["figures.tex"]


def test_numbers_of_figures_are_those_of_the_tables(campaign):
    tables = paper_tables(campaign)
    numbers = numbers_json(tables)
    figures = paper_figures(tables)
    assert {"quality", "cost"} <= {figure.key for figure in figures}
    for figure in figures:
        drawing = draw_figure(figure)
        svg, pdf = drawing.as_svg(), drawing.as_pdf()
        root = ElementTree.fromstring(svg)
        shown = [text.text for text in root.iter(f"{SVG}text")]
        assert texts_of(pdf) == shown
        assert root.find(f"{SVG}title").text == info_of(pdf, "Title") == figure.caption
        description = root.find(f"{SVG}desc").text
        assert info_of(pdf, "Subject") == description
        for bar in figure.bars:
            number = numbers[bar.name]
            assert bar.value.value == number["value"]
            assert number["text"] in shown
            assert f"{bar.label}: {number['text']}" in description


def test_marks_stay_inside_the_column(campaign):
    for figure in paper_figures(paper_tables(campaign)):
        drawing = draw_figure(figure)
        assert drawing.width == WIDTH
        for text in ElementTree.fromstring(drawing.as_svg()).iter(f"{SVG}text"):
            share = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor")]
            start = float(text.get("x")) - share * text_width(text.text)
            assert start >= 0, text.text
            assert start + text_width(text.text) <= WIDTH + 0.01, text.text
            assert 0 < float(text.get("y")) < drawing.height


@pytest.mark.django_db
@pytest.mark.usefixtures("job_files")
@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_files_of_each_scheme_are_in_the_folder(scheme, tmp_path):
    release = make_release(make_sample_project(scheme, tmp_path))
    with zipfile.ZipFile(archive_in(release, tmp_path)) as archive:
        folder = f"{release.project.slug}-1.0/paper/"
        files = {
            name.removeprefix(folder): archive.read(name)
            for name in archive.namelist()
            if name.startswith(folder)
        }
    drawn = [name for name in files if name.startswith("figures/")]
    numbers = json.loads(files["numbers.json"])
    assert bool(drawn) == ("figures.tex" in files)
    for name in drawn:
        if name.endswith(".svg"):
            ElementTree.fromstring(files[name])
        else:
            assert texts_of(files[name])
    tex = files.get("figures.tex", b"").decode()
    pictures = re.findall(r"includegraphics\{(.*?)\}", tex)
    assert pictures == sorted(pictures, key=tex.index)
    assert {name for name in drawn if name.endswith(".pdf")} == set(pictures)
    named = re.findall(r"^% numbers.json: (.*)$", tex, re.MULTILINE)
    assert set(named) <= numbers.keys()
