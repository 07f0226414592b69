"""What phones do in the hotspot of the box, and what they must not be able to do. Runs in the emulated PC of `run`, as root.

    phones.py             makes all checks, and prints a line for each
    phones.py files ROOT  before: writes the card's settings and the configurations of the phones to the PC's disk
"""

import contextlib
import os
import re
import socket
import struct
import subprocess
import sys
import time

NAME = 'Bühne "1" \\ #2'
PASSWORD = "a\\n%s \"b\"c'$#(reboot)"
OTHER = "12345678x"
"""The password of a network that the box joins."""
BOX, PROBED, OUTSIDE = "10.77.0.1", "192.0.2.1", "198.51.100.2"
SUCCESS = b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"
PROBES = [
    ("captive.apple.com", "/hotspot-detect.html", 200, SUCCESS),
    ("www.msftconnecttest.com", "/connecttest.txt", 200, b"Microsoft Connect Test"),
    ("connectivitycheck.gstatic.com", "/generate_204", 204, b""), ("connectivitycheck.android.com", "/generate_204", 204, b""),
    ("clients3.google.com", "/generate_204", 204, b""), ("www.google.com", "/gen_204", 204, b""),
]  # fmt: skip
FIRMWARE = "/boot/firmware/"
LEASE = """#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr add "$ip/$mask" dev "$interface"
ip route add default via "$router"
set >"/run/lease-$interface"
"""


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def files(root):
    """The key of a network is computed here, by another program than that of the card."""
    import hashlib

    os.makedirs(root + FIRMWARE, exist_ok=True)
    write(f"{root}{FIRMWARE}metronome.yaml", "tempo: 90\n")
    write(f"{root}{FIRMWARE}wifi.txt", f"network: {NAME}\r\npassword: {PASSWORD}\r\ncountry: de\r\nhotspot: on\r\npage: on\r\n")
    for kind, password in (("right", PASSWORD), ("wrong", PASSWORD + "x")):
        key = hashlib.pbkdf2_hmac("sha1", password.encode(), NAME.encode(), 4096, 32).hex()
        network = f"ssid={NAME.encode().hex()}\nkey_mgmt=WPA-PSK\nieee80211w=1\npsk={key}"
        write(f"{root}/etc/phone-{kind}.conf", f"network={{\n{network}\n}}\n")
    for kind, keys, frames in (("mixed", "WPA-PSK SAE", 1), ("wpa3", "SAE", 2)):
        network = f'ssid="other"\nmode=2\nfrequency=2412\nproto=RSN\npairwise=CCMP\nkey_mgmt={keys}\nieee80211w={frames}\npsk="{OTHER}"'
        write(f"{root}/etc/phone-{kind}.conf", f"network={{\n{network}\n}}\n")
    write(f"{root}/etc/lease", LEASE)
    os.chmod(f"{root}/etc/lease", 0o755)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace", timeout=60).stdout


def until(test, seconds, what):
    """Waits for something; returns it. It is asked again and again, because neither networkd nor the supplicant reports it."""
    end = time.monotonic() + seconds
    while not (found := test()):
        assert time.monotonic() < end, f"not within {seconds} s: {what()}"
        time.sleep(0.1)
    return found


def show(unit, name):
    return run("systemctl", "show", "-P", name, unit).strip()


def listen(interface):
    ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    ear.bind((interface, 0))
    return ear


