"""The contract of an annotation scheme: plain values in, plain values out.

A scheme is a set of parts (`scheme.Scheme`). Each part is a Protocol, which a module or a small class of
the scheme implements. A scheme has no access to workers, money or tables, and the apps use it only
through its parts. Optional parts may be None, and pages then hide what needs them. Content and targets
are JSON in the scheme's own format, which the apps store but do not read.
"""
