"""Evaluation metrics as pure functions, without files or Django.

Labels are hashable values. Spans are half-open token ranges. Boxes are half-open
`[x1, y1, x2, y2)`. `docs/metrics.md` has the definitions, their sources and worked examples.
"""
