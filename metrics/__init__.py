"""The figures of the field as pure functions: values in, values out, no files, no Django.

Labels are hashable values, spans half-open token ranges, boxes half-open `[x1, y1, x2, y2)`.
`docs/metrics.md` has every definition with its source and a worked example.
"""
