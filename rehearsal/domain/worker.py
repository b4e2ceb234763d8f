"""A simulated worker, who accepts and submits HITs over HTTP as a person does."""

import random
import re
import threading
from dataclasses import dataclass
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from django.urls import reverse

from audit.errors import TouchstoneError
from rehearsal.domain.browser import Browser, Page
from rehearsal.domain.scenario import Scenario

IDLE_SECONDS = 1.0
# Share of pages on which the worker saves a draft
DRAFTED = 0.25
# Active seconds per item that the worker reports, although the work is done at once
WORK_SECONDS = (25, 55)
WORK_PATH = re.compile(r"^/hits/work/[^/]+/$")
WORKER_ID = re.compile(r"<code>(A[A-Z0-9]+)</code>")


class RehearsalFailedError(TouchstoneError):
    """A simulated worker cannot continue, or the campaign makes no progress."""


@dataclass(frozen=True, slots=True)
class Account:
    """The login of a simulated worker. `invitation` is used for the first sign-in."""

    name: str
    email: str
    password: str
    invitation: str


class SimulatedWorker:
    """A worker who accepts HITs of one project and submits the scenario's annotations."""

    def __init__(self, *, site: str, account: Account, script: Scenario) -> None:
        self.browser = Browser(site)
        self.account = account
        self.script = script
        self.worker_id = ""
        self._rng = random.Random(account.name)  # noqa: S311

    def sign_in(self) -> str:
        """Sign up with the invitation or sign in, and return the worker's marketplace id."""
        self._fill(
            f"/hits/join/{self.account.invitation}/",
            username=self.account.name,
            email=self.account.email,
            password=self.account.password,
            country="US",
            is_adult="on",
            accepts="on",
        )
        worker_id = self._account_page()
        if worker_id is None:  # an earlier rehearsal with the same seed created the account
            self._fill("/hits/login/", username=self.account.name, password=self.account.password)
            worker_id = self._account_page()
        if worker_id is None:
            raise RehearsalFailedError(
                f"{self.account.name} could not sign in at {self.browser.site}."
            )
        self.worker_id = worker_id
        path = "/hits/consent/"
        if self.browser.get(path).form_to(path):
            self._fill(path, accepts="on")
        return worker_id

    def _account_page(self) -> str | None:
        """Return the worker's id from their account page, or None if not signed in."""
        match = WORKER_ID.search(self.browser.get("/hits/account/").text)
        return match.group(1) if match else None

    def _fill(self, path: str, **fields: str) -> None:
        form = self.browser.get(path).form_to(path)
        if form is None:
            raise RehearsalFailedError(f"{path} has no form.")
        self.browser.post(form.action, form.fields | fields)

    def work_until(self, done: threading.Event) -> None:
        """Accept and submit HITs until the event is set."""
        while not done.is_set():
            wrapper = self._next_hit()
            while wrapper and not done.is_set():
                wrapper = self._do(wrapper)
            done.wait(IDLE_SECONDS)

    def _next_hit(self) -> Page | None:
        """Return an unfinished or newly accepted HIT, or None."""
        listing = self.browser.get("/hits/")
        for link in listing.links:
            if WORK_PATH.search(urlsplit(link).path):
                return self.browser.get(link)
        ours = self.script.hit_types()
        groups = [
            element for element in listing.all_marked("data-group") if element["data-group"] in ours
        ]
        self._rng.shuffle(groups)
        for group in groups:
            form = listing.form_to(f"/hits/groups/{group['data-group']}/accept/")
            if form and (wrapper := _wrapper(self.browser.post(form.action, form.fields))):
                return wrapper
        return None

    def _do(self, wrapper: Page) -> Page | None:
        """Submit the task in the frame, and return the next HIT of the group or None."""
        source = wrapper.frames.get("task")
        if not source:
            return None
        page = self._onboard(self.browser.get(source)).data
        if page is None:
            form = wrapper.form_to("/return/")
            if form is None:
                raise RehearsalFailedError(
                    f"{wrapper.url} has a task that can neither be submitted nor returned."
                )
            self.browser.post(form.action, form.fields)
            return None
        if not page["submitted"] and self._rng.random() < DRAFTED:
            self._save(page)
        fields = self._submit(page)
        status = self.browser.post_bare(
            page["submitTo"], {"assignmentId": page["assignment"], **fields}
        )
        if status >= 400:
            raise RehearsalFailedError(f"The marketplace refused finished work (status {status}).")
        following = wrapper.form_to("/next/")
        if following is None:
            return None
        fields = following.fields | {"accepts_next": "on"}
        return _wrapper(self.browser.post(following.action, fields))

    def _onboard(self, page: Page) -> Page:
        """Consent and fill in the questionnaire if the project asks for it, and return the task."""
        form = page.form_to(reverse("annotation:onboarding"))
        if form is None:
            return page
        answers = {name: value or "English" for name, value in form.fields.items()}
        return self.browser.post(form.action, answers | {"accepts": "on"})

    def _content(self, page: Any, item: Any) -> Any:
        if "sources" in item:
            return self.script.consolidation(item, worker=self.worker_id)
        if "asked" in item:
            return self.script.validation(item, worker=self.worker_id)
        if "disputes" in item:
            return self.script.revision(item, worker=self.worker_id, assignment=page["assignment"])
        return self.script.generation(item, worker=self.worker_id, assignment=page["assignment"])

    def _save(self, page: Any) -> None:
        """Save a draft, and update the page's revision."""
        status, response = self.browser.post_json(page["urls"]["draft"], self._message(page, 5))
        if status == 409:
            page["revision"] = response["newest"]["revision"]
        elif status == 200:
            page["revision"] = response["revision"]
        else:
            raise RehearsalFailedError(f"A draft was refused. {_reasons(response)}")

    def _submit(self, page: Any) -> dict[str, str]:
        seconds = self._rng.randint(*WORK_SECONDS) * len(page["items"])
        message = self._message(page, seconds)
        status, response = self.browser.post_json(page["urls"]["submit"], message)
        if status != 200:
            raise RehearsalFailedError(f"Finished work was refused. {_reasons(response)}")
        fields: dict[str, str] = response["fields"]
        return fields

    def _message(self, page: Any, seconds: int) -> dict[str, Any]:
        return {
            "token": page["token"],
            "revision": page["revision"],
            "save_id": token_hex(16),
            "content": {str(item["id"]): self._content(page, item) for item in page["items"]},
            "active_seconds": seconds,
            "moves": 10,
        }


def _reasons(response: Any) -> str:
    """Return the errors of a response in sentences."""
    errors = response.get("errors") if isinstance(response, dict) else None
    if not errors:
        return "The site gave no reason."
    return " ".join(
        f"{error['attr']}: {error['detail']}" if error.get("attr") else str(error["detail"])
        for error in errors
    )


def _wrapper(page: Page) -> Page | None:
    """Return the page if it contains a task, else None."""
    return page if WORK_PATH.search(urlsplit(page.url).path) else None
