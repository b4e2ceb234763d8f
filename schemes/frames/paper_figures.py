"""The figures that QasemiZadeh et al. (SemEval-2019 Task 2) print, for comparison with recomputed ones.

Scores are (clusters, purity, inverse purity, purity F, BCubed precision, BCubed recall, BCubed F), in
per cent. The paper drops trailing zeros.
"""

from collections.abc import Mapping, Sequence

Scores = tuple[int, float, float, float, float, float, float]

# Table 6. Table 2 is its last column. The systems' outputs are not public.
TABLE_6: Mapping[str, Mapping[str, Scores]] = {
    "A": {
        "Arefyev et al.": (272, 78.68, 77.62, 78.15, 70.86, 70.54, 70.7),
        "Anwar et al.": (150, 72.4, 81.49, 76.68, 62.17, 75.27, 68.1),
        "Ribeiro et al.": (222, 72.84, 77.84, 75.25, 61.25, 69.96, 65.32),
        "Kallmeyer et al.": (218, 73.77, 72.86, 73.31, 64.62, 65.48, 65.05),
        "1CPI": (4620, 100, 3.23, 6.25, 100, 3.23, 6.25),
        "AIN1": (1, 13.87, 100, 24.37, 3.78, 100, 7.28),
        "1CPH": (273, 82.16, 66.95, 73.78, 75.98, 57.33, 65.35),
        "RANDOM": (149, 15.11, 5.78, 8.36, 6.76, 3.85, 4.9),
    },
    "B.1": {
        "Arefyev et al.": (776, 72.47, 72.16, 72.31, 62.73, 63.51, 63.12),
        "Anwar et al.": (338, 55.74, 67.79, 61.18, 43.22, 57.9, 49.49),
        "Ribeiro et al.": (518, 52.29, 57.56, 54.8, 39.43, 46.69, 42.75),
        "Kallmeyer et al.": (1023, 72.24, 49.12, 58.48, 62.71, 37.51, 46.94),
        "1CPI": (9510, 100, 4.58, 8.77, 100, 4.58, 8.77),
        "AIN1": (1, 6.55, 100, 12.3, 1.56, 100, 3.08),
        "1CPHG": (1203, 78.46, 45.99, 57.99, 71.11, 33.77, 45.79),
        "RANDOM": (436, 11.34, 6.04, 7.88, 6.03, 4.81, 5.35),
    },
    "B.2": {
        "Arefyev et al.": (14, 73.94, 81.4, 77.49, 56.25, 74.46, 64.09),
        "Anwar et al.": (2, 50.43, 80.47, 62.0, 29.58, 73.0, 42.1),
        "Ribeiro et al.": (7, 58.25, 71.4, 64.16, 36.88, 59.91, 45.65),
        "Kallmeyer et al.": (37, 61.44, 51.53, 56.05, 40.89, 37.33, 39.03),
        "1CPG": (37, 61.44, 51.53, 56.05, 40.89, 37.33, 39.03),
        "1CPI": (9466, 100, 0.34, 0.67, 100, 0.34, 0.67),
        "AIN1": (1, 34.34, 100, 51.13, 21.66, 100, 35.6),
        "RANDOM": (32, 34.65, 4.75, 8.36, 21.89, 3.45, 5.96),
    },
}

# Table 1: the released gold (its column SemEval), all annotations, skipped and unfinished ones, and dev.
COLUMNS = ("SemEval", "Total", "Skipped", "In progress", "Dev")
TABLE_1: Mapping[str, Sequence[float]] = {
    "records": (4620, 5637, 301, 716, 594),
    "sentences": (3346, 3803, 294, 675, 582),
    "tokens": (90460, 102067, 8329, 19151, 15198),
    "verb forms": (273, 373, 93, 210, 35),
    "frame types": (149, 234, 75, 185, 37),
    "frame elements": (9510, 11269, 373, 1386, 1128),
    "element types, distinct names": (198, 270, 64, 197, 62),
    "semantic arguments": (9466, 11215, 370, 1379, 1079),
    "multi-word units": (2366, 2773, 61, 346, 368),
    "mean confidence": (3.30, 3.2, 2.41, 2.5, 3.34),
    "hours": (539, 742, 25, 177, 19),
    "moves": (68784, 83753, 1903, 13066, 4406),
}
# Table 6 of task B.1 has as many random clusters as there are pairs of a frame and an element.
ELEMENT_PAIRS = 436

