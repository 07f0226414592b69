#!/usr/bin/env python3
"""Serves the page of metronome-remote with a simulated box, for work on the page and for its tests.

    Tests/Remote/mock.py [--port PORT] [--trusted]

Only the standard library is needed. Like the server, it answers `GET /` and the files of the page, `GET /socket`, `POST /pair` and
`POST /forget`. `POST /mock/…` disturbs it: `confirm?NUMBER` (a person confirms a phone), `forget` (and forgets all), `restart` (the box is gone for a second), `close` (closes
all sockets), `stall?SECONDS` (reads, writes and accepts nothing), `down?SECONDS` (no server), `set?KEY=VALUE` (a value of the box),
`refuse?WORD=COUNT` (refuses so many messages that begin with the word), `scores?COUNT` (so many more stored scores), `sections?COUNT` (so many
more sections of each song). `GET /mock/commands` lists the commands that arrived.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import re
import secrets
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
from mock_box import Box
from mock_messages import message, now, parse, state, timeline

PAGE = Path(__file__).resolve().parents[2] / "Sources/metronome-remote/Page"
TYPES = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json"}
POLICY = "default-src 'self'; frame-ancestors 'none'"
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
COMMANDS = {"do", "preset", "score", "learn"}


class Client:
    """A WebSocket."""

    def __init__(self, reader, writer, is_paired):
        self.reader, self.writer, self.is_paired = reader, writer, is_paired
        self.topics = set()

    def send(self, text):
        data = text.encode()
        length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + len(data).to_bytes(2, "big")
        self.writer.write(b"\x81" + length + data)

    async def receive(self):
        """The next text; None at the end."""
        while True:
            first, second = await self.reader.readexactly(2)
            size = second & 127
            if size == 126:
                size = int.from_bytes(await self.reader.readexactly(2), "big")
            elif size == 127:
                return None
            mask = await self.reader.readexactly(4)
            data = bytes(byte ^ mask[index % 4] for index, byte in enumerate(await self.reader.readexactly(size)))
            if first & 15 == 1:
                return data.decode()
            if first & 15 == 8:
                return None


class Server:
    def __init__(self, port, trusted):
        self.port, self.trusted = port, trusted
        self.box, self.has_box = Box(), True
        self.clients, self.tokens = set(), set()
        # The tokens of the phones that ask to be paired, by their numbers.
        self.asking = {}
        self.stalled_until, self.server = 0, None
        self.refusals = {}

    async def run(self):
        await self.listen()
        print(f"http://127.0.0.1:{self.port}/", flush=True)
        while True:
            await asyncio.sleep(0.25)
            self.publish()

    async def listen(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    def publish(self, topics=("state", "timeline")):
        if not self.has_box or time.monotonic() < self.stalled_until:
            return
        texts = {"state": state(self.box), "timeline": timeline(self.box)}
        for client in self.clients:
            for topic in topics:
                if topic in client.topics:
                    client.send(texts[topic])

    def tell_all(self, text):
        for client in self.clients:
            client.send(text)

    async def stall(self):
        while time.monotonic() < self.stalled_until:
            await asyncio.sleep(0.02)

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                await self.stall()
                request, *lines = head.split("\r\n")
                method, target, _ = request.split(" ")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
                if target == "/socket":
                    await self.talk(reader, writer, headers)
                    return
                if "content-length" in headers:
                    await reader.readexactly(int(headers["content-length"]))
                writer.write(self.respond(method, target, headers))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            pass
        finally:
            writer.close()

    def is_paired(self, headers):
        return any(token in headers.get("cookie", "") for token in self.tokens)

    def respond(self, method, target, headers):
        def answer(status, body=b"", kind="text/plain", extra=""):
            return (f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nCache-Control: no-cache\r\n"
                    f"Content-Security-Policy: {POLICY}\r\n{extra}\r\n").encode() + body

        if method == "POST" and target.startswith("/pair"):
            token, number = secrets.token_hex(16), 111 + len(self.asking)
            self.asking[number] = token
            return answer("202 Accepted", str(number).encode(), extra=f"Set-Cookie: metronome={token}; HttpOnly; SameSite=Strict; Path=/\r\n")
        if method == "POST" and target == "/forget":
            if not self.is_paired(headers):
                return answer("403 Forbidden")
            self.tokens.clear()
            asyncio.get_event_loop().call_later(0.05, self.close_all)
            return answer("204 No Content")
        if target == "/mock/commands":
            return answer("200 OK", json.dumps(self.box.commands).encode(), "application/json")
        if method == "POST" and target.startswith("/mock/"):
            self.disturb(*target.removeprefix("/mock/").partition("?")[::2])
            return answer("204 No Content")
        name = target.split("?")[0].removeprefix("/") or "index.html"
        path = PAGE / name
        if method != "GET" or not re.fullmatch(r"[a-z-]+\.[a-z]+", name) or not path.is_file():
            return answer("404 Not Found")
        return answer("200 OK", path.read_bytes(), TYPES[path.suffix])

    def disturb(self, what, value):
        if what == "confirm":
            self.tokens.add(self.asking.pop(int(value)))
            self.close_all()
        elif what == "forget":
            self.tokens.clear()
            self.close_all()
        elif what == "restart":
            self.has_box = False
            self.tell_all("box connected=0")
            asyncio.get_event_loop().call_later(1, self.return_box)
        elif what == "close":
            self.close_all()
        elif what == "stall":
            self.stalled_until = time.monotonic() + float(value)
        elif what == "down":
            self.server.close()
            self.close_all()
            asyncio.get_event_loop().call_later(float(value), lambda: asyncio.ensure_future(self.listen()))
        elif what == "scores":
            self.box.scores = ["setlist", "lesson", *(f"score {number}" for number in range(int(value)))]
        elif what == "sections":
            self.box.more_sections = int(value)
        elif what == "touch":
            client, fields = self.learner
            for answer in self.box.learn(fields, *value.split("=")):
                client.send(answer)
        elif what == "refuse":
            word, _, count = value.partition("=")
            self.refusals[word] = int(count)
        elif what == "set":
            key, _, text = value.partition("=")
            kind = type(getattr(self.box, key))
            self.box.change(now(), lambda: setattr(self.box, key, text == "1" if kind is bool else kind(text)))
            self.publish()

    def return_box(self):
        presets = self.box.presets
        self.box, self.has_box = Box(), True
        self.box.presets = presets
        for client in self.clients:
            client.topics = set()
            client.send("box connected=1")

    def close_all(self):
        for client in list(self.clients):
            client.writer.close()

    async def talk(self, reader, writer, headers):
        key = base64.b64encode(hashlib.sha1(headers["sec-websocket-key"].encode() + MAGIC).digest()).decode()
        writer.write(
            f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n\r\n".encode())
        client = Client(reader, writer, self.is_paired(headers))
        self.clients.add(client)
        asks = {"number": number for number, token in self.asking.items() if token in headers.get("cookie", "")}
        client.send(message("welcome", v=1, paired=int(client.is_paired), trusted=int(self.trusted), **asks))
        client.send(message("box", connected=int(self.has_box)))
        try:
            while (text := await client.receive()) is not None:
                await self.stall()
                self.handle(client, text)
        finally:
            self.clients.discard(client)

    def handle(self, client, text):
        word, fields = parse(text)
        same = {"id": fields["id"]} if "id" in fields else {}
        if word in self.refusals and self.refusals[word] > 0:
            self.refusals[word] -= 1
            client.send(message("refused", **same, why="too many commands"))
        elif word == "ping":
            client.send(message("pong", t=fields["t"], now=now()))
        elif not self.has_box:
            client.send(message("refused", **same, why="the metronome is not running"))
        elif word == "subscribe":
            client.topics = set(fields["to"].split(","))
            client.send(message("done", **same))
            self.publish()
        elif word == "phones":
            for token in sorted(self.tokens):
                client.send(message("phone", **same, key=token[:8], name="Test", date=1796000000))
            client.send(message("done", **same))
        elif word in COMMANDS and not (client.is_paired or self.trusted):
            client.send(message("refused", **same, why="pair this phone first"))
        elif word == "learn" and fields["action"] in ("command", "dial"):
            self.learner = (client, fields)
        else:
            for answer in self.box.answer(text):
                client.send(answer)
            if word in COMMANDS:
                self.publish()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--port", type=int, default=8080, help="0 chooses a free one")
    parser.add_argument("--trusted", action="store_true", help="every browser may command")
    options = parser.parse_args()
    try:
        asyncio.run(Server(options.port, options.trusted).run())
    except KeyboardInterrupt:
        pass
