"""QA-SRL: predicates annotated by questions and answers (He et al. 2015; Roit et al. 2020)."""
