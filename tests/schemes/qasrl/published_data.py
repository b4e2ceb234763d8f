"""Location of the published gold standard. Its tests are skipped if it is missing."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "qasrl-gs"
GOLD = FOLDER / "wikinews.dev.gold.csv"
SENTENCES = FOLDER / "wikinews.dev.full.csv"
EXPERT = FOLDER / "wikinews.dev.large_sample.ground_truth.csv"

needs_published_data = pytest.mark.skipif(
    not GOLD.exists(), reason="the published gold standard is missing"
)
