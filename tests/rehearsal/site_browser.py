"""A requester's browser on a running site, over HTTP."""

import re
import time

import requests

WITHIN = 240


def states(page: str) -> list[str]:
    """Return the state, with its reason, in each row of the page."""
    cells = re.findall(r'<span class="state state--.*?</td>', page, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in cells]


class SiteBrowser:
    """A requester's browser, which keeps cookies and sends the form's token."""

    def __init__(self, site: str) -> None:
        self.site, self.session = site, requests.Session()

    def get(self, path: str) -> str:
        answer = self.session.get(self.site + path, timeout=30)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.text

    def post(self, path: str, facts: dict[str, str], **files: object) -> str:
        """Submit the form of the page and return the path of the redirect."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path))
        assert token
        answer = self.session.post(
            self.site + path,
            data={"csrfmiddlewaretoken": token[1], **facts},
            files=files or None,
            headers={"Referer": self.site + path},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text[:2000]
        return answer.url.removeprefix(self.site)

    def wait_for(self, path: str, words: str) -> str:
        end = time.monotonic() + WITHIN
        while words not in (page := self.get(path)):
            assert "state--failed" not in page, states(page)
            assert time.monotonic() < end, states(page)
            time.sleep(1)
        return page
