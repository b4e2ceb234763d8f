"""What the office types in, checked at the edge: for each module of `dashboard.views` its forms."""
