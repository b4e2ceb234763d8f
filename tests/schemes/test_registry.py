import pytest

from schemes.registry import SCHEMES, UnknownSchemeError, get_scheme


def test_schemes_are_registered_under_their_names():
    for name, scheme in SCHEMES.items():
        assert get_scheme(name) is scheme
        assert scheme.name == name


def test_error_for_an_unknown_scheme_lists_the_schemes():
    with pytest.raises(UnknownSchemeError, match="Known schemes: qasrl"):
        get_scheme("nonsense")
