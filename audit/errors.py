"""The base of the project's own exceptions."""


class TouchstoneError(Exception):
    """An operation that was refused. The message tells the user what to do next."""
