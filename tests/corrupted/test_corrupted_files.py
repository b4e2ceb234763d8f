"""Corrupted files are refused by name, or read as if they were not corrupted."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.models import Project
from tests.corrupted.datasets import Dataset, make_datasets
from tests.corrupted.imports import import_files, make_project, rolled_back
from tests.corrupted.outcomes import problem
from tests.corrupted.shapes import SHAPES, Change

pytestmark = pytest.mark.django_db
DATASETS = make_datasets()
# Formats whose readers other formats have too
VARIANTS = ("-images", "-zip", "-gz", ".tsv", ".xlsx", ".json", ".jsonl", "-verbs")


@dataclass(frozen=True)
class Truth:
    """A project to which files of a data set belong, and what it has after an import of them."""

    dataset: Dataset
    project: Project
    folder: Path
    stored: dict[str, Any]


@pytest.fixture(
    params=[
        pytest.param(dataset, marks=pytest.mark.long if dataset.name.endswith(VARIANTS) else ())
        for dataset in DATASETS
    ],
    ids=str,
)
def truth(request, tmp_path) -> Truth:
    dataset = request.param
    project = make_project(dataset, tmp_path)
    with rolled_back():
        outcome = import_files(project, dataset, dataset.files, tmp_path)
    assert not outcome.is_named, outcome.all_errors
    assert len(outcome.stored) > 3
    return Truth(dataset, project, tmp_path, outcome.stored)


def corrupt(dataset: Dataset, change: Change, seed: int) -> dict[str, bytes] | None:
    """Return the files with a change in one of them, or None if it doesn't apply."""
    rng = random.Random(seed)
    name = rng.choice(sorted(name for name, data in dataset.files.items() if data))
    data = change.apply(dataset.files[name], rng)
    return None if data is None else {**dataset.files, name: data}


# The project stays as it is, because each import is rolled back.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_corrupted_file_is_refused_by_name_or_read_rightly(truth, seed, data):
    change = data.draw(st.sampled_from(SHAPES[truth.dataset.shape]))
    files = corrupt(truth.dataset, change, seed)
    if files is None:
        return
    with rolled_back():
        outcome = import_files(truth.project, truth.dataset, files, truth.folder)
        assert not problem(truth.dataset, change, truth.stored, outcome)
