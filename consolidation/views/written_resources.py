"""Pages of a resource that staff write as text, with a preview of the worker's page."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.corpus.item_context import page_tokens
from annotation.domain.corpus.resource_use import count_submissions_by_version, versions_of
from annotation.domain.work.open_page import draft_data
from annotation.work_page import render_work_page
from consolidation.domain.gold.lost_parts import LostParts, lost_parts
from consolidation.domain.gold.map_contents import maps_contents
from consolidation.domain.gold.save_version import save_version
from consolidation.domain.gold.version_effects import VersionEffects, describe_effects, effects_of
from consolidation.forms import WrittenResourceForm
from projects.domain.resources import (
    ResourceChangedError,
    UnknownResourceError,
    check_change,
    current_version,
    declared_resource,
    value_of,
)
from projects.enums import Role
from projects.models import Project
from projects.pages import ask_first, render_page
from projects.permissions import MEMBERS, STAFF, project_page
from projects.views.settings import actor_of
from schemes.contract.resources import Resource
from schemes.contract.values import Json, Noun
from schemes.contract.written_resources import Mistake, WrittenResource, WrittenTextError
from schemes.registry import get_scheme

ANNOTATIONS = Noun("annotation", "annotations")
VERSIONS_SHOWN = 50
PARTS_SHOWN = 10  # of those that are lost, before a version is saved
CONTEXT_LINES = 3
TEMPLATE = "consolidation/written_resource.html"
CONFLICT = 409


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a comparison. `kind` is "same", "added", "removed" or "gap"."""

    kind: str
    before: int | None
    after: int | None
    text: str


def show_editor(
    request: HttpRequest,
    project: Project,
    name: str,
    *,
    form: WrittenResourceForm | None = None,
    mistakes: Sequence[Mistake] = (),
    status: int = 200,
) -> HttpResponseBase:
    """Render the editor with the current version, or with a form that was not saved."""
    declared, written = written_resource(project, name)
    newest = current_version(project=project, name=name)
    saved = written.write(value_of(newest)) if newest else ""
    version = newest.version if newest else 0
    form = form or WrittenResourceForm(initial={"text": saved, "version": version}, written=written)
    versions = versions_of(project=project, name=name)[:VERSIONS_SHOWN]
    submissions = count_submissions_by_version(project=project, versions=versions)
    context = {
        "name": name,
        "resource": declared,
        "written": written,
        "form": form,
        "saved": saved,
        "version": version,
        "mistakes": mistakes,
        "versions": [(row, submissions[row.version]) for row in versions],
        **(_checked(project, name) if "check" in request.GET else {}),
    }
    return render_page(request, project, TEMPLATE, context, status=status)


def _checked(project: Project, name: str) -> dict[str, object]:
    """Return the effects of the current version, or what annotations use and it lacks."""
    if maps_contents(project):
        return {"effects": effects_of(project=project)}
    return {"lost": lost_parts(project=project, name=name)}


@require_POST
@project_page(STAFF)
def save_text(request: HttpRequest, project: Project, name: str) -> HttpResponseBase:
    """Store the text as a new version. Ask first if that changes annotations."""
    try:
        _, written = written_resource(project, name)
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    form = WrittenResourceForm(request.POST, written=written)
    if not form.is_valid():
        return show_editor(request, project, name, form=form, mistakes=form.mistakes, status=422)
    try:
        check_change(project=project, name=name, value=form.value)
    except WrittenTextError as error:
        mistakes = error.mistakes
        return show_editor(request, project, name, form=form, mistakes=mistakes, status=422)
    address = reverse("consolidation:resource", args=[project.slug, name])
    title, consequences = _to_confirm(project, name, form.value)
    if consequences:
        page = ask_first(
            request,
            project,
            title=title,
            consequences=consequences,
            button="Save as new version",
            back=address,
        )
        if page:
            return page
    try:
        imported = save_version(
            project=project,
            name=name,
            value=form.value,
            actor=actor_of(request),
            now=timezone.now(),
            changed_version=form.cleaned_data["version"],
        )
    except ResourceChangedError as error:
        form.add_error(None, str(error))
        return show_editor(request, project, name, form=form, status=CONFLICT)
    if imported.is_new:
        messages.success(request, f"Version {imported.resource.version} saved.")
    else:
        messages.info(request, "Nothing changed, so there is no new version.")
    return redirect(f"{address}?check=1" if consequences else address)


@require_POST
@project_page(STAFF)
def preview_text(request: HttpRequest, project: Project, name: str) -> HttpResponseBase:
    """Return the mistakes of a text, or the page of a worker as HTML, in JSON."""
    try:
        _, written = written_resource(project, name)
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    form = WrittenResourceForm({**request.POST.dict(), "version": 0}, written=written)
    if not form.is_valid():
        mistakes = form.mistakes or [Mistake(None, "", str(text)) for text in form.errors["text"]]
        return JsonResponse({"mistakes": [asdict(mistake) for mistake in mistakes]})
    page = render_preview(request, project, written, form.value)
    return JsonResponse({"mistakes": [], "html": page.content.decode()})


