"""Tests of every route with hostile input."""