# Table 3: Open-SESAME after conversion, on the records in common (BCubed precision, recall, F).
RECORDS_IN_COMMON = 1216
TABLE_3: Mapping[str, tuple[float, float, float]] = {
    "A": (84.52, 44.67, 58.45),
    "B.1": (81.04, 31.6, 45.47),
    "B.2": (34.26, 36.56, 35.37),
}

# Table 4: hours and moves of each step.
TABLE_4: Mapping[str, tuple[int, int]] = {
    "reading": (78, 4795),
    "choosing a frame": (177, 9737),
    "arguments": (81, 19510),
    "rating, revising, commenting": (115, 25793),
    "multi-word units": (89, 8949),
}

# Table 5: verb forms, records and mean confidence of the frames with the highest and lowest confidence.
TABLE_5: Mapping[str, tuple[int, int, float]] = {
    "Deciding": (1, 13, 4.31),
    "Agree_or_refuse_to_act": (1, 15, 4.13),
    "Take_place_of": (1, 11, 4),
    "Being_employed": (1, 6, 4),
    "Statement": (8, 149, 3.97),
    "Taking_sides": (3, 16, 3.88),
    "Activity_stop": (4, 16, 3.88),
    "Commerce_sell": (6, 168, 3.82),
    "Bringing": (1, 5, 3.8),
    "Give_impression": (4, 39, 3.79),
    "Being_in_control": (2, 5, 1.6),
    "Coming_to_be": (2, 5, 1.8),
    "Operating_a_system": (2, 10, 1.8),
    "Awareness": (1, 6, 1.83),
    "Removing": (3, 8, 1.88),
    "Intentionally_create": (6, 19, 1.95),
    "Certainty": (1, 68, 2.03),
    "Opinion": (2, 91, 2.1),
    "Thwarting": (2, 22, 2.32),
    "First_rank": (1, 21, 2.38),
}

# Table 7: BCubed F of the systems of Arefyev, Anwar and Ribeiro by confidence, from 1 to 5. The first
# tuple has the numbers of items.
SYSTEMS = ("Arefyev et al.", "Anwar et al.", "Ribeiro et al.")
Confidences = tuple[float, float, float, float, float]
TABLE_7: Mapping[str, Mapping[str, Sequence[Confidences]]] = {
    "at least": {
        "A": (
            (4620, 4334, 3657, 2542, 84),
            (70.7, 71.87, 74.64, 76.46, 86.14),
            (68.10, 69.28, 72.22, 73.82, 84.65),
            (65.32, 66.57, 70.17, 73.43, 85.13),
        ),
        "B.1": (
            (9510, 9017, 7606, 5356, 169),
            (63.12, 64.20, 67.18, 68.70, 85.16),
            (49.52, 50.44, 53.40, 55.99, 81.85),
            (42.75, 43.61, 46.42, 49.20, 65.60),
        ),
        "B.2": (
            (9466, 8911, 7528, 5292, 167),
            (64.09, 64.98, 66.47, 65.71, 77.19),
            (42.12, 42.32, 42.67, 40.67, 55.18),
            (45.65, 46.27, 47.52, 46.95, 56.58),
        ),
    },
    "exactly": {
        "A": (
            (286, 677, 1115, 2458, 84),
            (73.79, 66.45, 76.71, 76.65, 86.14),
            (70.57, 63.80, 75.98, 74.05, 84.65),
            (67.70, 60.46, 70.01, 73.45, 85.13),
        ),
        "B.1": (
            (493, 1411, 2250, 5187, 169),
            (68.57, 59.86, 70.67, 68.70, 85.16),
            (55.37, 49.08, 57.97, 56.01, 81.85),
            (51.84, 42.16, 47.60, 49.24, 65.60),
        ),
        "B.2": (
            (553, 1385, 2236, 5125, 167),
            (52.69, 58.36, 69.01, 65.44, 77.19),
            (39.82, 40.99, 48.07, 40.37, 55.18),
            (38.21, 41.55, 49.4, 46.72, 56.58),
        ),
    },
}
