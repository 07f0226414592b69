"""What `image` needs to know about the card: the moment of a power cut, the saved state, the rhythm of the light, and the phone page.

  card.py freeze PROCESS CARD       stops the emulator while it writes to the card
  card.py state FOLDER [SAVE]       judges a copy of the state folder, whose newest save must not be older than SAVE
  card.py blinks EDGES              judges the code for a mistake
  card.py beats EDGES TEMPO         judges the beats after the first press of play
  card.py page PORT SECONDS         waits for the phone page
  card.py pair PORT SECONDS FILE    pairs a phone when the box lets it, sets a tempo with it, and writes its cookie to the file
  card.py control PORT SECONDS FILE sets another tempo with the cookie in the file
  card.py password NUMBER FOLDER    writes wifi.txt with a password and the configuration of its access point; prints the expected mistake
"""

import hashlib
import http.client
import os
import random
import signal
import socket
import sys
import time
import zlib
from pathlib import Path

LIGHT = 17
"""The line of the light in the standard wiring."""
HOST = "metronome.local"
MISTAKE = [150, 250, 150, 250, 150, 1500]
"""Milliseconds on and off, as the card's script asks of gpioset."""


def since_write(card):
    """Seconds since the last write to the card."""
    return time.time() - os.stat(card).st_mtime


def freeze(process, card):
    """Waits for a write, then for a random time, and stops the emulator within 16 ms of another write."""
    end = time.monotonic() + 120
    while since_write(card) > 0.008:
        if time.monotonic() > end:
            sys.exit("nothing was written for two minutes")
        time.sleep(0.001)
    time.sleep(random.random() * 3)
    while since_write(card) > 0.008 and time.monotonic() < end:
        time.sleep(0.0005)
    os.kill(process, signal.SIGSTOP)
    age = since_write(card)
    if age > 0.016:
        sys.exit(f"the cut came {age * 1000:.0f} ms after the last write")
    print(f"{age * 1000:.0f} ms after a write")


def read(path):
    """The number of the save and the tempo in a file of the state; None for an incomplete or missing file."""
    text = path.read_bytes() if path.is_file() else b""
    body, _, checksum = text.rpartition(b"checksum ")
    if checksum != b"%08x\n" % zlib.crc32(body):
        return None
    fields = dict(line.split(b" ", 1) for line in body.splitlines()[1:])
    return int(fields[b"save"]), fields[b"tempo"].decode()


def state(folder, oldest=0):
    """Prints the newest save. A save renames two files, and between these steps `state` is missing. Only `state.new` may be incomplete."""
    files = {name: read(folder / name) for name in ("state", "state.new", "state.previous")}
    there = [path.name for path in folder.iterdir()]
    broken = [name for name in there if name in ("state", "state.previous") and not files[name] or ".damaged" in name]
    if broken:
        sys.exit(f"damaged: {', '.join(broken)}")
    found = [content for content in files.values() if content]
    if not found:
        sys.exit(f"no state is whole; the files are {', '.join(there) or 'none'}")
    save, tempo = max(found)
    if save < oldest:
        sys.exit(f"save {save} is older than save {oldest}, which was on the card before")
    print(save, tempo, "between its steps" if "state.new" in there or "state" not in there else "")


def light(edges):
    """The times in milliseconds and levels of the light."""
    rows = (line.split() for line in edges.read_text().splitlines())
    return [(int(row[0]) / 1e6, int(row[2])) for row in rows if len(row) == 4 and int(row[1]) == LIGHT and row[3] == "out"]


def blinks(edges):
    """Judges the last two complete codes."""
    found = light(edges)
    starts = [n for n in range(1, len(found)) if found[n][1] and found[n][0] - found[n - 1][0] > 1000]
    if len(starts) < 3:
        sys.exit(f"{len(found)} edges, and no three pauses")
    for start in starts[-3:-1]:
        times = [found[n + 1][0] - found[n][0] for n in range(start, start + 6)]
        if any(abs(time - asked) > 20 for time, asked in zip(times, MISTAKE, strict=True)):
            sys.exit(f"the light was on and off for {', '.join(f'{time:.0f}' for time in times)} ms")
    print("on and off for", ", ".join(f"{time:.1f}" for time in times), "ms")


def beats(edges, tempo):
    """Judges the beats. The first two intervals do not count, because the caches are still cold."""
    starts = [at for at, level in light(edges) if level]
    distances = [later - earlier for earlier, later in zip(starts, starts[1:])]
    if len(distances) < 12:
        sys.exit(f"only {len(starts)} flashes")
    wrong = [distance for distance in distances[2:] if abs(distance - 60_000 / tempo) > 2]
    if wrong:
        sys.exit(f"flashes after {wrong[0]:.1f} ms instead of {60_000 / tempo:.1f} ms")
    print(f"{len(starts)} flashes, one every {sum(distances[2:]) / len(distances[2:]):.2f} ms")