@require_GET
@project_page(MEMBERS)
def version(request: HttpRequest, project: Project, name: str, number: int) -> HttpResponseBase:
    """Show a version, and what is different from another one, by default the one before."""
    try:
        declared, written = written_resource(project, name)
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    versions = versions_of(project=project, name=name)
    by_number = {row.version: row for row in versions}
    if number not in by_number:
        raise Http404(f"There is no version {number}.")
    asked = request.GET.get("with", "")
    other = int(asked) if asked.isdecimal() and len(asked) < 10 else number - 1
    text = written.write(value_of(by_number[number]))
    before = written.write(value_of(by_number[other])) if other in by_number else None
    context = {
        "name": name,
        "resource": declared,
        "shown": by_number[number],
        "other": by_number.get(other),
        "versions": versions,
        "text": text,
        "lines": None if before is None else compare_lines(before, text),
    }
    return render_page(request, project, "consolidation/resource_version.html", context)


def render_preview(
    request: HttpRequest, project: Project, written: WrittenResource, value: Json
) -> HttpResponse:
    """Render the annotator's page of the value's example. Nothing is saved on it."""
    declaration = get_scheme(project.scheme).declaration
    if declaration is None:
        raise Http404("This resource doesn't declare a page.")
    scheme = declaration.build(value)
    example = written.example(value)
    context = example.context
    if context.image:
        context = replace(context, image=replace(context.image, url=static(example.picture)))
    page = {
        "preview": False,
        **draft_data(None),
        "language": project.language,
        "urls": {},
        "shared": scheme.pages.shared([context]),
        "items": [
            {
                "id": 1,
                **page_tokens(context.tokens, context.text, context.offsets),
                "target": context.target,
                "data": scheme.pages.item(context),
                "content": None,
            }
        ],
    }
    return render_work_page(
        request,
        scheme=scheme,
        role=Role.GENERATOR,
        page=page,
        guidelines=None,
        script="js/work/preview.js",
    )


def compare_lines(before: str, after: str) -> list[DiffLine]:
    """Return the changed lines between two texts, with a few lines around them."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[DiffLine] = []
    last = 0
    for group in SequenceMatcher(a=old, b=new, autojunk=False).get_grouped_opcodes(CONTEXT_LINES):
        if group[0][3] > last:
            lines.append(DiffLine("gap", None, None, "…"))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [
                    DiffLine("same", i + 1, j + 1, old[i])
                    for i, j in zip(range(i1, i2), range(j1, j2), strict=True)
                ]
            else:
                lines += [DiffLine("removed", i + 1, None, old[i]) for i in range(i1, i2)]
                lines += [DiffLine("added", None, j + 1, new[j]) for j in range(j1, j2)]
        last = group[-1][4]
    return lines


def _to_confirm(project: Project, name: str, value: Json) -> tuple[str, list[str]]:
    """Return what to ask before a value is saved, and its consequences, or nothing without any."""
    if not maps_contents(project):
        lost = lost_parts(project=project, name=name, value=value)
        count = ANNOTATIONS.count(lost.annotations)
        title = f"Save a version that doesn’t fit {count}?"
        return title, _consequences(lost) if lost.annotations else []
    effects = effects_of(project=project, value=value)
    if not (effects.mapped or effects.needs_a_decision):
        return "", []
    return _title(effects), describe_effects(effects)


def _title(effects: VersionEffects) -> str:
    if not effects.needs_a_decision:
        return f"Save a version that maps {ANNOTATIONS.count(effects.mapped)}?"
    unfit = max(effects.lost.annotations, effects.missing.annotations)
    return f"Save a version that doesn’t fit {ANNOTATIONS.count(unfit)}?"


def _consequences(lost: LostParts) -> list[str]:
    rest = lost.parts_in_all - len(lost.parts[:PARTS_SHOWN])
    return [
        "The annotations aren’t changed. They can be exported, but not compared with new ones in the "
        "parts that don’t fit.",
        *(
            f"{part.text} {ANNOTATIONS.count(part.annotations)}."
            for part in lost.parts[:PARTS_SHOWN]
        ),
        *([f"… {rest:,} more parts."] if rest > 0 else []),
    ]


def written_resource(project: Project, name: str) -> tuple[Resource, WrittenResource]:
    """Return a resource and how it is written. Raise UnknownResourceError."""
    declared = declared_resource(project, name)
    if declared.written is None:
        raise UnknownResourceError(f"The resource {name!r} isn't written as text.")
    return declared, declared.written
