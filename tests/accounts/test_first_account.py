"""Tests of the first account, which a link from the server's output creates without a command."""

import re
import sys
import threading
from datetime import timedelta
from io import StringIO

import pytest
import requests
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.domain.first_account import LinkOverError, create_first_account, first_account_link
from tests.dashboard.campaign import make_user

ACCOUNT = {
    "username": "fay",
    "email": "fay@touchstone.example",
    "password1": "nine green horses",
    "password2": "nine green horses",
}


def path_of(link: str) -> str:
    return "/" + link.split("/", 3)[3]


def printed() -> str:
    output = StringIO()
    call_command("first_account_link", stdout=output)
    return output.getvalue()


def test_printed_link_creates_an_admin_who_creates_projects_and_operates_the_marketplace(
    db, settings
):
    [link] = re.findall(r"http\S+", printed())
    assert link.startswith(f"{settings.SITE_URL}/first-account/")
    client = Client()
    assert "Create the first account" in client.get(path_of(link)).content.decode()
    assert client.post(path_of(link), ACCOUNT).url == "/"
    assert "New project" in client.get("/").content.decode()
    assert client.get("/hits/operator/workers/").status_code == 200
    user = get_user_model().objects.get()
    assert (user.username, user.email) == ("fay", "fay@touchstone.example")
    assert Client().get(path_of(link)).status_code == 410
    assert printed() == ""


def test_mistakes_are_explained_and_create_nothing(db):
    path = path_of(first_account_link(now=timezone.now()))
    page = Client().post(path, {**ACCOUNT, "email": "", "password2": "another"})
    assert page.status_code == 422
    assert "This field is required." in page.content.decode()
    assert not get_user_model().objects.exists()


@pytest.mark.parametrize("token", ["", "x", "ImEi:1abc:notthesignature"])
def test_wrong_link_creates_nothing(db, token):
    path = f"/first-account/{token or 'none'}/"
    for response in (Client().get(path), Client().post(path, ACCOUNT)):
        assert response.status_code == 410
    assert not get_user_model().objects.exists()


def test_link_expires_after_a_day(db):
    link = first_account_link(now=timezone.now() - timedelta(hours=24))
    page = Client().post(path_of(link), ACCOUNT)
    assert page.status_code == 410
    assert "first_account_link" in page.content.decode()


def test_sign_in_page_of_an_empty_site_says_where_the_link_is_and_does_not_show_it(db):
    page = Client().get("/login/").content.decode()
    assert "printed when it started" in page
    assert "/first-account/" not in page
    assert 'name="password"' not in page
    make_user("ada")
    page = Client().get("/login/").content.decode()
    assert "printed when it started" not in page
    assert 'name="password"' in page


@pytest.mark.django_db(transaction=True)
def test_two_who_open_the_link_at_once_create_one_account():
    token = path_of(first_account_link(now=timezone.now())).split("/")[2]
    start, outcomes = threading.Barrier(2), []

    def create(name: str) -> None:
        start.wait()
        try:
            create_first_account(
                token=token, username=name, email="", password="x" * 12, now=timezone.now()
            )
            outcomes.append("created")
        except LinkOverError:
            outcomes.append("over")
        finally:
            connection.close()

    threads = [threading.Thread(target=create, args=[name]) for name in ("ada", "fay")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["created", "over"]
    assert get_user_model().objects.count() == 1


@pytest.fixture
def site(embedded_site, free_port, migrate, collected):
    env = {**embedded_site, "SITE_URL": f"http://127.0.0.1:{free_port}"}
    migrate(env)
    return env


@pytest.mark.system
def test_server_prints_one_link_for_all_its_processes(site, start_process, tmp_path, wait_for):
    env = {**site, "WEB_CONCURRENCY": "3"}
    options = [
        "--config",
        "deploy/gunicorn_conf.py",
        "--bind",
        site["SITE_URL"].removeprefix("http://"),
    ]
    log = tmp_path / "web.log"
    gunicorn = [sys.executable, "-m", "gunicorn", "config.wsgi", *options]
    start_process(gunicorn, env=env, log=log)
    wait_for(lambda: "/first-account/" in log.read_text())
    wait_for(lambda: log.read_text().count("Booting worker") == 3)
    [link] = re.findall(r"http\S+/first-account/\S+", log.read_text())
    assert requests.get(link, timeout=20).status_code == 200
