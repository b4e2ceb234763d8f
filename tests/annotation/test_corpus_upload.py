"""Upload of captions with an archive of their images on the corpus page."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Image, Sentence
from jobs.domain.run_jobs import run_next_job
from jobs.models import Job
from projects.domain.create_project import create_project
from projects.enums import MemberRole
from tests.annotation.factories import NOW
from tests.annotation.test_images import picture_bytes
from tests.annotation.uploads import preview_of
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db
CAPTIONS = "".join(
    json.dumps({"image": name, "caption": "Two dogs run ."}) + "\n" for name in ("1.png", "2.png")
)
FLICKR = {
    "flickr30k/Sentences/1.txt": "[/EN#1/animals Two dogs] run .",
    "flickr30k/Annotations/1.xml": "<annotation><filename>1.png</filename></annotation>",
}


@pytest.fixture
def project(job_files):
    return create_project(slug="pictures", scheme="grounding", now=NOW)


@pytest.fixture
def page(project, client):
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return reverse("annotation:corpus", args=[project.slug])


def archive(files: dict[str, bytes | str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, content in files.items():
            file.writestr(name, content)
    return stream.getvalue()


def upload(client, page, *, name: str, corpus: bytes, images: dict[str, bytes | str] | None):
    form = {"corpus": SimpleUploadedFile(name, corpus)}
    if images is not None:
        form["images"] = SimpleUploadedFile("images.zip", archive(images))
    return preview_of(client, client.post(page, form, follow=True))


def run_import(client, preview) -> Job:
    client.post(preview.redirect_chain[-1][0], {})
    assert run_next_job(clock=lambda: NOW)
    return Job.objects.filter(kind="import").latest("pk")


def test_captions_are_imported_with_their_images(client, page):
    images = {f"photos/{number}.png": picture_bytes(colour=f"#{number}08080") for number in (1, 2)}
    preview = upload(client, page, name="a.jsonl", corpus=CAPTIONS.encode(), images=images)
    assert "2 of 2 sentences" in preview.content.decode()
    job = run_import(client, preview)
    assert (job.result["sentences_added"], job.result["errors"]) == (2, [])
    assert Image.objects.count() == 2


def test_flickr30k_is_imported_from_an_archive(client, page):
    images = {"1.png": picture_bytes()}
    preview = upload(client, page, name="flickr.zip", corpus=archive(FLICKR), images=images)
    assert "Two dogs run ." in preview.content.decode()
    assert run_import(client, preview).result["sentences_added"] == 1
    assert Sentence.objects.get().image


def test_bad_images_are_listed_and_their_sentences_skipped(client, page):
    images = {"1.png": picture_bytes(), "2.png": "<svg/>", "../3.png": picture_bytes()}
    preview = upload(client, page, name="a.jsonl", corpus=CAPTIONS.encode(), images=images)
    job = run_import(client, preview)
    assert job.result["sentences_added"] == 1
    [error] = job.result["errors"]
    assert (error["file"], error["message"]) == ("2.png", "is not a JPEG, PNG or WebP image.")


def test_missing_images_are_in_the_preview(client, page):
    preview = upload(
        client, page, name="a.jsonl", corpus=CAPTIONS.encode(), images={"1.png": picture_bytes()}
    )
    assert "2.png: is not among the images." in preview.content.decode()


def test_upload_needs_an_archive_of_images(client, page):
    refusal = upload(client, page, name="a.jsonl", corpus=CAPTIONS.encode(), images=None)
    assert refusal.status_code == 422
    assert "images" in refusal.context["form"].errors
