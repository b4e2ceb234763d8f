"""Import of 1,000 images with their captions."""

import io
import json
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from annotation.models import Image
from projects.domain.create_project import create_project
from tests.annotation.factories import NOW
from tests.bench.results import record

pytestmark = [pytest.mark.bench, pytest.mark.django_db(transaction=True)]
IMAGES, CAPTIONS = 1000, 5
SIZE = (500, 375)
LIMIT_SECONDS = 60


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Return a folder with captions and pictures of smooth noise, which compress like photos."""
    rng = np.random.default_rng(19)
    with (tmp_path / "captions.jsonl").open("w") as file:
        for number in range(IMAGES):
            name = f"{number}.jpg"
            noise = rng.integers(0, 256, (47, 63, 3), dtype=np.uint8)
            stream = io.BytesIO()
            picture = Picture.fromarray(noise).resize(SIZE, Picture.Resampling.BICUBIC)
            picture.save(stream, "JPEG", quality=90)
            (tmp_path / name).write_bytes(stream.getvalue())
            phrases = [{"start": 0, "end": 2, "plural": True, "cardinality": 2}]
            caption = {"image": name, "caption": "Two dogs run .", "phrases": phrases}
            file.writelines([json.dumps(caption) + "\n"] * CAPTIONS)
    return tmp_path


def test_import_of_images(corpus: Path):
    project = create_project(slug="pictures", scheme="grounding", now=NOW)
    options = CorpusOptions(fmt="captions-jsonl", images=corpus, strict=True)
    start = time.perf_counter()
    report = Import(project=project, options=options).run([corpus / "captions.jsonl"])
    seconds = time.perf_counter() - start
    assert Image.objects.count() == IMAGES
    assert report.items_added == IMAGES * CAPTIONS
    print(f"1,000 images: {seconds:.1f} s")  # noqa: T201
    record("Import of 1,000 images of 500 x 375 with 5,000 captions", f"{seconds:.1f} s")
    assert seconds <= LIMIT_SECONDS
