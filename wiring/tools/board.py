"""A Raspberry Pi 5 from above, to scale: where its header is, and where on it pin 1 is."""

from svg import INK

SCALE = 6.1
"""Units of the picture for a millimetre; the board has 85 × 56."""


def draw(picture, x, y):
    def at(mm):
        return mm * SCALE

    def box(left, top, width, height, fill, rx=2, **more):
        picture.rect(x + at(left), y + at(top), at(width), at(height), fill, rx=rx, **more)

    box(0, 0, 85, 56, "#2f8a4c", rx=18, stroke="#1d5f33", stroke_width=3)
    for left, top in ((3.5, 3.5), (61.5, 3.5), (3.5, 52.5), (61.5, 52.5)):
        picture.circle(x + at(left), y + at(top), at(2.7), "#e3c46a")
        picture.circle(x + at(left), y + at(top), at(1.35), "#ffffff")
    metal = {"stroke": "#7c838d", "stroke_width": 2}
    box(-2.5, 22, 5, 12, "#20242b")
    box(8, 50, 9, 7, "#c9cdd3", **metal)
    for left in (23, 36.5):
        box(left, 50, 7, 7, "#c9cdd3", **metal)
    for left in (46, 51.5):
        box(left, 42, 4, 12, "#e9e4d4", rx=1, stroke="#8a8676", stroke_width=1)
    for top in (2.5, 20.5):
        box(70, top, 17.5, 15, "#c9cdd3", **metal)
        box(84, top + 2, 3.5, 11, "#3a4150")
    box(66, 38, 21.5, 16, "#c9cdd3", **metal)
    box(22, 23, 15, 15, "#b4bac3", rx=6, stroke="#8a919b", stroke_width=2)
    box(43, 25, 10, 12, "#1c2026")
    for left, top in ((12, 14), (16, 40), (31, 42), (57, 30), (12, 27), (56, 18), (40, 17)):
        box(left, top, 4, 3, "#1c2026", rx=1)
    box(7, 1, 51, 5.2, "#1c2026")
    for pin in range(1, 41):
        left, top = 8.4 + (pin - 1) // 2 * 2.54, 4.9 if pin % 2 else 2.3
        if pin == 1:
            box(left - 1.1, top - 1.1, 2.2, 2.2, "#ffe27a", rx=0)
        else:
            picture.circle(x + at(left), y + at(top), at(0.75), "#d9a93a")
    for left, top, words, size in ((29.5, 31.5, "CPU", 20), (78, 11.5, "USB", 20), (78, 29.5, "USB", 20),
                                   (76, 47.5, "network", 20)):
        picture.text(x + at(left), y + at(top), words, size=size, bold=True)
    picture.text(x + at(12.5), y + at(49), "power", size=18, fill="#ffffff", bold=True)
    picture.text(x + at(33.5), y + at(49), "video", size=18, fill="#ffffff", bold=True)
    picture.text(x + at(3.5), y + at(25.5), "SD", size=18, anchor="start", fill="#ffffff", bold=True)
    picture.text(x + at(3.5), y + at(29), "card", size=18, anchor="start", fill="#ffffff", bold=True)
    picture.line((x + at(8.4), y + at(13)), (x + at(8.4), y + at(7)), color="#ffe27a", width=5)
    picture.path(f"M {x + at(8.4):.1f} {y + at(5.8):.1f} l 9 14 h -18 Z", "#ffe27a")
    picture.text(x + at(10.5), y + at(12.6), "pin 1, the square one", size=22, anchor="start", fill="#ffe27a", bold=True)


def usb_card(picture, x, y, goes):
    """A USB sound card in one of the sockets, with its lead to where it goes."""
    picture.rect(x - 4, y + 40, 20, 46, "#b9bec7", stroke="#6d7480", stroke_width=2)
    picture.rect(x + 14, y + 10, 116, 106, "#3a4150", rx=10)
    for line, word in enumerate(["USB", "sound", "card"]):
        picture.text(x + 72, y + 42 + 28 * line, word, size=22, fill="#ffffff", bold=True)
    picture.circle(x + 72, y + 118, 11, "#9fd3a8", stroke="#222222", stroke_width=3)
    picture.line((x + 72, y + 118), (x + 72, y + 196), width=6)
    for line, word in enumerate(goes):
        picture.text(x + 82, y + 222 + 26 * line, word, size=20)
