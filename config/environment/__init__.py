"""The environment variables that configure a site: their types, defaults and meanings."""
