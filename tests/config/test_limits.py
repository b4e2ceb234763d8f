"""The limits of the proxy, the site and the documentation are the same."""

import re

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import NoReverseMatch, get_resolver, resolve, reverse

from tests import environment
from web.endpoints import Endpoint
from web.large_bodies import UPLOAD_PAGES

MIB = 2**20
VERSION = "1.0"
API_UPLOADS = (
    "api:imports",
    "api:gold_imports",
    "api:resource_imports",
    "api:system_evaluations",
    "api:entries",
)
TEXT = (environment.ROOT / "deploy" / "Caddyfile").read_text()
LIMITS = (environment.ROOT / "docs" / "reference" / "limits.md").read_text()


def proxied_paths() -> list[str]:
    [line] = re.findall(r"@uploads path (.*)", TEXT)
    return line.split()


def test_proxy_allows_large_files_where_the_site_does():
    slugs = {"slug": "X", "name": "X", "kind": "X"}
    addresses = set()
    for name in (*UPLOAD_PAGES, *API_UPLOADS):
        pattern = next(
            arguments
            for arguments in (
                {},
                {"slug": "X"},
                *({"slug": "X", key: "X"} for key in slugs),
                {"slug": "X", "version": VERSION},
            )
            if _reverses(name, arguments)
        )
        addresses.add(reverse(name, kwargs=pattern).replace("X", "*").replace(VERSION, "*"))
    assert set(proxied_paths()) == addresses


def _reverses(name: str, arguments: dict[str, str]) -> bool:
    try:
        return bool(reverse(name, kwargs=arguments))
    except NoReverseMatch:
        return False


def test_every_page_with_a_file_field_is_an_upload_page():
    templates = (environment.ROOT / "templates").rglob("*.html")
    forms = [path for path in templates if 'enctype="multipart/form-data"' in path.read_text()]
    assert len(forms) == len(UPLOAD_PAGES)


def test_every_endpoint_with_its_own_limit_is_an_upload_of_the_proxy():
    """Endpoints that read files declare a larger limit than others."""
    own = set()
    for path in proxied_paths():
        if path.startswith("/api/"):
            view = resolve(path.replace("*/*", f"*/{VERSION}").replace("*", "demo")).func.view_class
            assert view.max_bytes is not Endpoint.max_bytes
            own.add(view.__name__)
    every = {
        pattern.callback.view_class.__name__
        for pattern in _patterns(get_resolver())
        if hasattr(pattern.callback, "view_class")
        and "max_bytes" in vars(pattern.callback.view_class)
    }
    assert own == every


def _patterns(resolver):
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            yield from _patterns(pattern)
        else:
            yield pattern


def test_proxy_has_the_limits_of_the_site():
    sizes = re.findall(r"max_size (\S+)", TEXT)
    default = settings.API_UPLOAD_MAX_BYTES // MIB
    assert sizes == [f"{{$API_UPLOAD_MAX_MB:{default}}}MiB", "12MiB"]
    assert re.findall(r"request_buffers (\S+)", TEXT) == ["12MiB"]
    # What the site refuses gets its own page, not the proxy's empty answer.
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE < 12 * MIB
    compose = (environment.ROOT / "docker-compose.yml").read_text()
    assert compose.count(f"API_UPLOAD_MAX_MB: ${{API_UPLOAD_MAX_MB:-{default}}}") == 2


def documented(what: str) -> str:
    [row] = re.findall(rf"^\| {re.escape(what)} \| ([^|]*) \|", LIMITS, re.MULTILINE)
    return row


def test_documented_limits_are_those_in_force():
    uploads = settings.API_UPLOAD_MAX_BYTES // MIB
    body = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // MIB
    fields, files = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS, settings.DATA_UPLOAD_MAX_NUMBER_FILES
    assert documented("Request body, at the proxy") == "12 MiB, within 5 minutes"
    assert (
        documented("Request body, at the site") == f"{body} MiB, {fields:,} fields, {files} files"
    )
    assert documented("Upload of files by the API or a page, at the proxy and the site") == (
        f"{uploads} MiB, within 5 minutes"
    )
    assert "read_body 5m\n" in TEXT
    reads, writes = settings.API_READS_PER_MINUTE, settings.API_WRITES_PER_MINUTE
    assert documented("API reads") == f"{reads} a minute per token, user or address"
    assert documented("API writes") == f"{writes} a minute per token, user or address"


@pytest.fixture
def large(settings) -> str:
    """Return a text that is too large for pages, and not for uploads."""
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE, settings.API_UPLOAD_MAX_BYTES = 1000, 3000
    return "x" * 2000


def test_large_body_is_refused_before_it_is_read(client, office, project, large):
    upload = reverse("annotation:corpus", args=[project.slug])

    def post(browser, address: str, text: str):
        return browser.post(address, {"corpus": SimpleUploadedFile("corpus.txt", text.encode())})

    assert post(client, upload, large).status_code == 403
    assert post(office, upload, large).status_code in (200, 302)
    answer = post(office, upload, 2 * large)
    assert (answer.status_code, answer.content[:25]) == (413, b"The request is too large.")
    assert post(office, reverse("projects:notifications"), large).status_code == 413
