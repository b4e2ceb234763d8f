"""The figures that Roit et al. (ACL 2020) print, for comparison with recomputed ones.

Percentages are between 0 and 100, with the digits of the paper. Scores are (precision, recall, F1).
"""

from collections.abc import Mapping

Scores = tuple[float, float, float]

# Section 4: sizes of the published splits. The paper prints those of Wikinews dev, and the number of
# sentences of each split.
SIZES: Mapping[str, Mapping[str, float]] = {
    "wikinews.dev": {
        "sentences": 500,
        "predicates": 1264,
        "roles": 3714,
        "arguments": 4315,
        "roles per predicate": 2.9,
    },
    "wikinews.test": {"sentences": 500},
    "wikipedia.dev": {"sentences": 500},
    "wikipedia.test": {"sentences": 500},
}
DENSE_ROLES_PER_PREDICATE, MORE_ROLES_THAN_DENSE = 2.3, 25

# Section 3 and 4: F1 of agreement, and how it was measured.
WORKERS_UA, CONSOLIDATED_UA, CONSOLIDATED_LA = 79.8, 84.1, 67.8
WORKER_AGREEMENT: Mapping[str, float] = {
    "single workers, experiments": 10,
    "single workers, predicates": 150,
    "single workers, UA F1 %": WORKERS_UA,
}
TEAM_AGREEMENT: Mapping[str, float] = {
    "consolidated, experiments": 4,
    "consolidated, predicates per experiment": 35,
    "consolidated, UA F1 %": CONSOLIDATED_UA,
    "consolidated, LA F1 %": CONSOLIDATED_LA,
}

# Table 4: against the integrated expert set of 100 predicates.
EXPERT_PREDICATES = 100
TABLE_4: Mapping[str, Mapping[str, Scores]] = {
    "This work": {
        "UA, automatic": (79.9, 89.4, 84.4),
        "UA, manual": (88.0, 95.5, 91.6),
        "LA, automatic": (71.0, 79.5, 75.0),
        "LA, manual": (88.0, 95.5, 91.6),
    },
    "Dense (2018)": {
        "UA, automatic": (67.1, 69.5, 68.3),
        "UA, manual": (86.4, 70.5, 77.6),
        "LA, automatic": (49.5, 51.3, 50.4),
        "LA, manual": (83.1, 67.8, 74.7),
    },
}

# Table 5: against PropBank (CoNLL-2009), 200 sentences, macro-averaged over predicates.
TABLE_5: Mapping[str, Mapping[str, Scores]] = {
    "This work": {
        "all": (73.3, 93.0, 82.0),
        "core": (87.3, 94.8, 90.9),
        "adjunct": (43.4, 85.9, 57.7),
    },
    "He et al. (2015)": {
        "all": (81.7, 86.6, 84.1),
        "core": (86.6, 90.4, 88.5),
        "adjunct": (59.7, 64.7, 62.1),
    },
}
PROPBANK_COUNTS: Mapping[str, float] = {
    "sentences": 200,
    "QA pairs": 1593,
    "QA pairs, adjuncts": 604,
    "PropBank arguments": 1315,
    "PropBank arguments, adjuncts": 336,
    "false positives read": 100,
    "errors among them": 32,
    "true precision %": 91,
    "more valid arguments than PropBank %": 15,
}

# Table 6: the parser of FitzGerald et al. (2018) against the gold.
TABLE_6: Mapping[str, Mapping[str, Scores]] = {
    "test": {"UA": (87.1, 50.2, 63.7), "LA": (67.8, 39.1, 49.6)},
    "Wikinews dev": {"UA": (86.6, 58.8, 70.1), "LA": (65.0, 44.2, 52.6)},
    "Wikinews dev, 50 predicates, manual": {"UA": (87.8, 66.5, 75.5), "LA": (83.9, 64.3, 72.8)},
}

# Section 5: what the parser misses of the gold roles of 50 predicates.
SECTION_5: Mapping[str, float] = {
    "predicates": 50,
    "roles": 154,
    "explicit roles": 128,
    "implicit roles": 26,
    "roles missed %": 23,
    "explicit roles covered %": 82,
    "implicit roles covered %": 50,
}

# Sections 3 and 4: payments and training.
PROTOCOL: Mapping[str, float] = {
    "cents per predicate": 54.2,
    "cents per predicate, Dense (2018)": 51,
    "workers trained": 30,
    "workers selected": 11,
    "training rounds": 2,
    "predicates per training round": 15,
    "paid hours of training per worker": 2,
    "hours of the trainer per worker": 0.5,
}
