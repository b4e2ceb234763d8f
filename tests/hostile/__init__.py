"""Input that no honest client sends, for every route."""
