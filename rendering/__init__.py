"""What we add to Django's templates: what would be the same each time is rendered once."""
