class MissingError(Exception):
    """Something the tests need is not there and could not be brought up; says what to do."""
