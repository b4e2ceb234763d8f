import pytest

from schemes.base import Scheme
from schemes.registry import SCHEMES, UnknownSchemeError, get_scheme


def test_every_scheme_stands_under_its_own_name():
    for name, scheme in SCHEMES.items():
        assert get_scheme(name) is scheme
        assert scheme.name == name


def test_every_scheme_has_what_the_protocol_asks_for():
    wanted = {name for name in vars(Scheme) if not name.startswith("_")}
    wanted |= set(Scheme.__annotations__)
    for scheme in SCHEMES.values():
        assert {name for name in wanted if not hasattr(scheme, name)} == set()


def test_unknown_scheme_lists_those_there_are():
    with pytest.raises(UnknownSchemeError, match="Known schemes: qasrl"):
        get_scheme("nonsense")
