"""Messages to participants. They have no subject, and no result per participant."""

from tests.fakes.prolific.routing import Request, Response, route
from tests.fakes.prolific.state import Message, Platform


@route("POST", "/messages/bulk/")
def send_to_many(platform: Platform, request: Request) -> Response:
    study = platform.study(request.text("study_id"))
    participants = request.ids("ids")
    return _send(platform, participants, request.text("body"), study.id)


@route("POST", "/messages/")
def send(platform: Platform, request: Request) -> Response:
    study = platform.study(request.text("study_id"))
    return _send(platform, [request.text("recipient_id")], request.text("body"), study.id)


def _send(platform: Platform, participants: list[str], body: str, study: str) -> Response:
    reached = tuple(key for key in participants if key in platform.people)
    platform.messages.append(Message(reached, body, study, platform.now))
    return Response(204)