def answer(port, method, path):
    """The status of an answer, its cookie and its body; without an answer 0 and the reason."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request(method, path, headers={"Host": HOST, "Origin": f"http://{HOST}"})
        response = connection.getresponse()
        return response.status, response.getheader("Set-Cookie", ""), response.read().decode()
    except (OSError, http.client.HTTPException) as error:
        return 0, "", repr(error)


def wait_for_answer(port, seconds, method, path, expected):
    end = time.monotonic() + seconds
    while (found := answer(port, method, path))[0] != expected:
        if time.monotonic() > end:
            sys.exit(f"{method} {path}: {found[0]} {found[2]} instead of {expected}")
        time.sleep(1)
    return found


def page(port, seconds):
    text = wait_for_answer(port, seconds, "GET", "/", 200)[2]
    print(len(text), "bytes")
    sys.exit("<title>Metronome</title>" not in text)


def pair(port, seconds, file):
    """Asks for pairing, waits until the person at the box has confirmed the number, and sets a tempo."""
    cookie = wait_for_answer(port, seconds, "POST", "/pair?name=Pi+bench", 202)[1].split(";")[0]
    end = time.monotonic() + seconds
    while b"paired=1" not in open_socket(port, seconds, cookie)[1]:
        if time.monotonic() > end:
            sys.exit("the box has not confirmed the phone")
        time.sleep(1)
    control(port, seconds, cookie, 77)
    file.write_text(cookie)


def open_socket(port, seconds, cookie):
    """A WebSocket with the cookie of a phone, and what it has received first: the answer, and where the phone stands."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=seconds)
    header = [
        "GET /socket HTTP/1.1", f"Host: {HOST}", f"Origin: http://{HOST}", f"Cookie: {cookie}", "Connection: Upgrade",
        "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
    ]  # fmt: skip
    connection.sendall("\r\n".join([*header, "", ""]).encode())
    received = b""
    while b"trusted=" not in received:
        more = connection.recv(4096)
        received += more
        if not more:
            sys.exit(f"the phone received {received}")
    return connection, received


def control(port, seconds, cookie, tempo):
    """Sets a tempo with the cookie of a paired phone."""
    connection, received = open_socket(port, seconds, cookie)

    def receive():
        nonlocal received
        more = connection.recv(4096)
        received += more
        if not more or b"refused" in received:
            sys.exit(f"the phone received {received}")

    # The page's server says so when it has found the metronome.
    while b"connected=1" not in received:
        receive()
    for text in (f'do command="tempo {tempo}" id=1'.encode(), b"subscribe to=state id=2"):
        # A frame with a text of fewer than 126 bytes. The mask is zero.
        connection.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
    while not (b"paired=1" in received and f"tempo={tempo}".encode() in received):
        receive()
    print(f"a tempo of {tempo} BPM by a paired phone")


CHARACTERS = "".join(map(chr, range(0x20, 0x7F)))
"""All printable characters of ASCII."""
QUOTED = "password: begins with a quotation mark"
BLANK = "password: begins or ends with a space"
LENGTH = "the password of a network has 8 to 63"
PASSWORDS = [
    ("a\\n%s  \"b\"c'$", ""), (CHARACTERS[1:64], ""), (CHARACTERS[33:], ""), ("12345678", ""), ("x" * 63, ""), ("Käse & Brötchen", ""),
    ("鼓手的节拍器鼓手的节拍器", ""), ("🥁" * 15 + "abc", ""), ("0123456789abcdefABCDEF0123456789abcdef0123456789ABCDEFabcdef9876", ""),
    ("#notacomment", ""), ("tail#comment\"#", ""), ("semi;colon&|<>(){}", ""), ("`reboot` $(reboot)", ""), ("network={psk=}", ""),
    ("colon: colon", ""), ("\\\\\\\\\\\\\\\\", ""), ("P\"\"\"\"\"\"\"", ""), ("%n%s%d%x%%", ""), ("\"quoted\"", QUOTED), ("“curly”12", QUOTED),
    (" begins with one", BLANK), ("ends with one ", BLANK), ("1234567", "refused:" + LENGTH), ("y" * 64, "refused:" + LENGTH), ("é" * 32, "refused:" + LENGTH)
]  # fmt: skip
"""Passwords of networks, and the mistake that the card reports."""


def password(number, folder):
    """Later numbers get random passwords, always the same ones."""
    if number < len(PASSWORDS):
        text, fault = PASSWORDS[number]
    else:
        choice = random.Random(number)
        text, fault = "".join(choice.choices(CHARACTERS, k=choice.randint(8, 63))), ""
        if text[0] == '"':
            fault = QUOTED
        elif " " in (text[0], text[-1]):
            fault = BLANK
    # IEEE 802.11, annex J.4.
    key = text if len(text) == 64 else hashlib.pbkdf2_hmac("sha1", text.encode(), b"my network", 4096, 32).hex()
    (folder / "wifi.txt").write_bytes(f"network: my network\r\npassword: {text}\r\ncountry: de\r\npage: on\r\n".encode())
    (folder / "access-point.conf").write_text(
        f'network={{\nssid="my network"\nmode=2\nfrequency=2412\nkey_mgmt=WPA-PSK\nproto=RSN\npairwise=CCMP\npsk={key}\n}}\n'
    )
    print(fault)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["freeze", process, card]:
            freeze(int(process), card)
        case ["state", folder, *oldest]:
            state(Path(folder), *map(int, oldest))
        case ["blinks", edges]:
            blinks(Path(edges))
        case ["beats", edges, tempo]:
            beats(Path(edges), float(tempo))
        case ["page", port, seconds]:
            page(int(port), int(seconds))
        case ["pair", port, seconds, file]:
            pair(int(port), int(seconds), Path(file))
        case ["control", port, seconds, file]:
            control(int(port), int(seconds), Path(file).read_text(), 78)
        case ["password", number, folder]:
            password(int(number), Path(folder))
        case _:
            sys.exit(__doc__)
