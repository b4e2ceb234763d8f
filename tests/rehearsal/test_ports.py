"""A site whose port is in use is not prepared."""

import socket

import pytest

from rehearsal.domain.site import SiteError, answering_address, check_ports


@pytest.fixture
def site(settings, free_port) -> int:
    settings.SITE_URL = f"http://127.0.0.1:{free_port}"
    settings.MARKETPLACE_CONTENT_URL = f"http://localhost:{free_port + 1}"
    return free_port


def test_free_ports_are_accepted(site):
    assert answering_address() == ""
    check_ports()


@pytest.mark.parametrize("offset", [0, 1])
def test_taken_port_is_named_with_an_alternative(site, offset):
    with (
        socket.create_server(("127.0.0.1", site + offset)),
        pytest.raises(SiteError) as refused,
    ):
        check_ports()
    assert str(refused.value) == (
        f"Another server answers on http://127.0.0.1:{site + offset}. If it is this site, use it. "
        f"Otherwise stop it, or choose another port, such as --port {site + 10}."
    )


def test_content_of_another_machine_is_not_asked(site, settings):
    settings.MARKETPLACE_CONTENT_URL = f"http://content.example:{site + 1}"
    with socket.create_server(("127.0.0.1", site + 1)):
        assert answering_address() == ""
