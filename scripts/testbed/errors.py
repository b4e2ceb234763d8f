class MissingError(Exception):
    """A test service is missing and could not be started."""
