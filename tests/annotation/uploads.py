"""Uploads on pages, and the worker process that reads them."""

from typing import Any

from django.test import Client
from django.urls import reverse

from jobs.domain.run_jobs import run_next_job
from tests.annotation.factories import NOW


def run_jobs() -> None:
    while run_next_job(clock=lambda: NOW):
        pass


def preview_of(client: Client, page: Any) -> Any:
    """Return the preview that a page led to, once a worker process has read the upload."""
    if not page.redirect_chain:
        return page
    run_jobs()
    preview = client.get(page.redirect_chain[-1][0])
    preview.redirect_chain = page.redirect_chain
    return preview


def upload_corpus(client: Client, slug: str, form: dict[str, Any]) -> Any:
    return preview_of(
        client, client.post(reverse("annotation:corpus", args=[slug]), form, follow=True)
    )


def read_again(client: Client, address: str, form: dict[str, Any]) -> Any:
    """Choose another way of reading an upload, and return its preview."""
    return preview_of(client, client.post(f"{address}?read", form, follow=True))
