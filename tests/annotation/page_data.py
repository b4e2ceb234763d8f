"""The data that a worker's page passes to its scripts."""

import json
import re

from schemes.contract.values import Json

ELEMENT = re.compile(r'<script id="page" type="application/json">(.*?)</script>', re.DOTALL)


def page_data(html: str) -> Json:
    (data,) = ELEMENT.findall(html)
    return json.loads(data)