class Place:
    """A network namespace, with a radio of the PC or without one."""

    def __init__(self, name, radio=None):
        self.name, self.radio, self.process, self.address = name, radio, None, None
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "set", "lo", "up")
        if radio:
            run("iw", "phy", read(f"/sys/class/net/{radio}/phy80211/name").strip(), "set", "netns", "name", name)

    def run(self, *command):
        return run("ip", "netns", "exec", self.name, *command)

    @contextlib.contextmanager
    def inside(self):
        """Sockets that are made here belong to this place, also later."""
        with open("/proc/self/ns/net") as old, open(f"/run/netns/{self.name}") as new:
            os.setns(new.fileno(), os.CLONE_NEWNET)
            try:
                yield
            finally:
                os.setns(old.fileno(), os.CLONE_NEWNET)

    @property
    def log(self):
        return read(f"/run/{self.name}.log")

    def start(self, kind):
        """Starts the supplicant with the configuration of this kind."""
        self.stop()
        write(f"/run/{self.name}.log", "")
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", self.name, "wpa_supplicant", "-i", self.radio, "-c", f"/etc/phone-{kind}.conf",
             "-C", f"/run/{self.name}", "-f", f"/run/{self.name}.log"], stdout=subprocess.DEVNULL)  # fmt: skip
        until(lambda: os.path.exists(f"/run/{self.name}/{self.radio}"), 20, lambda: self.log)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None

    def ask(self, *words):
        return self.run("wpa_cli", "-p", f"/run/{self.name}", "-i", self.radio, *words)

    def wait_for(self, text, seconds=30):
        until(lambda: text in self.log, seconds, lambda: self.log[-600:])

    def join(self):
        """Joins the hotspot, and gets an address."""
        self.start("right")
        self.wait_for("CTRL-EVENT-CONNECTED")
        self.run("busybox", "udhcpc", "-n", "-q", "-t", "8", "-T", "1", "-i", self.radio, "-s", "/etc/lease")
        lease = dict(re.findall(r"^(\w+)='?([^'\n]*)'?$", read(f"/run/lease-{self.radio}"), re.M))
        self.address = lease["ip"]
        return lease

    def listen(self, interface=None):
        """A socket that receives all frames."""
        with self.inside():
            return listen(interface or self.radio)

    def shout(self, address, text):
        """Sends datagrams, also to everyone: some, at a distance, because a radio drops frames while it wakes up."""
        with self.inside(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
            mouth.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            for _ in range(5):
                with contextlib.suppress(OSError):
                    mouth.sendto(text, (address, 4000))
                time.sleep(0.1)

    def connect(self, address, port):
        with self.inside():
            return socket.create_connection((address, port), timeout=20)

    def fetch(self, address, host, path, method="GET", *fields):
        """The status, the header and the body of an answer."""
        with self.connect(address, 80) as connection:
            connection.sendall("\r\n".join([f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *fields, "", ""]).encode())
            answer = b""
            while more := connection.recv(65536):
                answer += more
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head[9:12]), head.decode(), body

    def resolve(self, name, kind=1):
        """The code of the answer to a question for a name, and the addresses in it."""
        question = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + struct.pack("!BHH", 0, kind, 1)
        with self.inside(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.settimeout(5)
            asker.sendto(struct.pack("!HHHHHH", 7, 0x100, 1, 0, 0, 0) + question, (BOX, 53))
            answer = asker.recv(4096)
        count, records, found = struct.unpack("!H", answer[6:8])[0], answer[12 + len(question):], []
        for _ in range(count):
            record, length = struct.unpack("!H6xH", records[2:12])
            # Before the address there may be another name for it.
            found += [socket.inet_ntoa(records[12:16])] if record == 1 else []
            records = records[12 + length:]
        return answer[3] & 15, found


def heard(ear, text, seconds=2):
    """Whether a frame with this text arrives within this time."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        ear.settimeout(left)
        with contextlib.suppress(TimeoutError):
            if text in ear.recv(4096):
                return True
    return False


def equal(found, expected):
    assert found == expected, f"{found!r} instead of {expected!r}"


def access_point():
    until(lambda: re.search(r"type AP\n(.*\n)*.*channel 6 \(2437 MHz\)", run("iw", "dev", "wlan0", "info")), 60, lambda: run("iw", "dev"))


def first_beat():
    before = run("systemctl", "list-dependencies", "--after", "--all", "--plain", "metronome.service")
    found = re.findall(r"\S*(?:network|wlan|radio|resolved|remote|sys-subsystem-net)\S*", before)
    equal([name for name in found if not name.endswith(".mount")], [])
    # Both had started, and in this order.
    ready = int(show("metronome.service", "ActiveEnterTimestampMonotonic"))
    network = int(show("metronome-card-network.service", "InactiveExitTimestampMonotonic"))
    assert 0 < ready < network, f"ready at {ready}, the network at {network}"


def flags(phone):
    """What the hotspot says of itself."""
    phone.start("wrong")
    row = until(lambda: [row for row in phone.ask("scan_results").splitlines() if "\t" in row], 30, lambda: phone.log[-600:])[0].split("\t")
    equal((row[1], row[3]), ("2437", "[WPA2-PSK-CCMP][ESS]"))


def wrong_password(phone):
    phone.wait_for("pre-shared key may be incorrect")
    assert "CTRL-EVENT-CONNECTED" not in phone.log, phone.log[-600:]
    phone.stop()


def lease(phone):
    found = phone.join()
    equal([found.get(key) for key in ("mask", "router", "dns", "serverid", "ntpsrv")], ["24", BOX, BOX, BOX, None])
    assert 10 <= int(found["ip"].removeprefix("10.77.0.")) < 60, found["ip"]
    return found["ip"]


def names(phone):
    for name, *_ in PROBES:
        equal(phone.resolve(name), (0, [PROBED]))
        equal(phone.resolve(name, 28), (0, []))
    equal(phone.resolve("metronome.local"), (0, [BOX]))
    for name in ("example.org", "evil.google.com"):
        code, found = phone.resolve(name)
        assert code and not found, f"{name}: {code} {found}"


def page(phone, times=1):
    for _ in range(times):
        for host in (BOX, "metronome.local"):
            status, _, body = phone.fetch(BOX, host, "/")
            assert status == 200 and b"<title>Metronome</title>" in body, f"{host}: {status} {body[:80]}"


def probes(phone):
    for host, path, status, body in PROBES:
        found = phone.fetch(PROBED, host, path)
        equal((found[0], found[2]), (status, body))
        equal(phone.fetch(PROBED, host, "/")[0], 421)
    equal(phone.fetch(BOX, "example.org", "/")[0], 421)


def closed_port(phone):
    for address in (BOX, PROBED):
        try:
            phone.connect(address, 443).close()
        except ConnectionRefusedError:
            continue
        raise AssertionError(f"{address} is open")


def pairing(phone):
    origin = f"Origin: http://{BOX}"
    status, head, number = phone.fetch(BOX, BOX, "/pair?name=x", "POST", origin)
    assert status == 202 and "\r\nSet-Cookie: token=" in head and re.fullmatch(rb"[1-6]{3}\n", number), f"{status} {head} {number}"
    cookie = re.search(r"Set-Cookie: (token=\w+)", head)[1]
    equal(phone.fetch(BOX, BOX, "/forget", "POST", origin, f"Cookie: {cookie}")[0], 403)
    equal(phone.fetch(BOX, BOX, "/pair", "POST", "Origin: http://captive.apple.com")[0], 403)


def isolation(phone, other):
    """Neither to one phone nor to all. The box hears the same."""
    other_ear, box_ear = other.listen(), listen("wlan0")
    for address in (other.address, "10.77.0.255", "255.255.255.255", BOX):
        phone.shout(address, b"between phones")
    assert heard(box_ear, b"between phones"), "not even the box hears a phone"
    assert not heard(other_ear, b"between phones"), "a phone hears another one"


def routing(phone, other, outside):
    """Neither out nor back to another phone. With forwarding on, both work: so the test would notice it."""
    equal([read(f"/proc/sys/net/{name}").strip() for name in ("ipv4/ip_forward", "ipv6/conf/all/forwarding")], ["0", "0"])
    phone.run("ip", "route", "add", other.address, "via", BOX)
    for forwards in (False, True):
        write("/proc/sys/net/ipv4/ip_forward", str(int(forwards)))
        ears = [outside.listen("out1"), other.listen()]
        phone.shout(OUTSIDE, b"to another network")
        phone.shout(other.address, b"to another network")
        equal([heard(ear, b"to another network") for ear in ears], [forwards] * 2)
    write("/proc/sys/net/ipv4/ip_forward", "0")


def restart(phone):
    process = show("metronome-card-radio.service", "MainPID")
    os.kill(int(process), 9)
    until(lambda: show("metronome-card-radio.service", "MainPID") not in ("0", process), 20, lambda: process)
    access_point()
    until(lambda: phone.log.count("CTRL-EVENT-CONNECTED") > 1, 60, lambda: phone.log[-600:])
    # The box has its address again a little later.
    until(lambda: "10.77.0.1/" in run("ip", "addr", "show", "wlan0"), 20, lambda: run("ip", "addr"))
    page(phone)


def read_only():
    for path in ("/x", "/etc/x", "/var/lib/systemd/x"):
        try:
            write(path, "")
        except OSError as error:
            equal(error.errno, 30)
        else:
            raise AssertionError(f"{path} is written")
    assert not os.path.exists(f"{FIRMWARE}metronome-errors.txt"), read(f"{FIRMWARE}metronome-errors.txt")


def settings(text):
    """The box starts its network with another wifi.txt."""
    run("systemctl", "stop", "metronome-card-radio.service")
    # As in a computer.
    run("mount", "-o", "remount,rw", FIRMWARE)
    write(f"{FIRMWARE}wifi.txt", text)
    run("systemctl", "restart", "metronome-card-network.service")


def no_password():
    settings(f"hotspot: on\nnetwork: {NAME}\npage: on\n")
    run("systemctl", "restart", "metronome-card-report.service")
    until(lambda: os.path.exists(f"{FIRMWARE}metronome-errors.txt"), 20, lambda: "no metronome-errors.txt")
    text = read(f"{FIRMWARE}metronome-errors.txt")
    assert "wifi.txt, line 1: hotspot: has no password; write one of 8 to 63 characters after password:\n" in text, text
    equal(show("metronome-card-radio.service", "ActiveState"), "inactive")
    assert "channel" not in run("iw", "dev", "wlan0", "info"), run("iw", "dev", "wlan0", "info")


def client(phone, kind, suite):
    """The box as a client of a phone. The number is that of the kind of key: 2 for WPA2, 8 for WPA3."""
    phone.start(kind)
    phone.wait_for("AP-ENABLED")
    settings(f"network: other\npassword: {OTHER}\ncountry: de\npage: on\n")
    phone.wait_for("AP-STA-CONNECTED", 60)
    equal(re.findall(r"AKMSuiteSelector=(\S+)", phone.ask("sta", read("/sys/class/net/wlan0/address").strip())), [f"00-0f-ac-{suite}"])


def check(name, test, *arguments):
    began = time.monotonic()
    try:
        said = test(*arguments)
        print(f"ok     {name}" + (f": {said}" if said else "") + f" ({time.monotonic() - began:.1f} s)", flush=True)
    except Exception as error:
        reason = getattr(error, "stderr", None) or error
        print(f"FAILED {name}: {type(error).__name__}: {reason}", flush=True)


def main():
    check("an access point on channel 6", access_point)
    check("the first beat waits for no network", first_beat)
    owner, guest, outside = Place("owner", "wlan1"), Place("guest", "wlan2"), Place("outside")
    run("ip", "link", "add", "out0", "type", "veth", "peer", "name", "out1", "netns", "outside")
    run("ip", "addr", "add", "198.51.100.1/24", "dev", "out0")
    run("ip", "link", "set", "out0", "up")
    outside.run("ip", "link", "set", "out1", "up")
    outside.run("ip", "addr", "add", f"{OUTSIDE}/24", "dev", "out1")
    check("it has plain WPA2, and no WPS", flags, guest)
    check("a wrong password is refused", wrong_password, guest)
    check("a phone joins, and gets an address", lease, owner)
    check("names", names, owner)
    check("the page", page, owner)
    check("answers to the probes of phones", probes, owner)
    check("port 443 is closed", closed_port, owner)
    check("only a paired phone may change something", pairing, owner)
    check("another phone joins", lease, guest)
    check("phones do not hear each other", isolation, guest, owner)
    check("nothing is forwarded", routing, guest, owner, outside)
    check("the page in a loop", page, guest, 20)
    check("after a crash of the supplicant the phone is back by itself", restart, owner)
    check("the system is read-only, and nothing is reported", read_only)
    check("without a password there is no hotspot, and the report says so", no_password)
    owner.stop()
    check("as a client, the box joins with WPA2 where that is possible", client, guest, "mixed", 2)
    check("as a client, the box joins with WPA3 where it must", client, guest, "wpa3", 8)
    print("all checks are made", flush=True)


if sys.argv[1:2] == ["files"]:
    files(sys.argv[2])
else:
    main()
