"""Comments on items of public releases: who may write, read and remove them."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole
from releases.domain.comments import (
    MAX_COMMENT,
    PER_DAY,
    CommentError,
    add_comment,
    remove_comment,
    shown_comments,
)
from releases.domain.public import close_to_public, open_to_public
from releases.models import ItemComment, Release
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.releases.projects import make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


@pytest.fixture
def release(tmp_path) -> Release:
    release = make_release(make_sample_project("qasrl", tmp_path))
    open_to_public(release=release, actor="rita", now=NOW, has_comments=True)
    return release


@pytest.fixture
def item(release):
    return release.items.first()


@pytest.fixture
def reader():
    return get_user_model().objects.create_user("paul", password="x")


def url(item, name: str = "public_item", *more: object) -> str:
    release = item.release
    arguments = [release.project.slug, release.version, item.position, *more]
    return reverse(f"releases:{name}", args=arguments)


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_person_with_an_account_comments_and_anyone_reads_it(item, reader, client):
    before = client.get(url(item))
    assert b"No comments yet" in before.content
    page = client_of(reader).get(url(item, "comment")).content.decode()
    assert "with your username, paul" in page
    text = "The answer <b>lacks</b> an article."
    response = client_of(reader).post(url(item, "comment"), {"text": f" {text} "})
    comment = ItemComment.objects.get()
    assert comment.text == text
    # The address is new, so that the author sees the comment whatever is cached.
    assert response.url == f"{url(item)}?comment={comment.pk}#comment-{comment.pk}"
    after = client.get(url(item), headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert "The answer &lt;b&gt;lacks&lt;/b&gt; an article." in after.content.decode()
    assert "public" in after["Cache-Control"]
    other = item.release.items.exclude(pk=item.pk).first()
    assert b"lacks" not in client.get(url(other)).content


def test_visitors_sign_in_first(item, client):
    response = client.post(url(item, "comment"), {"text": "Hello"})
    assert response.url.startswith(reverse("account_login"))
    assert not ItemComment.objects.exists()


@pytest.mark.parametrize("text", ["", "  \n", "x" * (MAX_COMMENT + 1)])
def test_empty_and_long_comments_are_refused(item, reader, text):
    assert client_of(reader).post(url(item, "comment"), {"text": text}).status_code == 422
    with pytest.raises(CommentError):
        add_comment(item=item, author=reader, text=text, now=NOW)
    assert not ItemComment.objects.exists()


def test_a_day_has_a_limit_and_repeated_comments_are_refused(release, reader):
    items = list(release.items.all())
    for at in range(PER_DAY):
        add_comment(item=items[at % len(items)], author=reader, text=f"No. {at}", now=NOW)
    with pytest.raises(CommentError, match="30 comments a day"):
        add_comment(item=items[0], author=reader, text="One more", now=NOW)
    later = NOW + timedelta(days=1)
    add_comment(item=items[0], author=reader, text="One more", now=later)
    with pytest.raises(CommentError, match="already"):
        add_comment(item=items[0], author=reader, text="One more", now=later)


@pytest.mark.parametrize("is_public", [True, False])
def test_releases_without_comments_have_no_such_pages(tmp_path, reader, is_public):
    release = make_release(make_sample_project("qasrl", tmp_path))
    if is_public:
        open_to_public(release=release, actor="rita", now=NOW)
        page = client_of(reader).get(url(release.items.first())).content.decode()
        assert "Comments" not in page
    item = release.items.first()
    for method in ("get", "post"):
        response = getattr(client_of(reader), method)(url(item, "comment"), {"text": "Hello"})
        assert response.status_code == 404
    with pytest.raises(CommentError, match="takes no comments"):
        add_comment(item=item, author=reader, text="Hello", now=NOW)


def test_authors_remove_their_own_comments_only(item, reader, client):
    comment = add_comment(item=item, author=reader, text="Mine", now=NOW)
    stranger = get_user_model().objects.create_user("sam", password="x")
    address = url(item, "remove_own_comment", comment.pk)
    assert client_of(stranger).post(address).status_code == 404
    assert shown_comments(item).get() == comment
    assert client_of(reader).post(address).status_code == 302
    assert b"Mine" not in client.get(url(item)).content


def test_staff_remove_comments_with_a_reason(item, reader, client):
    comment = add_comment(item=item, author=reader, text="Buy cheap watches", now=NOW)
    project = item.release.project
    rita = client_of(make_user("rita", project, MemberRole.REQUESTER))
    at = [project.slug, item.release.version]
    listed = reverse("releases:release_comments", args=at)
    remove = reverse("releases:remove_release_comment", args=[*at, comment.pk])
    assert "Buy cheap watches" in rita.get(listed).content.decode()
    rita.post(remove, {f"{comment.pk}-reason": ""})
    assert shown_comments(item).exists()
    rita.post(remove, {f"{comment.pk}-reason": "Advertising"})
    assert b"watches" not in client.get(url(item)).content
    page = rita.get(listed).content.decode()
    assert "Buy cheap watches" in page
    assert "Reason: Advertising" in page
    remove_comment(comment=comment, actor="eve", now=NOW, reason="Other")
    comment.refresh_from_db()
    assert (comment.removed_by, comment.reason) == ("rita", "Advertising")


def test_comments_stay_while_a_release_is_private(item, reader, client):
    add_comment(item=item, author=reader, text="Still here", now=NOW)
    close_to_public(release=item.release, actor="rita", now=NOW)
    assert client.get(url(item)).status_code == 404
    open_to_public(release=item.release, actor="rita", now=NOW, has_comments=True)
    assert b"Still here" in client.get(url(item)).content


def test_comment_of_invisible_characters_is_refused(item, reader):
    with pytest.raises(CommentError, match="Write a comment"):
        add_comment(item=item, author=reader, text="\u200b \u202e\n", now=NOW)
