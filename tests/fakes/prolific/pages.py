"""Pages for trying the stand-in in a browser as a participant."""

from html import escape

from tests.fakes.prolific.participants import NotEligibleError, Participant
from tests.fakes.prolific.state import Person, Platform, Submission

Page = tuple[int, str, dict[str, str]]
COOKIE = "participant"
STYLE = "body{font:16px/1.5 system-ui;max-width:50rem;margin:2rem auto;padding:0 1rem}"
RETURNABLE = ("RESERVED", "ACTIVE", "AWAITING REVIEW")


def respond(
    platform: Platform, method: str, path: str, form: dict[str, str], cookie: str
) -> Page | None:
    """Return status, text and headers of a page, or None if there is no such page."""
    parts = path.strip("/").split("/")
    if path == "/":
        return _page("Participants", _participants(platform))
    if path == "/submissions/complete":
        return _completed(platform, cookie, form.get("cc", ""))
    if parts[0] != "participants" or len(parts) > 2:
        return None
    participant = _participant(platform, parts[1:], method)
    if participant is None:
        return None
    if method == "GET":
        return _page(f"Participant {participant.id}", _studies(platform, participant))
    return _act(participant, form)


def _participant(platform: Platform, parts: list[str], method: str) -> Participant | None:
    if parts:
        person = platform.people.get(parts[0])
        return Participant(platform, person) if person else None
    if method != "POST":
        return None
    person = Person(platform.new_id(), country="0", approval_rate=100)
    platform.people[person.id] = person
    return Participant(platform, person)


def _act(participant: Participant, form: dict[str, str]) -> Page:
    """Take a study, or return or leave a submission."""
    home = f"/participants/{participant.id}"
    cookie = {"Set-Cookie": f"{COOKIE}={participant.id}; Path=/"}
    try:
        if study := form.get("study"):
            return 303, "", {"Location": participant.take(study), **cookie}
        if key := form.get("return"):
            participant.return_place(key)
        if key := form.get("leave"):
            participant.leave_without_code(key)
    except NotEligibleError as error:
        return _page("Not possible", f"<p>{escape(str(error))}</p>{_link(home, 'Back')}", 409)
    return 303, "", {"Location": home, **cookie}


def _completed(platform: Platform, cookie: str, code: str) -> Page:
    person = platform.people.get(cookie.removeprefix(f"{COOKIE}="))
    if person is None:
        return _page("No participant", "<p>Open a study as a participant first.</p>", 403)
    home = _link(f"/participants/{person.id}", "Back to the studies")
    try:
        submission = Participant(platform, person).complete(code)
    except (IndexError, NotEligibleError) as error:
        return _page("Not completed", f"<p>{escape(str(error))}</p>{home}", 409)
    return _page("Completed", f"<p>Status: {submission.status}</p>{home}")


def _participants(platform: Platform) -> str:
    rows = "".join(f"<li>{_link(f'/participants/{key}', key)}</li>" for key in platform.people)
    button = '<form method="post" action="/participants"><button>Add participant</button></form>'
    return f"<ul>{rows}</ul>{button}"


def _studies(platform: Platform, participant: Participant) -> str:
    studies = "".join(
        f"<li>{escape(study.fields['name'])}, {study.reward} per place "
        f"{_button('study', study.id, 'Open study')}</li>"
        for study in participant.available_studies()
    )
    rows = "".join(_submission(platform, row) for row in participant.submissions)
    return f"<h2>Studies</h2><ul>{studies}</ul><h2>Submissions</h2><ul>{rows}</ul>"


def _submission(platform: Platform, row: Submission) -> str:
    name = platform.studies[row.study].fields["name"]
    buttons = _button("return", row.id, "Return place") if row.status in RETURNABLE else ""
    if row.status == "ACTIVE":
        buttons += _button("leave", row.id, "Finish without code")
    return f"<li>{escape(name)}: {row.status}, bonuses {row.bonus_payments} {buttons}</li>"


def _button(name: str, value: str, label: str) -> str:
    return (
        f'<form method="post" style="display:inline"><button name="{name}" value="{value}">'
        f"{label}</button></form>"
    )


def _link(address: str, label: str) -> str:
    return f'<a href="{escape(address)}">{escape(label)}</a>'


def _page(title: str, content: str, status: int = 200) -> Page:
    text = (
        f'<!doctype html><html lang="en"><title>{escape(title)}</title><style>{STYLE}</style>'
        f"<h1>{escape(title)}</h1>{content}</html>"
    )
    return status, text, {"Content-Type": "text/html; charset=utf-8"}
