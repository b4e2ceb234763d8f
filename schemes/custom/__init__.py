"""Schemes declared as data: a definition in YAML or JSON becomes a scheme."""
