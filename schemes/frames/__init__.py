"""Semantic frames: SemEval-2019 Task 2, unsupervised lexical frame induction."""
