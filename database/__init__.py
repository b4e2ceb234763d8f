"""What we add to Django's database layer: two backends, and statements that are written out."""
