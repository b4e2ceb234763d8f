"""The data of a worker's page, as its scripts read it."""

import json
import re

from schemes.base import Json

ELEMENT = re.compile(r'<script id="page" type="application/json">(.*?)</script>', re.DOTALL)


def page_data(html: str) -> Json:
    (data,) = ELEMENT.findall(html)
    return json.loads(data)
