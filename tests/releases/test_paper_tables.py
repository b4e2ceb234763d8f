"""Tables and texts for a paper: they compile, and their numbers are those of the pages."""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole
from releases.domain.methods_text import methods_text
from releases.domain.paper_tables import numbers_json, paper_tables, tables_md, tables_tex
from releases.domain.released import Released
from tests.crowd.factories import NOW
from tests.dashboard.campaign import Campaign, make_project, make_user
from tests.releases.projects import SCHEME_NAMES, archive_in, make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
DOCUMENT = (
    "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n%s\\end{document}\n"
)
TABLE = re.compile(
    r"\\begin\{tabular\}\{(l r*|lr*)\}\n\\toprule\n(.*?)\\bottomrule\n\\end\{tabular\}", re.DOTALL
)
# A character that LaTeX would not print
UNESCAPED = re.compile(r"(?<!\\)[&%$#_^~{}]")


@pytest.fixture
def campaign() -> Released:
    """Release the gold of workers, with agreement and pay."""
    project = make_project()
    Campaign(project, 12)
    return Released(make_release(project, source=""))


def check_tex(text: str) -> None:
    """Check the parts of LaTeX that the tables use: environments, columns and escapes."""
    tables = TABLE.findall(text)
    assert len(tables) == text.count("\\begin{table}") == text.count("\\end{table}") > 0
    for columns, body in tables:
        for line in body.replace("\\midrule\n", "").splitlines():
            cells = re.split(r"(?<!\\)&", line.removesuffix(" \\\\"))
            assert line.endswith(" \\\\")
            assert len(cells) == len(columns)
            assert not any(UNESCAPED.search(cell) for cell in cells), line


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_tables_of_each_scheme_are_latex(scheme, tmp_path):
    tables = paper_tables(Released(make_release(make_sample_project(scheme, tmp_path))))
    text = tables_tex(tables)
    check_tex(text)
    if shutil.which("pdflatex"):
        compile_tex(text, tmp_path)


def compile_tex(text: str, folder: Path) -> None:
    (folder / "paper.tex").write_text(DOCUMENT % text, "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if "booktabs.sty' not found" in done.stdout:
        pytest.skip("LaTeX lacks the package booktabs.")
    assert done.returncode == 0, done.stdout[-2000:]


def test_every_number_has_a_name_with_its_origin(campaign):
    tables = paper_tables(campaign)
    numbers = numbers_json(tables)
    assert sum(len(list(table.numbers())) for table in tables) == len(numbers)
    assert all(number["origin"] for number in numbers.values())
    shown = {number["text"] for number in numbers.values()}
    text = tables_md(tables)
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
        if line.startswith("| ") and "---" not in line:
            assert all(cell in shown or not re.search(r"[0-9]", cell) for cell in cells), line
    for number in re.findall(r"[0-9]+\.[0-9] %|\$[0-9.,]*[0-9]", methods_text(campaign)):
        assert number in shown


def test_numbers_are_those_of_the_pages(campaign):
    project = campaign.release.project
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    pages = {
        name: client.get(reverse(f"datasets:{name}", args=[project.slug])).content.decode()
        for name in ("agreement", "costs")
    }
    numbers = numbers_json(paper_tables(campaign))
    agreement = [row for name, row in numbers.items() if name.startswith("quality.Agreement")]
    paid = [row for name, row in numbers.items() if name.endswith(".Paid")]
    assert agreement
    assert paid
    assert all(row["text"] in pages["agreement"] for row in agreement)
    assert all(row["text"] in pages["costs"] for row in paid)
    assert numbers["size.Items.all"]["value"] == campaign.release.items.count()


def test_methods_name_the_people_and_the_agreement(campaign):
    text = methods_text(campaign)
    assert text.startswith("Version 1.0 of ")
    assert re.search(r"[0-9]+ workers made [0-9]+ accepted annotations as [a-z]+s\.", text)
    assert "95 % interval" in text


def test_files_are_in_the_folder(tmp_path):
    release = make_release(make_sample_project("qasrl", tmp_path), now=NOW)
    with zipfile.ZipFile(archive_in(release, tmp_path)) as archive:
        folder = f"{release.project.slug}-1.0/paper"
        numbers = json.loads(archive.read(f"{folder}/numbers.json"))
        table = archive.read(f"{folder}/tables.tex").decode()
    assert numbers["size.Items.all"]["text"] == str(release.items.count())
    assert f"& {release.items.count()} \\\\" in table
