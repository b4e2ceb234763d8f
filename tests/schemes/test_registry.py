import pytest

from schemes.registry import SCHEMES, UnknownSchemeError, get_scheme


def test_every_scheme_stands_under_its_own_name():
    for name, scheme in SCHEMES.items():
        assert get_scheme(name) is scheme
        assert scheme.name == name


def test_unknown_scheme_lists_those_there_are():
    with pytest.raises(UnknownSchemeError, match="Known schemes: qasrl"):
        get_scheme("nonsense")
