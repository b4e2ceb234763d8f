"""The scenes of the sample pictures: a name, a background, things and captions.

A thing is (name, shape, x, y, size, colour), where x and y are those of the middle of its foot and the
size is its height, in pixels of a picture of 480 x 320. Later things cover earlier ones. Captions mark
their phrases as `schemes.grounding.samples.draw` describes.
"""

RED, BLUE, GREEN, YELLOW, PURPLE, TEAL = (
    "#d1495b", "#2f6db5", "#4f9d69", "#edae49", "#8661a8", "#2a9d8f",
)  # fmt: skip
WHITE, BROWN, BLACK, GREY, PINK, ORANGE, LEAF = (
    "#fbf6ea", "#8a5a3b", "#3a3a42", "#9aa0a8", "#e58fb1", "#e2703a", "#4c8c5a",
)  # fmt: skip

_FLOCK = [
    (
        "birds",
        "bird",
        150 + 23 * (at % 5) + 9 * (at // 5),
        55 + 17 * (at // 5) + 5 * (at % 2),
        10,
        BLACK,
    )
    for at in range(14)
]
_CROWD = [
    ("crowd", "person", 20 + 19 * (at % 12) + 8 * (at // 12), 205 + 9 * (at // 12), 52,
     (RED, BLUE, YELLOW, GREEN, PURPLE, TEAL, ORANGE)[at % 7])
    for at in range(36)
]  # fmt: skip
_FLOWERS = [
    ("flowers", "flower", 30 + 15 * (at % 12) + 6 * (at // 12), 285 + 12 * (at // 12), 22,
     (RED, PINK, YELLOW)[at % 3])
    for at in range(36)
]  # fmt: skip

SCENES = (
    ("meadow-01", "meadow", [
        ("tree", "tree", 400, 240, 180, LEAF),
        ("dog", "dog", 120, 275, 66, BROWN), ("dog", "dog", 265, 290, 60, WHITE),
        ("ball", "ball", 345, 300, 26, RED),
    ], ["[Two dogs|dog|2] chase [a red ball|ball|] across [a meadow|scene|] .",
        "[A tree|tree|] stands behind [the dogs|dog|+] ."]),
    ("meadow-02", "meadow", [
        ("woman", "person", 110, 285, 150, RED), ("woman", "person", 200, 280, 145, YELLOW),
        ("woman", "person", 290, 288, 152, TEAL), ("kite", "kite", 400, 130, 90, PURPLE),
    ], ["[Three women|woman|3] watch [a purple kite|kite|] in [the sky|scene|] ."]),
    ("meadow-03", "meadow", [
        *[("sheep", "sheep", x, y, 48, WHITE) for x, y in (
            (70, 235), (165, 250), (270, 238), (370, 262))],
        ("dog", "dog", 215, 305, 46, BLACK),
    ], ["[Four sheep|sheep|4] graze while [a black dog|dog|] guards [them|sheep|+] ."]),
    ("meadow-04", "meadow", [
        *_FLOCK, ("house", "house", 330, 250, 130, WHITE), ("tree", "tree", 90, 265, 140, LEAF),
    ], ["[A flock of birds|birds|group] flies over [a white house|house|] ."]),
    ("meadow-05", "meadow", [
        *_FLOWERS, ("girl", "child", 330, 290, 110, PINK), ("cat", "cat", 415, 295, 54, ORANGE),
    ], ["[A girl|girl|] and [her cat|cat|] stand next to [a bed of flowers|flowers|group] ."]),
    ("meadow-06", "meadow", [
        ("bench", "bench", 240, 270, 66, BROWN), ("man", "person", 90, 295, 160, BLUE),
        ("dog", "dog", 395, 298, 50, GREY),
    ], ["[A man|man|] with [a camera|absent|] looks at [an empty bench|bench|] .",
        "[A grey dog|dog|] waits beside [a bench|bench|] in [the afternoon|scene|] ."]),
    ("meadow-07", "meadow", [
        ("tree", "tree", 60, 250, 150, LEAF), ("tree", "tree", 180, 240, 130, "#5f9e4f"),
        ("tree", "tree", 420, 250, 160, LEAF), ("boy", "child", 300, 300, 100, BLUE),
        ("ball", "ball", 355, 302, 24, YELLOW),
    ], ["[A boy|boy|] plays with [a yellow ball|ball|] between [three trees|tree|3] ."]),
    ("meadow-08", "meadow", [
        *_CROWD, ("player", "person", 320, 300, 130, RED), ("player", "person", 420, 300, 130, BLUE),
        ("ball", "ball", 370, 302, 22, WHITE),
    ], ["[A crowd|crowd|group] watches [two players|player|2] during [a game|scene|] ."]),
    ("meadow-09", "meadow", [
        *[("balloon", "balloon", x, y, 110, colour) for x, y, colour in (
            (90, 130, RED), (170, 118, YELLOW), (390, 122, PURPLE))],
        ("child", "child", 240, 295, 110, GREEN), ("child", "child", 330, 298, 106, ORANGE),
    ], ["[The children|child|+] have lost [their balloons|balloon|+] ."]),
    ("beach-01", "beach", [
        ("boat", "boat", 120, 178, 80, RED), ("boat", "boat", 330, 168, 60, WHITE),
        ("umbrella", "umbrella", 380, 300, 130, YELLOW),
    ], ["[Two boats|boat|2] sail past [a beach umbrella|umbrella|] ."]),
    ("beach-02", "beach", [
        ("boy", "child", 110, 280, 104, GREEN), ("boy", "child", 220, 286, 100, RED),
        ("dog", "dog", 350, 296, 56, BROWN),
    ], ["[Two boys|boy|2] and [a dog|dog|] run along [the beach|scene|] ."]),
    ("beach-03", "beach", [
        *[("umbrella", "umbrella", x, y, 110, colour) for x, y, colour in (
            (80, 260, RED), (200, 280, BLUE), (320, 262, YELLOW), (425, 290, GREEN))],
    ], ["[Colourful umbrellas|umbrella|+] stand in [the sand|scene|] without [their owners|absent|+] ."]),
    ("beach-04", "beach", [
        ("boat", "boat", 240, 190, 110, TEAL), *_FLOCK,
    ], ["[Seagulls|birds|group] follow [a fishing boat|boat|] ."]),
    ("beach-05", "beach", [
        ("woman", "person", 150, 300, 150, PURPLE), ("kite", "kite", 250, 140, 80, RED),
        ("kite", "kite", 350, 110, 70, YELLOW), ("girl", "child", 320, 302, 96, PINK),
    ], ["[A woman|woman|] and [a girl|girl|] fly [two kites|kite|2] in [the wind|scene|] ."]),
    ("beach-06", "beach", [
        ("man", "person", 200, 300, 160, ORANGE), ("ball", "ball", 300, 300, 34, BLUE),
    ], ["[A man|man|] kicks [a blue ball|ball|] to [his friends|absent|+] ."]),
    ("street-01", "street", [
        ("car", "car", 110, 262, 56, RED), ("car", "car", 300, 300, 62, BLUE),
        ("woman", "person", 430, 225, 110, YELLOW),
    ], ["[A woman|woman|] waits until [two cars|car|2] have passed ."]),
    ("street-02", "street", [
        ("bus", "bus", 250, 285, 96, YELLOW), ("lamp", "lamp", 60, 225, 130, "#ffe9a8"),
    ], ["[A yellow bus|bus|] stops near [a street lamp|lamp|] in [the city|scene|] ."]),
    ("street-03", "street", [
        ("lamp", "lamp", 80, 222, 130, "#ffe9a8"), ("lamp", "lamp", 240, 222, 130, "#ffe9a8"),
        ("lamp", "lamp", 400, 222, 130, "#ffe9a8"), ("dog", "dog", 250, 305, 50, BROWN),
    ], ["[A dog|dog|] trots past [three street lamps|lamp|3] ."]),
    ("street-04", "street", [
        ("man", "person", 90, 225, 118, BLUE), ("man", "person", 160, 228, 120, GREY),
        ("car", "car", 330, 290, 66, GREEN), ("umbrella", "umbrella", 125, 178, 116, RED),
    ], ["[Two men|man|2] under [a red umbrella|umbrella|] look at [a green car|car|] ."]),
    ("street-05", "street", [
        *[("car", "car", x, y, 50, colour) for x, y, colour in (
            (75, 255, RED), (205, 255, WHITE), (335, 255, BLUE), (150, 308, YELLOW), (300, 308, GREY))],
    ], ["[Five cars|car|5] are stuck in [a traffic jam|scene|] ."]),
    ("street-06", "street", [
        ("cat", "cat", 120, 225, 50, BLACK), ("bench", "bench", 260, 225, 56, BROWN),
        ("cat", "cat", 380, 226, 48, ORANGE),
    ], ["[Two cats|cat|2] sit on either side of [a bench|bench|] ."]),
    ("street-07", "street", [
        *_CROWD, ("singer", "person", 370, 262, 150, RED),
    ], ["[People|crowd|group] listen to [a singer|singer|] and [her band|absent|+] ."]),
    ("street-08", "street", [
        ("girl", "child", 150, 230, 92, PINK), ("balloon", "balloon", 190, 165, 90, RED),
        ("bus", "bus", 330, 308, 84, TEAL),
    ], ["[A girl|girl|] with [a balloon|balloon|] misses [her bus|bus|] ."]),
    ("night-01", "night", [
        ("moon", "moon", 390, 110, 62, "#f4efd2"), ("fir", "fir", 80, 250, 130, "#2f5d50"),
        ("fir", "fir", 180, 262, 150, "#356a58"), ("cat", "cat", 300, 285, 60, GREY),
    ], ["[A cat|cat|] looks at [the moon|moon|] next to [two firs|fir|2] ."]),
    ("night-02", "night", [
        ("house", "house", 130, 265, 130, "#caa472"), ("house", "house", 330, 260, 110, "#b98f6a"),
        ("lamp", "lamp", 235, 275, 110, "#ffe9a8"),
    ], ["[A lamp|lamp|] shines between [the houses|house|+] on [a quiet night|scene|] ."]),
    ("night-03", "night", [
        ("moon", "moon", 90, 100, 54, "#f4efd2"), ("man", "person", 240, 292, 150, TEAL),
        ("dog", "dog", 340, 298, 54, WHITE),
    ], ["[A man|man|] walks [his dog|dog|] without [a torch|absent|] ."]),
    ("night-04", "night", [
        *[("child", "child", x, 292, 96, colour) for x, colour in (
            (80, RED), (180, YELLOW), (280, GREEN), (380, PURPLE))],
    ], ["[Four children|child|4] wait for [the fireworks|absent|+] at [night|scene|] ."]),
    ("room-01", "room", [
        ("table", "table", 210, 285, 84, BROWN), ("gift", "gift", 170, 208, 44, RED),
        ("gift", "gift", 250, 208, 40, BLUE), ("boy", "child", 400, 298, 110, GREEN),
    ], ["[Two presents|gift|2] lie on [the table|table|] while [a boy|boy|] waits ."]),
    ("room-02", "room", [
        *[("balloon", "balloon", x, y, 100, colour) for x, y, colour in (
            (70, 130, RED), (130, 110, YELLOW), (190, 135, BLUE), (255, 115, GREEN))],
        ("girl", "child", 340, 298, 116, PURPLE),
    ], ["[A girl|girl|] decorates [the room|scene|] with [four balloons|balloon|4] for "
        "[a party|scene|] ."]),
    ("room-03", "room", [
        ("cat", "cat", 110, 285, 70, WHITE), ("cat", "cat", 210, 290, 66, BLACK),
        ("cat", "cat", 310, 286, 70, GREY), ("ball", "ball", 390, 295, 28, PINK),
    ], ["[Three cats|cat|3] fight over [a ball|ball|] , and [a mouse|absent|] escapes ."]),
    ("room-04", "room", [
        ("table", "table", 250, 290, 80, BROWN), ("flowers", "flower", 220, 214, 44, RED),
        ("flowers", "flower", 245, 214, 48, YELLOW), ("flowers", "flower", 270, 214, 44, PINK),
    ], ["[Three flowers|flowers|3] stand on [a wooden table|table|] ."]),
    ("room-05", "room", [
        ("woman", "person", 120, 300, 180, TEAL), ("man", "person", 220, 300, 190, GREY),
        ("dog", "dog", 360, 300, 60, BROWN),
    ], ["[A woman|woman|] and [a man|man|] welcome [their new dog|dog|] ."]),
    ("snow-01", "snow", [
        ("fir", "fir", 70, 240, 150, LEAF), ("fir", "fir", 170, 230, 120, "#3f7d53"),
        ("fir", "fir", 400, 245, 170, LEAF), ("boy", "child", 280, 295, 106, RED),
    ], ["[A boy|boy|] in [the snow|scene|] has found [three fir trees|fir|3] ."]),
    ("snow-02", "snow", [
        ("ball", "ball", 120, 290, 60, WHITE), ("ball", "ball", 200, 296, 44, WHITE),
        ("girl", "child", 320, 296, 112, BLUE),
    ], ["[A girl|girl|] rolls [two snowballs|ball|2] for [a snowman|absent|] ."]),
    ("snow-03", "snow", [
        *[("sheep", "sheep", x, y, 44, "#f4e7cf") for x, y in ((90, 250), (200, 262), (305, 248))],
        ("house", "house", 400, 235, 110, BROWN),
    ], ["[The sheep|sheep|+] stand outside [a barn|house|] in [winter|scene|] ."]),
    ("snow-04", "snow", [
        ("man", "person", 110, 295, 150, PURPLE), ("woman", "person", 190, 295, 142, ORANGE),
        ("dog", "dog", 310, 300, 56, BLACK), ("dog", "dog", 415, 285, 50, BROWN),
    ], ["[A man|man|] and [a woman|woman|] walk [two dogs|dog|2] ."]),
)  # fmt: skip
