"""The researcher's account, workspaces, projects and test participants."""

from typing import Any

from tests.fakes.prolific.errors import not_found
from tests.fakes.prolific.routing import Request, Response, page_of, route
from tests.fakes.prolific.state import Person, Platform, Project, Workspace

RESEARCHER = {
    "id": "5f0000000000000000000001",
    "email": "researcher@example.org",
    "name": "Ada Researcher",
    "first_name": "Ada",
    "last_name": "Researcher",
    "username": "researcher",
    "user_type": "researcher",
}


@route("GET", "/users/me/")
def read_me(platform: Platform, request: Request) -> Response:
    workspace = next(iter(platform.workspaces.values()))
    return Response(200, {**RESEARCHER, "currency_code": workspace.currency})


@route("GET", "/workspaces/")
def list_workspaces(platform: Platform, request: Request) -> Response:
    rows = [_workspace(workspace) for workspace in platform.workspaces.values()]
    return page_of(platform, request, rows)


@route("GET", "/workspaces/{key}/")
def read_workspace(platform: Platform, request: Request, key: str) -> Response:
    return Response(200, _workspace(platform.workspace(key)))


def _workspace(workspace: Workspace) -> dict[str, Any]:
    return {
        "id": workspace.id,
        "title": workspace.title,
        "description": "",
        "currency_code": workspace.currency,
        "users": [_user("WORKSPACE_ADMIN")],
    }


def _user(role: str) -> dict[str, Any]:
    return {name: RESEARCHER[name] for name in ("id", "name", "email")} | {"roles": [role]}


@route("GET", "/workspaces/{key}/projects/")
def list_projects(platform: Platform, request: Request, key: str) -> Response:
    workspace = platform.workspace(key)
    rows = [_project(row) for row in platform.projects.values() if row.workspace == workspace.id]
    return page_of(platform, request, rows)


@route("POST", "/workspaces/{key}/projects/")
def create_project(platform: Platform, request: Request, key: str) -> Response:
    project = platform.add_project(platform.workspace(key), request.text("title"))
    return Response(201, _project(project))


@route("GET", "/projects/{key}/")
def read_project(platform: Platform, request: Request, key: str) -> Response:
    return Response(200, _project(platform.project(key)))


def _project(project: Project) -> dict[str, Any]:
    return {
        "id": project.id,
        "title": project.title,
        "description": "",
        "workspace": project.workspace,
        "owner": RESEARCHER["id"],
        "users": [_user("PROJECT_EDITOR")],
        "naivety_distribution_rate": None,
    }


@route("POST", "/researchers/participants/")
def create_test_participant(platform: Platform, request: Request) -> Response:
    if not any("TEST_PARTICIPANTS" in row.features for row in platform.workspaces.values()):
        raise not_found("Page")
    request.text("email")
    person = Person(platform.new_id(), country="0", approval_rate=100, is_test=True)
    platform.people[person.id] = person
    return Response(201, {"participant_id": person.id})
