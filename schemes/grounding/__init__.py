"""Plural phrase grounding: Suter, Parcalabescu and Frank 2021."""
