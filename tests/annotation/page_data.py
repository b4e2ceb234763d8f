"""The data of a worker's page, as its scripts read it."""

import json
import re

from schemes.base import Json

ELEMENT = '<script id="{}" type="application/json">(.*?)</script>'


def page_data(html: str) -> Json:
    [page], [shared] = (
        re.findall(ELEMENT.format(name), html, re.DOTALL) for name in ("page", "shared")
    )
    return {**json.loads(page), "shared": json.loads(shared)}
