"""The stand-in's groups, messages, workspaces and projects."""

from tests.fakes.prolific.state import Message


def create_group(prolific, name="trained", **fields):
    body = {"workspace_id": prolific.workspace.id, "name": name, **fields}
    return prolific.call("POST", "/participant-groups/", body)


def test_group_is_created_and_listed(prolific):
    status, group = create_group(prolific)
    assert status == 201
    assert (group["name"], group["workspace_id"]) == ("trained", prolific.workspace.id)
    query = {"workspace_id": prolific.workspace.id}
    assert prolific.call("GET", "/participant-groups/", None, **query)[1]["results"] == [group]
    assert prolific.call("GET", "/participant-groups/", None, workspace_id="x")[1]["results"] == []
    assert prolific.call("GET", f"/participant-groups/{group['id']}/") == (200, group)


def test_members_are_added_and_removed_idempotently(prolific):
    path = f"/participant-groups/{create_group(prolific)[1]['id']}/participants/"
    first, second = (prolific.participant().id for _ in range(2))

    def members():
        return [row["participant_id"] for row in prolific.call("GET", path)[1]["results"]]

    for _ in range(2):
        assert prolific.call("POST", path, {"participant_ids": [first, second]})[0] == 200
        assert members() == [first, second]
    for _ in range(2):
        assert prolific.call("DELETE", path, {"participant_ids": [first]})[0] == 200
        assert members() == [second]


def test_unknown_participant_is_refused(prolific):
    path = f"/participant-groups/{create_group(prolific)[1]['id']}/participants/"
    status, body = prolific.call("POST", path, {"participant_ids": ["a" * 24]})
    assert (status, body["error"]["detail"]) == (400, [f"Participant {'a' * 24} not found."])


def test_deleted_group_is_not_found(prolific):
    path = f"/participant-groups/{create_group(prolific)[1]['id']}/"
    assert prolific.call("DELETE", path)[0] == 204
    assert prolific.call("GET", path)[0] == 404
    assert prolific.call("GET", "/participant-groups/")[1]["results"] == []


def test_message_reaches_known_participants(prolific):
    study = prolific.add_study()
    person = prolific.participant()
    body = {"ids": [person.id, "a" * 24], "body": "Welcome", "study_id": study.id}
    assert prolific.call("POST", "/messages/bulk/", body) == (204, None)
    assert prolific.messages == [Message((person.id,), "Welcome", study.id, prolific.clock())]
    del body["study_id"]
    assert prolific.call("POST", "/messages/bulk/", body)[0] == 400


def test_workspaces_and_projects(prolific):
    [workspace] = prolific.call("GET", "/workspaces/")[1]["results"]
    assert workspace["id"] == prolific.workspace.id
    path = f"/workspaces/{workspace['id']}/projects/"
    status, project = prolific.call("POST", path, {"title": "Second"})
    assert (status, project["workspace"]) == (201, workspace["id"])
    titles = [row["title"] for row in prolific.call("GET", path)[1]["results"]]
    assert titles == ["Project", "Second"]
    assert prolific.call("GET", f"/projects/{project['id']}/") == (200, project)
    assert prolific.call("GET", "/users/me/")[1]["currency_code"] == "USD"
