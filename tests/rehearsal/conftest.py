"""Fixtures for rehearsals in one process: our own marketplace and a running clock."""

from tests.crowd.conftest import clock, wire

__all__ = ["clock", "wire"]
