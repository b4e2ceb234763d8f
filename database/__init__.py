"""What we add to Django's database layer: PostgreSQL's connection, and written-out statements."""
