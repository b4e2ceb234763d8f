"""Pages of public releases, which anyone may read. They are the same for everybody, and cacheable."""

import hashlib
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from annotation.domain.corpus.images import STEP
from annotation.enums import Partition
from annotation.highlight import colour_of, highlight
from annotation.models import Image, Item, Sentence
from projects.models import Project
from projects.permissions import STAFF, project_page, public_page
from releases.domain.build_release import ReleaseFilesError, open_archive
from releases.domain.comments import comments_stamp, shown_comments
from releases.domain.details import details_of_json
from releases.domain.licences import licence_name
from releases.domain.paper_tables import cell_text, paper_tables
from releases.domain.public import (
    SHORTEST_SEARCH,
    NotBuiltError,
    close_to_public,
    find_items,
    open_to_public,
    public_publications,
    public_releases,
)
from releases.domain.released import Released
from releases.domain.rows import context_of_row, row_of_json
from releases.forms import PublicForm
from releases.models import Release, ReleasedItem
from releases.views.releases import card_of
from web.downloads import download

SIZE = 25
# Images have addresses that expire later than this.
MAX_AGE = 300
MAX_SEARCH = 100
View = Callable[..., HttpResponseBase]


def _public(view: View) -> View:
    """Declare a page of a public release, which is passed on. Others don't exist, for anybody.

    The ETag depends on what the page depends on: the release, the address, the software, and the period
    of addresses of images, which expire. The page must not depend on the user.
    """

    @public_page
    @require_safe
    @wraps(view)
    def shown(request: HttpRequest, slug: str, version: str, **kwargs: Any) -> HttpResponseBase:
        release = get_object_or_404(public_releases(), project__slug=slug, version=version)
        period = int(timezone.now().timestamp() // STEP.total_seconds())
        published = [(row.url, row.doi) for row in public_publications(release)]
        facts = (
            f"{settings.VERSION} {release.archive['sha256']} {request.get_full_path()} {period} "
            f"{release.project.has_simulated_work} {comments_stamp(release)} {published}"
        )
        etag = f'"{hashlib.sha256(facts.encode()).hexdigest()[:32]}"'
        response = get_conditional_response(request, etag=etag) or view(request, release, **kwargs)
        response.headers["ETag"] = etag
        patch_cache_control(response, public=True, max_age=MAX_AGE)
        return response

    return shown


@public_page
@require_safe
def public_list(request: HttpRequest) -> HttpResponse:
    rows = [(release, details_of_json(release.details)) for release in public_releases()[:500]]
    response = render(request, "releases/public/list.html", {"rows": rows})
    patch_cache_control(response, public=True, max_age=MAX_AGE)
    return response


@_public
def public_release(request: HttpRequest, release: Release) -> HttpResponse:
    details = details_of_json(release.details)
    context = {
        **_common(release),
        "details": details,
        "licence": licence_name(details.licence),
        "text_licence": licence_name(details.text_licence) or "Not stated",
        "counts": release.facts["manifest"]["counts"],
        "publications": public_publications(release),
        "card": card_of(release),
    }
    return render(request, "releases/public/release.html", context)


@_public
def public_statistics(request: HttpRequest, release: Release) -> HttpResponse:
    tables = [
        {"key": table.key, "caption": table.caption, "columns": table.columns, "rows": rows}
        for table in paper_tables(Released(release))
        if (rows := [[cell_text(cell) for cell in row] for row in table.rows])
    ]
    return render(
        request, "releases/public/statistics.html", {**_common(release), "tables": tables}
    )


@_public
def public_items(request: HttpRequest, release: Release) -> HttpResponse:
    text = " ".join(request.GET.get("q", "").split())[:MAX_SEARCH]
    partition = request.GET.get("partition", "")
    partitions = sorted(set(release.items.order_by().values_list("partition", flat=True)) - {""})
    if partition not in partitions:
        partition = ""
    found = find_items(release=release, text=text, partition=partition)
    page = Paginator(found, SIZE).get_page(request.GET.get("page"))
    released = Released(release)
    context = {
        **_common(release),
        "text": text,
        "is_too_short": 0 < len(text) < SHORTEST_SEARCH,
        "shortest": SHORTEST_SEARCH,
        "partition": partition,
        "partitions": [(name, Partition(name).label) for name in partitions],
        "page": page,
        "items": [_shown(released, row) for row in page],
    }
    return render(request, "releases/public/items.html", context)


@_public
def public_item(request: HttpRequest, release: Release, position: int) -> HttpResponse:
    row = get_object_or_404(release.items, position=position)
    positions = release.items.order_by("position").values_list("position", flat=True)
    context = {
        **_common(release),
        "shown": _shown(Released(release), row),
        "earlier": positions.filter(position__lt=position).last(),
        "has_comments": release.public.has_comments,
        "comments": shown_comments(row) if release.public.has_comments else (),
        "later": positions.filter(position__gt=position).first(),
    }
    return render(request, "releases/public/item.html", context)


@_public
def public_archive(request: HttpRequest, release: Release) -> HttpResponseBase:
    try:
        file = open_archive(release)
    except ReleaseFilesError as error:
        raise Http404(str(error)) from error
    simulated = "simulated-" * release.project.has_simulated_work
    name = f"{simulated}{release.archive['name']}"
    return download(request, file, name=name, sha256=release.archive["sha256"])


def _common(release: Release) -> dict[str, Any]:
    return {
        "release": release,
        "project": release.project,
        "language": release.project.language,
        "unit": Released(release).scheme.vocabulary.unit,
    }


def _shown(released: Released, row: ReleasedItem) -> dict[str, Any]:
    """Return what templates show of a frozen item: its sentence, its target and its units."""
    frozen, scheme = row_of_json(row.row), released.scheme
    context = context_of_row(frozen, released.resources)
    sentence = Sentence(
        project=released.release.project,
        external_id=frozen.external_id,
        tokens=list(frozen.tokens),
        text=frozen.text,
        offsets=[list(offset) for offset in frozen.offsets],
        image=_image(released, row),
    )
    item = Item(
        project=released.release.project, sentence=sentence, key=row.key, target=frozen.target
    )
    units = scheme.views.units(frozen.content, context)
    spans = [list(unit.spans) for unit in units or ()]
    marked = scheme.views.marked(frozen.target)
    words = " ".join(frozen.tokens[at] for at in sorted(marked) if at < len(frozen.tokens))
    return {
        "row": row,
        "item": item,
        "gold": {"content": frozen.content},
        "target": words or row.key,
        "tokens": highlight(sentence.shown_tokens(), spans, target=marked),
        "units": units or (),
        "rows": None if units is None else _rows(units),
        "anchor": str(row.position),
    }


def _rows(units: Sequence[Any]) -> list[tuple[dict[str, Any], None]]:
    return [
        ({"number": at, "key": str(at), "colour": colour_of(at), "unit": unit}, None)
        for at, unit in enumerate(units, start=1)
    ]


def _image(released: Released, row: ReleasedItem) -> Image | None:
    """Return the item's image, if the images were released."""
    image = row.row["image"]
    if not image or not released.details.images:
        return None
    return Image.objects.filter(project=released.release.project, digest=image["digest"]).first()


@require_POST
@project_page(STAFF)
def open_release(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    release = get_object_or_404(project.releases, version=version)
    form = PublicForm(request.POST)
    form.is_valid()
    try:
        open_to_public(
            release=release,
            actor=request.user.get_username(),
            now=timezone.now(),
            has_comments=form.cleaned_data["has_comments"],
        )
    except NotBuiltError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Anyone can read the release now.")
    return redirect("releases:release_details", project.slug, version)


@require_POST
@project_page(STAFF)
def close_release(request: HttpRequest, project: Project, version: str) -> HttpResponse:
    release = get_object_or_404(project.releases, version=version)
    close_to_public(release=release, actor=request.user.get_username(), now=timezone.now())
    messages.success(
        request,
        "The release is no longer public. Copies in caches are gone after five minutes, and downloaded "
        "ones stay.",
    )
    return redirect("releases:release_details", project.slug, version)
