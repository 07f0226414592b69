"""A stranger on the network of metronome-link: stranger.py empty | flood COUNT | fuzz SECONDS SEED

It listens for an announcement first, which says the ports, and prints a line of JSON at the end. `empty` sends one empty datagram to
each port, `flood` empty ones, ones of one byte and ones of 60,000 bytes, `fuzz` messages of Link's two protocols with parts changed.
"""

import json
import random
import socket
import struct
import sys
import time

GROUP, PORT = "224.76.78.75", 20808
DISCOVERY, MEASUREMENT = b"_asdp_v\x01", b"_link_v\x01"
ALIVE, RESPONSE, BYE, PING, PONG = 1, 2, 3, 1, 2
EDGES = [0, 1, -1, 1 << 31, -(1 << 31), 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, (1 << 63) - 1, -(1 << 63), 10**15,
         60_060, 500_000, 3_000_000]


def entry(key, value):
    return key + struct.pack(">I", len(value)) + value


def entries(payload):
    while len(payload) >= 8:
        size = struct.unpack(">I", payload[4:8])[0]
        yield payload[:4], payload[8:8 + size]
        payload = payload[8 + size:]


class Stranger:
    def __init__(self, interface="cable"):
        index = socket.if_nametoindex(interface)
        membership = struct.pack("4s4si", socket.inet_aton(GROUP), b"\0" * 4, index)
        self.ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.ear.bind(("", PORT))
        self.ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
        self.ear.settimeout(5)
        self.mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, membership)
        self.mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        self.mouth.setblocking(False)
        # A large queue would only hold datagrams for this process.
        self.mouth.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.listen()

    def listen(self):
        """The ports of the next announcement, and its identities."""
        text, self.address = self.ear.recvfrom(2048)
        found = dict(entries(text[20:]))
        self.session = found[b"sess"]
        host, port = struct.unpack(">IH", found[b"mep4"])
        self.measurement = (socket.inet_ntoa(struct.pack(">I", host)), port)
        self.ports = [(GROUP, PORT), (self.address[0], PORT), self.address, self.measurement]

    def send(self, data, to):
        """Waits for room in the queue of the network, but not for an answer."""
        while True:
            try:
                return self.mouth.sendto(data, to)
            except BlockingIOError:
                time.sleep(0.0005)
            except OSError:
                # A previous datagram was refused: the port is closed by now.
                return self.listen()

    def empty(self):
        for port in self.ports:
            self.send(b"", port)
        return 1

    def flood(self, count):
        kinds = [b"", b"_", bytes(60_000)]
        for number in range(count):
            self.send(kinds[number % 3], self.ports[number // 3 % 4])
        return count

    def fuzz(self, seconds, seed):
        chance = random.Random(seed)
        count, end = 0, time.monotonic() + seconds
        # Each node has a session of its own, or is in that of the box.
        self.nodes = {chance.randbytes(8): session for session in [chance.randbytes(8), chance.randbytes(8), None, None]}
        while time.monotonic() < end:
            for _ in range(50):
                self.send(self.message(chance), chance.choice(self.ports))
            count += 50
            self.answer(chance)
            if count % 1000 == 0:
                self.drain()
            time.sleep(0.001)
        return count

    def drain(self):
        """Takes the ports of an announcement, if one has arrived: they change if the session is opened anew."""
        self.ear.setblocking(False)
        try:
            self.listen()
            while True:
                self.ear.recv(2048)
        except (BlockingIOError, KeyError, struct.error, IndexError):
            pass
        self.ear.settimeout(5)

    def answer(self, chance):
        """Answers to pings, so that its sessions are measured and joined, now and then with a time that cannot be."""
        try:
            while True:
                text, sender = self.mouth.recvfrom(2048)
                if text[:8] != MEASUREMENT or text[8] != PING:
                    continue
                ghost = chance.choice(EDGES) if chance.random() < 0.1 else time.monotonic_ns() // 1000 + 10**12
                pong = entry(b"sess", self.some_session(chance)) + entry(b"__gt", struct.pack(">q", ghost))
                self.send(MEASUREMENT + bytes([PONG]) + pong + (text[9:] if chance.random() < 0.9 else self.times(chance)), sender)
        except BlockingIOError:
            pass

    def number(self, chance):
        kind = chance.random()
        if kind < 0.4:
            return struct.pack(">q", chance.choice(EDGES))
        return struct.pack(">q", chance.getrandbits(63) >> chance.randrange(63) if kind < 0.8 else time.monotonic_ns() // 1000)

    def times(self, chance):
        return b"".join(entry(key, self.number(chance)) for key in (b"__gt", b"_pgt", b"__ht") if chance.random() < 0.7)

    def some_session(self, chance):
        return chance.choice(list(self.nodes.values())) or self.session

    def message(self, chance):
        if chance.random() < 0.3:
            text = MEASUREMENT + bytes([chance.choice([PING, PONG, 0, 255])])
            text += entry(b"sess", self.some_session(chance)) + self.times(chance)
        else:
            kind = chance.choice([ALIVE, RESPONSE]) if chance.random() < 0.98 else chance.choice([BYE, 0, 200])
            node = chance.choice(list(self.nodes))
            text = DISCOVERY + bytes([kind, chance.choice([5, 5, 0, 255]), 0, chance.random() < 0.05]) + node
            tempo = struct.pack(">q", chance.choice([500_000, 449_000])) if chance.random() < 0.5 else self.number(chance)
            text += entry(b"tmln", tempo + self.number(chance) + self.number(chance))
            text += entry(b"sess", (self.nodes[node] if chance.random() < 0.98 else self.some_session(chance)) or self.session)
            text += entry(b"stst", bytes([chance.randrange(3)]) + self.number(chance) + self.number(chance))
            host = socket.inet_aton(chance.choice(["10.83.0.2", "10.83.0.2", "255.255.255.255", "0.0.0.0", GROUP]))
            port = self.mouth.getsockname()[1] if chance.random() < 0.7 else chance.choice([0, 1, 65535])
            text += entry(b"mep4", host + struct.pack(">H", port))
        broken = bytearray(text)
        if chance.random() < 0.3:
            for _ in range(chance.randrange(1, 4)):
                broken[chance.randrange(len(broken))] = chance.choice([0, 1, 127, 128, 255, chance.randrange(256)])
        if chance.random() < 0.15:
            broken = broken[:chance.randrange(1, len(broken))]
        if chance.random() < 0.05:
            broken += chance.randbytes(chance.randrange(1500))
        return bytes(broken)


def main(kind, *words):
    stranger = Stranger()
    began = time.monotonic()
    count = getattr(stranger, kind)(*map(int, words))
    print(json.dumps({"count": count, "seconds": time.monotonic() - began}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
