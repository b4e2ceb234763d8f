"""The contact address for vulnerability reports (RFC 9116)."""

from datetime import UTC, datetime, timedelta

ADDRESS = "/.well-known/security.txt"


def test_contact_is_published_with_an_expiry_within_a_year(client, settings):
    settings.SECURITY_CONTACT = "mailto:security@example.org"
    response = client.get(ADDRESS)
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
    assert fields["Contact"] == "mailto:security@example.org"
    assert fields["Canonical"] == f"{settings.SITE_URL}{ADDRESS}"
    expires = datetime.fromisoformat(fields["Expires"])
    assert timedelta(days=30) < expires - datetime.now(UTC) < timedelta(days=365)


def test_site_without_a_contact_has_none(client):
    assert client.get(ADDRESS).status_code == 404
