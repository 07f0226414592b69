"""A crowd of visitors of metronome-remote, as a program of its own: each connects again as soon as it is disconnected.

    Tests/Remote/visitors.py PORT COUNT PAGES

Half of them share 64 IPv4 addresses; of the others, each has a network of its own in 2001:db8:40::/48. A third of them send nothing,
a third request the page again and again, and a third open a WebSocket. Prints a line once all have connected and PAGES have a WebSocket,
and at the end of standard input how many connections there were.
"""

import contextlib
import os
import select
import socket
import sys

IPV6_FREEBIND = 78
# A frame with an empty mask. Without it, the server would end a WebSocket after 30 seconds.
PONG = b"\x8a\x80\0\0\0\0"
PORT, COUNT, PAGES = map(int, sys.argv[1:])
FIELDS = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


class Visitor:
    def __init__(self, number):
        self.number, self.has_connected = number, False
        self.connect()

    def connect(self):
        is_old = self.number % 2 == 0
        own, host = ("127.20.0.%d" % (self.number // 2 % 64 + 1), "127.0.0.1") if is_old else (f"2001:db8:40:{self.number:x}::1", "::1")
        self.socket = socket.socket(socket.AF_INET if is_old else socket.AF_INET6)
        self.socket.setblocking(False)
        if not is_old:
            self.socket.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        self.socket.bind((own, 0))
        with contextlib.suppress(BlockingIOError):
            self.socket.connect((host, PORT))
        authority = f"{host if is_old else '[::1]'}:{PORT}"
        kind = self.number // 2 % 3
        self.text = [b"", f"GET / HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode(),
                     f"GET /socket HTTP/1.1\r\nHost: {authority}\r\nOrigin: http://{authority}\r\n{FIELDS}\r\n".encode()][kind]
        self.repeats, self.is_waiting, self.is_page = kind == 1, True, False

    def step(self, events):
        """Returns whether the connection is open."""
        try:
            if events & (select.EPOLLERR | select.EPOLLHUP):
                return False
            if events & select.EPOLLOUT and self.is_waiting:
                self.has_connected, self.is_waiting = True, False
                if self.text:
                    self.socket.send(self.text)
            if events & select.EPOLLIN:
                data = self.socket.recv(65536)
                if not data:
                    return False
                self.is_page |= data.startswith(b"HTTP/1.1 101 ")
                if self.repeats or self.is_page:
                    self.socket.send(PONG if self.is_page else self.text)
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


def run():
    poll, visitors, connections, is_complete = select.epoll(), {}, COUNT, False

    def watch(visitor):
        visitors[visitor.socket.fileno()] = visitor
        poll.register(visitor.socket, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)

    for number in range(COUNT):
        watch(Visitor(number))
    poll.register(sys.stdin, select.EPOLLIN)
    while True:
        for number, events in poll.poll():
            if number == sys.stdin.fileno():
                print(connections, flush=True)
                return
            visitor = visitors[number]
            if visitor.step(events):
                continue
            del visitors[number]
            visitor.socket.close()
            visitor.connect()
            watch(visitor)
            connections += 1
        everyone = visitors.values()
        if not is_complete and all(each.has_connected for each in everyone) and sum(each.is_page for each in everyone) >= PAGES:
            is_complete = True
            print("complete", flush=True)


# The visitors have machines of their own: they leave that of the box to the server.
os.setpriority(os.PRIO_PROCESS, 0, 10)
run()
