"""A simulated worker: signs in, takes HITs, fills in pages, hands in. All over HTTP, as people do."""

import random
import re
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from rehearsal.domain.browser import Browser, Page
from rehearsal.domain.script import Script

IDLE_SECONDS = 0.5
WORK_PATH = re.compile(r"/hits/work/([^/]+)/$")


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
        """Sign in, or up by the invitation; returns the worker's id at the marketplace."""
        page = self._log_in()
        if not page.all_marked("data-worker"):
            page = self._join()
        marked = page.all_marked("data-worker")
        if not marked:
            raise RehearsalFailed(f"{self.account.name} could not sign in at {page.url}.")
        self.worker_id = marked[0]["data-worker"]
        return self.worker_id

    def _log_in(self) -> Page:
        form = self.browser.get("/hits/login/").form_to("/hits/login/")
        if form is None:
            return self.browser.get("/hits/")
        form.fields |= {"email": self.account.email, "password": self.account.password}
        return self.browser.post(form.action, form.fields)

    def _join(self) -> Page:
        path = f"/hits/join/{self.account.invitation}/"
        form = self.browser.get(path).form_to(path)
        if form is None:
            raise RehearsalFailed(f"The invitation of {self.account.name} is not valid (any more).")
        secret = {"password": self.account.password, "password2": self.account.password}
        form.fields |= {"name": self.account.name, "email": self.account.email, **secret}
        self.browser.post(form.action, form.fields)
        return self.browser.get("/hits/")

    def work_until(self, done: threading.Event) -> None:
        """Take and do HITs until told that all is done."""
        while not done.is_set():
            if not self._work_once():
                done.wait(IDLE_SECONDS)

    def _work_once(self) -> bool:
        """Do one HIT: one accepted before and left, else the next of a group; False if there is none."""
        listing = self.browser.get("/hits/")
        unfinished = listing.all_marked("data-assignment")
        if unfinished:
            return self._do(self.browser.get(f"/hits/work/{unfinished[0]['data-assignment']}/"))
        groups = listing.all_marked("data-group")
        self._rng.shuffle(groups)
        for group in groups:
            path = f"/hits/groups/{group['data-group']}/accept/"
            form = listing.form_to(path)
            if form is None:
                continue
            wrapper = self.browser.post(form.action, form.fields)
            if WORK_PATH.search(urlsplit(wrapper.url).path):
                return self._do(wrapper)
        return False

    def _do(self, wrapper: Page) -> bool:
        """Work through what stands in the frame, hand it in to us, then to the marketplace."""
        source = wrapper.frames.get("task")
        if not source:
            return False
        page = self.browser.get(source).data
        if page is None:
            return self._give_back(wrapper)
        if not page["submitted"]:
            self._save(page)
        fields = self._submit(page)
        status = self.browser.post_bare(
            page["submitTo"], {"assignmentId": page["assignment"], **fields}
        )
        if status >= 400:
            raise RehearsalFailed(f"The marketplace refused finished work (status {status}).")
        return True

    def _give_back(self, wrapper: Page) -> bool:
        form = next((one for one in wrapper.forms if one.action.endswith("/return/")), None)
        if form is None:
            raise RehearsalFailed(f"{wrapper.url} shows a task that can't be done or returned.")
        self.browser.post(form.action, form.fields)
        return False

    def _content(self, page: Any, item: Any) -> Any:
        if "sources" in item:
            return self.script.consolidation(item, worker=self.worker_id)
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
