"""The address with which Prolific opens a study, and the one that ends a session."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from django.utils.translation import gettext

from crowd.providers.base import InvalidArrivalError, SessionArrival

# The name of our parameter, and Prolific's placeholder for its value.
PARAMETERS = {
    "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
    "STUDY_ID": "{{%STUDY_ID%}}",
    "SESSION_ID": "{{%SESSION_ID%}}",
}
ID = re.compile(r"[0-9a-f]{24}")
COMPLETION = "https://app.prolific.com/submissions/complete"


def study_address(url: str) -> str:
    """Return the address that a study opens, with placeholders for the ids."""
    return f"{url}?" + "&".join(f"{name}={value}" for name, value in PARAMETERS.items())


def parse_session_arrival(parameters: Mapping[str, str]) -> SessionArrival:
    """Return the ids in the address. Raise InvalidArrivalError."""
    worker, study, session = (parameters.get(name, "") for name in PARAMETERS)
    if not all(ID.fullmatch(value) for value in (worker, study, session)):
        raise InvalidArrivalError(
            gettext(
                "This link has no participant, study or session. Open the study from Prolific again."
            )
        )
    return SessionArrival(study=study, session=session, worker=worker)


def completion_url(code: str, *, base: str = COMPLETION) -> str:
    return f"{base}?cc={quote(code)}"
