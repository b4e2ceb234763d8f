"""The Prolific API."""
