"""Tests of the experts' resource search and of precedents from other items."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole
from tests.consolidation.experts import make_queue
from tests.dashboard.campaign import make_user
from tests.schemes.frames.projects import (
    content_of,
    import_sample,
    make_frames_project,
    make_record,
    settle,
    submit,
)

pytestmark = pytest.mark.django_db


def test_expert_page_looks_up_other_items(client: Client):
    project = make_frames_project()
    import_sample(project)
    own, other = make_record(project), make_record(project)
    queued = make_record(project)
    for item, content in (
        (own, content_of("Hiring")),
        (other, None),
        (queued, content_of("Firing")),
    ):
        submit(item, content)
        settle(item)
    # The expert may get the other item too.
    queue = make_queue(project, [own, queued], kind="annotate", sources=[])
    client.force_login(make_user("eva", project, MemberRole.EXPERT))
    html = client.get(
        reverse("consolidation:expert_item", args=["frames", queue.queued.get(item=own).pk])
    ).text
    page = html.split('<script id="page" type="application/json">', 1)[1].split("</script>", 1)[0]
    urls = json.loads(page)["urls"]
    message = json.dumps({"token": "", "resource": "precedents", "query": "sell"})
    response = client.post(urls["lookUp"], message, content_type="text/plain")
    chosen = {"frame": "Commerce_sell", "lemma": "sell", "count": 1, "words": ["fund"]}
    assert response.json() == {"results": [chosen]}
    assert len(client.get(urls["index"]["lexicon"]).json()["frames"]) == 65
    malformed_url = f"{urls['lookUp']}&item=x&item={'9' * 40}"
    assert client.post(malformed_url, message, content_type="text/plain").status_code == 200
