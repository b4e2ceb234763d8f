"""Participant groups, whose membership acts on live studies."""

from typing import Any

from tests.fakes.prolific.errors import ApiError
from tests.fakes.prolific.routing import Request, Response, page_of, route
from tests.fakes.prolific.state import Group, Platform, text_of


def body_of(group: Group) -> dict[str, Any]:
    return {
        "id": group.id,
        "name": group.name,
        "workspace_id": group.workspace,
        "project_id": None,
        "participant_count": len(group.members),
        "is_deleted": group.is_deleted,
    }


def _members(group: Group) -> Response:
    rows = [
        {"participant_id": key, "datetime_created": text_of(added_at)}
        for key, added_at in group.members.items()
    ]
    return Response(200, {"results": rows})


@route("POST", "/participant-groups/")
def create(platform: Platform, request: Request) -> Response:
    workspace = platform.workspace(request.text("workspace_id"))
    group = Group(platform.new_id(), request.text("name"), workspace.id, platform.now)
    if "participant_ids" in request.fields:
        _add(platform, group, request.ids("participant_ids"))
    platform.groups[group.id] = group
    return Response(201, body_of(group))


@route("GET", "/participant-groups/")
def list_all(platform: Platform, request: Request) -> Response:
    workspace = request.query.get("workspace_id")
    rows = [
        body_of(group)
        for group in platform.groups.values()
        if not group.is_deleted and workspace in (None, group.workspace)
    ]
    return page_of(platform, request, rows)


@route("GET", "/participant-groups/{key}/")
def read(platform: Platform, request: Request, key: str) -> Response:
    return Response(200, body_of(platform.group(key)))


@route("DELETE", "/participant-groups/{key}/")
def delete(platform: Platform, request: Request, key: str) -> Response:
    platform.group(key).is_deleted = True
    return Response(204)


@route("GET", "/participant-groups/{key}/participants/")
def list_members(platform: Platform, request: Request, key: str) -> Response:
    return _members(platform.group(key))


@route("POST", "/participant-groups/{key}/participants/")
def add_members(platform: Platform, request: Request, key: str) -> Response:
    group = platform.group(key)
    _add(platform, group, request.ids("participant_ids"))
    return _members(group)


@route("DELETE", "/participant-groups/{key}/participants/")
def remove_members(platform: Platform, request: Request, key: str) -> Response:
    group = platform.group(key)
    for participant in request.ids("participant_ids"):
        group.members.pop(participant, None)
    return _members(group)


def _add(platform: Platform, group: Group, participants: list[str]) -> None:
    if unknown := [key for key in participants if key not in platform.people]:
        raise ApiError(400, [f"Participant {key} not found." for key in unknown])
    for participant in participants:
        group.members.setdefault(participant, platform.now)
