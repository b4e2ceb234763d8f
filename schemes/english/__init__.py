"""English: verbs, their forms and their detection. Used by several schemes."""
