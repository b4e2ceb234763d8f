"""What rehearsals inside one process need: our own marketplace on a wire, and a clock that runs."""

from tests.crowd.conftest import clock, wire

__all__ = ["clock", "wire"]
