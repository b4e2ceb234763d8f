"""A simulated worker: signs in, takes HITs, fills in pages, hands in. All over HTTP, as people do."""

import random
import re
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from rehearsal.domain.browser import Browser, Page
from rehearsal.domain.script import Script

IDLE_SECONDS = 1.0
# The share of pages on which the worker lingers long enough for a draft to be saved.
DRAFTED = 0.25
WORK_PATH = re.compile(r"^/hits/work/[^/]+/$")
WORKER_ID = re.compile(r"<code>(A[A-Z0-9]+)</code>")


class RehearsalFailed(Exception):
    """A simulated worker met something that a person could not have got past."""


@dataclass(frozen=True, slots=True)
class Account:
    """How a simulated worker signs in at our marketplace; `invitation` is used the first time."""

    name: str
    email: str
    password: str
    invitation: str


class SimulatedWorker:
    def __init__(self, *, site: str, account: Account, script: Script) -> None:
        self.browser = Browser(site)
        self.account = account
        self.script = script
        self.worker_id = ""
        self._rng = random.Random(account.name)  # noqa: S311

    def sign_in(self) -> str:
        """Sign up by the invitation, or in; returns the worker's id at the marketplace."""
        self._fill(
            f"/hits/join/{self.account.invitation}/",
            username=self.account.name,
            email=self.account.email,
            password=self.account.password,
            country="US",
            is_adult="on",
        )
        shown = self._account_page()
        if shown is None:  # the name is taken: by an earlier rehearsal of the same seed
            self._fill("/hits/login/", username=self.account.name, password=self.account.password)
            shown = self._account_page()
        if shown is None:
            raise RehearsalFailed(f"{self.account.name} could not sign in at {self.browser.site}.")
        self.worker_id = shown
        return shown

    def _account_page(self) -> str | None:
        """The worker's id as their account page shows it; None for someone not signed in."""
        found = WORKER_ID.search(self.browser.get("/hits/account/").text)
        return found.group(1) if found else None

    def _fill(self, path: str, **fields: str) -> None:
        form = self.browser.get(path).form_to(path)
        if form is None:
            raise RehearsalFailed(f"{path} shows no form to fill in.")
        self.browser.post(form.action, form.fields | fields)

    def work_until(self, done: threading.Event) -> None:
        """Take and do HITs until told that all is done."""
        while not done.is_set():
            wrapper = self._next_hit()
            while wrapper and not done.is_set():
                wrapper = self._do(wrapper)
            done.wait(IDLE_SECONDS)

    def _next_hit(self) -> Page | None:
        """A HIT accepted before and left unfinished, else the next of some group; None without any."""
        listing = self.browser.get("/hits/")
        for link in listing.links:
            if WORK_PATH.search(urlsplit(link).path):
                return self.browser.get(link)
        ours = self.script.hit_types()
        groups = [one for one in listing.all_marked("data-group") if one["data-group"] in ours]
        self._rng.shuffle(groups)
        for group in groups:
            form = listing.form_to(f"/hits/groups/{group['data-group']}/accept/")
            if form and (wrapper := _wrapper(self.browser.post(form.action, form.fields))):
                return wrapper
        return None

    def _do(self, wrapper: Page) -> Page | None:
        """Work through what stands in the frame, hand it in to us, then to the marketplace, and go on
        to the next HIT of the group, if there is one."""
        source = wrapper.frames.get("task")
        if not source:
            return None
        page = self.browser.get(source).data
        if page is None:
            self._give_back(wrapper)
            return None
        if not page["submitted"] and self._rng.random() < DRAFTED:
            self._save(page)
        fields = self._submit(page)
        status = self.browser.post_bare(
            page["submitTo"], {"assignmentId": page["assignment"], **fields}
        )
        if status >= 400:
            raise RehearsalFailed(f"The marketplace refused finished work (status {status}).")
        following = wrapper.form_to("/next/")
        if following is None:
            return None
        going_on = following.fields | {"accepts_next": "on"}
        return _wrapper(self.browser.post(following.action, going_on))

    def _give_back(self, wrapper: Page) -> None:
        """Return a HIT whose page can't be used: our own annotations are to be merged there."""
        form = wrapper.form_to("/return/")
        if form is None:
            raise RehearsalFailed(f"{wrapper.url} shows a task that can't be done or returned.")
        self.browser.post(form.action, form.fields)

    def _content(self, page: Any, item: Any) -> Any:
        if "sources" in item:
            return self.script.consolidation(item, worker=self.worker_id)
        if "asked" in item:
            return self.script.validation(item, worker=self.worker_id)
        return self.script.generation(item, worker=self.worker_id, assignment=page["assignment"])

    def _save(self, page: Any) -> None:
        """A draft on the way, as pages save them; the page then knows its new revision."""
        status, answer = self.browser.post_json(page["urls"]["draft"], self._message(page, 5))
        if status == 409:
            page["revision"] = answer["newest"]["revision"]
        elif status == 200:
            page["revision"] = answer["revision"]
        else:
            raise RehearsalFailed(f"A draft was refused: {answer.get('error')}")

    def _submit(self, page: Any) -> dict[str, str]:
        status, answer = self.browser.post_json(page["urls"]["submit"], self._message(page, 30))
        if status != 200:
            raise RehearsalFailed(f"Finished work was refused: {answer}")
        fields: dict[str, str] = answer["fields"]
        return fields

    def _message(self, page: Any, seconds: int) -> dict[str, Any]:
        return {
            "token": page["token"],
            "revision": page["revision"],
            "content": {str(item["id"]): self._content(page, item) for item in page["items"]},
            "active_seconds": seconds,
            "moves": 10,
        }


def _wrapper(page: Page) -> Page | None:
    """The page, if it is one around a task."""
    return page if WORK_PATH.search(urlsplit(page.url).path) else None
