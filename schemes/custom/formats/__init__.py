"""Files of items of custom schemes, by format."""
