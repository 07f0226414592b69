"""What the card does with the files of its user, and with a damaged partition, without a boot: its program, its first program and its
units.

Must be run as root, because the tests mount full file systems, in a namespace of their own.
"""

import hashlib
import os
import random
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
FILES = CHECKOUT / "Scripts/image.d/files"
PROGRAM = FILES / "usr/lib/metronome-card/card"
UNITS = FILES / "usr/lib/systemd/system"
BLANK = "password: begins or ends with a space; remove it, unless it belongs to the password"
UNPRINTABLE = "password: contains a character that cannot be printed, such as a tab; type the password again"
WORDS = "write network, password, country, channel, hotspot, page or link"
LENGTH = "the password of a network has 8 to 63, or is a key of 64 hexadecimal digits"
HOTSPOT = "hotspot: on\nnetwork: Bühne\npage: on\n"
NO_PASSWORD = "hotspot: has no password; write one of 8 to 63 characters after password:"
PHONE = "0123456789abcdef" * 4
"""The hash of a phone's token."""
REMOTE = 990, 991
"""The user and the group of metronome-remote, as if they were on the card."""

METRONOME = """
case $1-$2 in
  config---check) [ "$(wc -c <"$3")" -le 262144 ] || { echo "metronome: $3: the file is larger than 256 KiB" >&2; exit 78; } ;;
  config-*) cat "$2" ;;
esac
"""
"""Stands for the program: a file is right unless it is too large."""


def mistakes(text):
    with tempfile.NamedTemporaryFile() as file:
        file.write(text if isinstance(text, bytes) else text.encode())
        file.flush()
        command = ["sh", PROGRAM, "mistakes", file.name]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def small(folder, kilobytes, free=None):
    """The commands that mount a file system of this size, and leave so much of it free."""
    fill = 0 if free is None else kilobytes - free
    return f"/bin/mount -t tmpfs -o size={kilobytes}k tmpfs {folder}\nhead -c {fill}K /dev/zero >{folder}/filler\n"


class Card(unittest.TestCase):
    """Has the folders of a card, and programs that stand for those of its system."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.boot, self.memory, self.state = self.root / "boot/firmware", self.root / "run", self.root / "var/lib/metronome"
        self.copy = self.memory / "metronome-card/metronome.yaml"
        for path in (self.boot, self.memory, self.state, self.root / "var/log", self.root / "etc/metronome", self.root / "bin"):
            path.mkdir(parents=True)
        self.put("metronome", METRONOME)
        self.put("systemctl", f'case $1 in show) cat {self.root}/active ;; *) echo "$*" >>{self.root}/started ;; esac')
        self.put("gpioset", "echo blinks >&2")
        for name in ("mount", "journalctl", "modprobe"):
            self.put(name, "")
        self.metronome_is("active")

    def put(self, name, script):
        """Puts a program in the place of that of the system."""
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def metronome_is(self, state):
        (self.root / "active").write_text(state)

    def card(self, *words, before=""):
        """Runs the card's program with each of these words, after the commands `before`. Returns its log, and copies the memory."""
        script = f"""{before}
            for word; do sh {PROGRAM} "$word" || true; done
            rm -f {self.memory}/filler
            mkdir -p {self.root}/copy
            cp -r {self.memory}/. {self.root}/copy"""
        environment = os.environ | {"METRONOME_CARD_ROOT": str(self.root), "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", script, "sh", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=True).stderr

    @property
    def errors(self):
        """The text of metronome-errors.txt; None if there is no such file."""
        path = self.boot / "metronome-errors.txt"
        return path.read_bytes().decode() if path.exists() else None


class SettingsTests(Card):
    def test_copy_is_the_file(self):
        text = b"\xef\xbb\xbftempo: 90\r\nautoplay: false\r\n"
        (self.boot / "metronome.yaml").write_bytes(text)
        self.card("configuration")
        self.assertEqual(self.copy.read_bytes(), text)

    def test_too_large_file_is_a_mistake(self):
        (self.boot / "metronome.yaml").touch()
        for size in (262_145, 100_000_000):
            os.truncate(self.boot / "metronome.yaml", size)
            self.metronome_is("failed")
            # A file of 100 MB would fill the memory.
            log = self.card("configuration", "report", before=small(self.memory, 1_024))
            self.assertIn("metronome.yaml: the file is larger than 256 KiB\r\n", self.errors)
            self.assertIn("metronome-errors.txt is written\nthe light blinks\nblinks\n", log)
            self.assertEqual((self.root / "copy/metronome-card/metronome.yaml").stat().st_size, 262_145)

    def test_full_memory_is_reported(self):
        (self.boot / "metronome.yaml").write_text("# a long note\n" * 4_000)
        self.metronome_is("failed")
        for free in (0, 20):
            log = self.card("configuration", "report", before=small(self.memory, 64, free))
            # The metronome must not start with the first part of its settings.
            self.assertFalse((self.root / "copy/metronome-card/metronome.yaml").exists())
            self.assertIn("metronome.yaml could not be copied into memory: No space left on device. If", self.errors)
            self.assertIn("metronome-errors.txt is written\nthe light blinks\nblinks\n", log)
            (self.boot / "metronome-errors.txt").unlink()

    def test_music_for_which_there_is_no_memory_is_reported(self):
        (self.boot / "metronome.yaml").write_text("tempo: 90\n")
        (self.boot / "music").mkdir()
        (self.boot / "music/a.txt").write_text("100 100\n")
        (self.boot / "music/b.wav").write_bytes(bytes(100_000))
        log = self.card("configuration", "report", before=small(self.memory, 64))
        self.assertEqual((self.root / "copy/metronome-card/metronome.yaml").read_text(), "tempo: 90\n")
        self.assertFalse((self.root / "copy/metronome-card/music").exists())
        self.assertIn("The folder music could not be copied into memory", self.errors)
        self.assertNotIn("blinks", log)
        # When there is room again, nothing is reported.
        self.card("configuration", "report")
        self.assertEqual((self.memory / "metronome-card/music/a.txt").read_text(), "100 100\n")
        self.assertIsNone(self.errors)

    def test_report_that_is_not_written_is_not_claimed(self):
        self.metronome_is("failed")
        # A card whose lock is closed, and a full one.
        self.put("mount", "exit 32")
        locked = self.card("configuration", "report")
        self.put("mount", "")
        full = self.card("configuration", "report", before=small(self.boot, 64, 0))
        for log in (locked, full):
            self.assertIn("metronome-errors.txt is not written: the drive is full, or cannot be changed\nthe light blinks\nblinks\n", log)
        self.assertIsNone(self.errors)

    def test_damage_that_the_first_program_found_is_reported(self):
        (self.boot / "metronome.yaml").write_text("tempo: 90\n")
        (self.boot / "wifi.txt").write_text("page: onn\n")
        (self.root / "var/log/metronome-card").write_text("The card was damaged.\n")
        log = self.card("configuration", "report")
        self.assertRegex(self.errors, "^The card was damaged.\r\n\r\nwifi.txt has mistakes, .*\r\n\r\nwifi.txt, line 1: page: .*\r\n$")
        self.assertNotIn("blinks", log)


class EditedMusicTests(Card):
    """The first start after `tempo` was edited takes it from the file, and no later start does."""

    def setUp(self):
        super().setUp()
        (self.state / "applied.yaml").write_text("tempo: 120\n\nrestore: true\n")
        (self.state / "state").write_text("the tempo of the player is 100\n")
        (self.boot / "metronome.yaml").write_text("tempo: 90\n\nrestore: true\n")

    def test_restart_before_the_first_save(self):
        self.card("configuration")
        self.assertIn("restore: false\n", self.copy.read_text())
        self.card("stopped")
        self.assertIn("restore: false\n", self.copy.read_text())

    def test_restart_after_the_player_changed_the_tempo(self):
        self.card("configuration")
        (self.state / "state").write_text("the tempo of the player is 95\n")
        self.card("stopped")
        self.assertIn("restore: true\n", self.copy.read_text())
        # The metronome reads it as another user.
        self.assertEqual(self.copy.stat().st_mode & 0o777, 0o644)
        self.card("report", "configuration")
        self.assertIn("restore: true\n", self.copy.read_text())

    def test_unchanged_file(self):
        (self.boot / "metronome.yaml").write_text("tempo: 120\n\nrestore: true\n")
        self.card("configuration", "stopped")
        self.assertIn("restore: true\n", self.copy.read_text())

    def test_report_waits_for_a_metronome_that_is_restarted(self):
        self.card("configuration")
        (self.state / "state").write_text("the tempo of the player is 95\n")
        states = f'echo >>{self.root}/asked; [ $(wc -l <{self.root}/asked) -lt 3 ] && echo activating || echo active'
        self.put("systemctl", states)
        self.put("sleep", "")
        self.card("report")
        self.assertEqual((self.state / "applied.yaml").read_text(), "tempo: 90\n\nrestore: true\n")


class RadioTests(Card):
    """The supplicant itself reads the configuration of the radio."""

    first = "page: on\ncountry: de\n"
    networks = 2

    def read_by_supplicant(self, line, network="n"):
        """What the supplicant finds in the configuration for this line of wifi.txt; None if the card starts no radio."""
        line = line if isinstance(line, bytes) else line.encode()
        (self.boot / "wifi.txt").write_bytes(f"{self.first}network: {network}\n".encode() + line + b"\n")
        (self.root / "started").write_text("")
        (self.memory / "metronome-card").mkdir(exist_ok=True)
        self.card("network")
        if "metronome-card-radio.service" not in (self.root / "started").read_text():
            self.assertFalse((self.memory / "metronome-card/radio.conf").exists())
            return None
        # There is no such interface, so it ends after it has read the file. -K: also shows passwords.
        command = ["wpa_supplicant", "-c", self.memory / "metronome-card/radio.conf", "-i", "none", "-D", "wired", "-dd", "-K"]
        found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20).stdout.decode(errors="replace")
        self.assertNotIn("Failed to read or parse", found)
        self.assertRegex(found, r"country='DE'")
        networks = len(re.findall(r"^\s*Line: \d+ - start of a new network block", found, re.M))
        self.assertEqual(networks, 1 if "key_mgmt: 0x4" in found else self.networks)
        return found

    def written(self):
        """The lines of each network in the configuration; those before the first network first."""
        text = (self.memory / "metronome-card/radio.conf").read_text()
        return [block.removesuffix("}\n").splitlines() for block in text.split("network={\n")]

    def hexadecimal(self, found, what):
        """The bytes that the supplicant shows after this title, in rows of sixteen."""
        dump = re.search(rf"^{what} - hexdump(?:_ascii)?\(len=\d+\):(.*(?:\n     .*)*)", found, re.M)[1]
        return bytes.fromhex(dump if "\n" not in dump else "".join(row[5:53] for row in dump.split("\n")))

    def passphrase(self, password, separator=" "):
        """The password that the supplicant uses."""
        found = self.read_by_supplicant(b"password:" + separator.encode() + password)
        if "sae_password" not in found:
            return self.hexadecimal(found, r"PSK \(ASCII passphrase\)")
        # WPA2 has the key of the same password.
        result = self.hexadecimal(found, "sae_password")
        self.assertEqual(self.hexadecimal(found, "PSK"), hashlib.pbkdf2_hmac("sha1", result, b"n", 4096, 32))
        return result

    def test_passwords(self):
        printable = bytes(range(32, 127)).decode()
        choose = random.Random(40)
        texts = [
            *(printable[n : n + 8] for n in range(0, 88, 8)), printable[87:], printable[:63], printable[32:], printable[62::-1],
            *(f"{mark}23456789{mark}" for mark in " \"#\\'%$`"), 'a"b"c\\"d#e', 'a#b"cdefg', '"#345678', '1234567"#', r"\n}\nnetwork={\n",
            "$(reboot)`id`", "%s%n%d%%\\", "-n -e \\c", "a" * 8, "b" * 63, "0" * 63, "Schlüssel für zu Hause", "密码密码密码", "ä" * 4,
            "ä" * 31 + "b", 'ä"#' * 15, *("".join(choose.choices(printable, k=choose.randint(8, 63))) for _ in range(30)),
        ]  # fmt: skip
        for text in texts:
            with self.subTest(text):
                self.assertEqual(self.passphrase(text.encode()), text.encode())

    def test_blanks_after_the_colon(self):
        self.assertEqual(self.passphrase(b"12345678", separator=""), b"12345678")
        self.assertEqual(self.passphrase(b"12345678", separator="\t"), b"12345678")
        self.assertEqual(self.passphrase(b" 12345678"), b" 12345678")
        self.assertEqual(self.passphrase(b"12345678\r"), b"12345678")

    def test_key(self):
        key = "0123456789abcdefABCDEF" + "5" * 42
        found = self.read_by_supplicant(f"password: {key}")
        self.assertEqual(self.hexadecimal(found, "PSK"), bytes.fromhex(key))

    def test_names(self):
        for name in ("a: b", 'a"b', r"\n}", "密码", "x" * 32, "#1"):
            with self.subTest(name):
                found = self.read_by_supplicant("password: 12345678", network=name)
                self.assertEqual(self.hexadecimal(found, "ssid"), name.encode())

    def test_no_password(self):
        for line in ("", "password:", "password:    "):
            self.assertRegex(self.read_by_supplicant(line), "key_mgmt: 0x4")

    def test_plain_wpa2_is_preferred(self):
        for password, newer in (("12345678", "WPA-PSK WPA-PSK-SHA256 SAE"), ("5" * 64, "WPA-PSK WPA-PSK-SHA256")):
            self.read_by_supplicant(f"password: {password}")
            secret = f"psk={password}" if len(password) == 64 else f'psk="{password}"'
            self.assertEqual(self.written(), [
                ["country=DE"], ["ssid=6e", "priority=1", "key_mgmt=WPA-PSK", "ieee80211w=0", secret],
                ["ssid=6e", f"key_mgmt={newer}", "ieee80211w=1", secret],
            ])  # fmt: skip

    def test_what_cannot_be_a_password(self):
        for line in ("password: 1234567", f"password: {'x' * 64}", f"password: {'ä' * 32}", "password: 1234\t5678", b"password: 1234\x7f5678"):
            self.assertIsNone(self.read_by_supplicant(line), line)
        self.assertIsNone(self.read_by_supplicant("password: 12345678", network="x" * 33))


class HotspotTests(RadioTests):
    """The same names and passwords, and what differs, for the network of the box itself."""

    first = "Hotspot : ON\npage: on\ncountry: de\n"
    networks = 1

    def passphrase(self, password, separator=" "):
        """The password, if the supplicant has its key. Only the characters that all phones send alike are allowed."""
        found = self.read_by_supplicant(b"password:" + separator.encode() + password)
        if not password.isascii():
            self.assertIsNone(found)
            return password
        password = password.removesuffix(b"\r")
        self.assertNotIn(password, (self.memory / "metronome-card/radio.conf").read_bytes())
        self.assertEqual(self.hexadecimal(found, "PSK"), hashlib.pbkdf2_hmac("sha1", password, b"n", 4096, 32))
        return password

    def test_blanks_after_the_colon(self):
        for line, password in (("password:12345678", "12345678"), ("password:\t12345678\r", "12345678"), ("password:  1234567", " 1234567")):
            found = self.read_by_supplicant(line)
            self.assertEqual(self.hexadecimal(found, "PSK"), hashlib.pbkdf2_hmac("sha1", password.encode(), b"n", 4096, 32))

    def test_key(self):
        self.assertIsNone(self.read_by_supplicant(f"password: {'5' * 64}"))

    def test_no_password(self):
        for line in ("", "password:", "password:    "):
            self.assertIsNone(self.read_by_supplicant(line))
        self.assertIsNone(self.read_by_supplicant("password: 12345678", network=""))

    def test_plain_wpa2_is_preferred(self):
        self.read_by_supplicant("password: 12345678")
        key = hashlib.pbkdf2_hmac("sha1", b"12345678", b"n", 4096, 32).hex()
        self.assertEqual(self.written(), [
            ["country=DE", "ap_isolate=1"],
            ["ssid=6e", "mode=2", "frequency=2437", "key_mgmt=WPA-PSK", "proto=RSN", "pairwise=CCMP", "wps_disabled=1", f"psk={key}"],
        ])  # fmt: skip

    def test_channels(self):
        for channel, country, frequency in (
            ("", "", 2437), ("1", "", 2412), ("6", "x", 2437), ("11", "us", 2462), ("36", "", 2437), ("36", "deu", 2437), ("36", "de", 5180),
            ("48", "DE", 5240), ("13", "de", 2437), ("1+1", "de", 2437), ("$(reboot)", "de", 2437), ("*", "de", 2437),
        ):  # fmt: skip
            self.first = f"hotspot: yes\npage: on\ncountry: {country}\nchannel: {channel}\n"
            with self.subTest(channel=channel, country=country):
                (self.boot / "wifi.txt").write_text(f"{self.first}network: n\npassword: 12345678\n")
                self.card("configuration", "network")
                self.assertIn(f"frequency={frequency}", self.written()[1])

    def test_addresses_and_names(self):
        self.read_by_supplicant("password: 12345678")
        self.assertEqual((self.memory / "systemd/network/card.network").read_text().split("\n"), [
            "[Match]", "Name=wlan0", "[Network]", "Address=10.77.0.1/24", "Address=192.0.2.1/32", "DHCPServer=yes", "MulticastDNS=yes",
            "LLMNR=no", "IPv6AcceptRA=no", "[DHCPServer]", "PoolOffset=10", "PoolSize=50", "DNS=10.77.0.1", "EmitRouter=yes", "EmitNTP=no", "PersistLeases=no", "",
        ])  # fmt: skip
        names = (self.memory / "systemd/resolved.conf.d/card.conf").read_text()
        self.assertEqual(names, "[Resolve]\nDNSStubListenerExtra=10.77.0.1\nFallbackDNS=\n")

    def test_nothing_of_it_without_hotspot(self):
        for line in ("hotspot: off", "hotspot:", "hotspot: onn"):
            (self.boot / "wifi.txt").write_text(f"{line}\npage: on\nnetwork: n\npassword: 12345678\n")
            self.card("configuration", "network")
            self.assertIn("DHCP=yes", (self.memory / "systemd/network/card.network").read_text())
            self.assertFalse((self.memory / "systemd/resolved.conf.d/card.conf").exists())
            self.assertEqual(len(self.written()), 3)

    def test_nothing_without_page_and_link(self):
        (self.boot / "wifi.txt").write_text("hotspot: on\nnetwork: n\npassword: 12345678\npage: off\n")
        self.card("configuration", "network")
        self.assertFalse((self.root / "started").exists())

    def test_hosts_of_probes_are_those_of_the_server(self):
        lines = (FILES / "etc/hosts").read_text().splitlines()
        rules = (CHECKOUT / "Sources/RemoteServer/HostRules.swift").read_text()
        hosts = re.findall(r'"([a-z0-9.]+\.com)["/]', rules)
        self.assertGreater(len(hosts), 4)
        self.assertEqual({name for line in lines if line.startswith("192.0.2.1 ") for name in line.split()[1:]}, set(hosts))


class FirstProgramTests(Card):
    def first(self, *words, **environment):
        command = ["unshare", "--mount", "--propagation", "private", "sh", FILES / "init", *map(str, words)]
        return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)

    def test_partitions_by_their_place(self):
        (self.root / "mmcblk1p1").touch()
        (self.root / "mmcblk1p2").touch()
        # The label is preferred. Without it, the place decides, but only after some time.
        self.assertEqual(self.first("find_root", self.root, tries="200").stdout, "")
        found = self.first("find_root", self.root, tries="10").stdout
        self.assertEqual(found, f"{self.root}/mmcblk1p2\n")
        self.assertEqual(self.first("neighbour", found.strip(), 3).stdout, f"{self.root}/mmcblk1p3\n")
        (self.root / "mmcblk1p2").unlink()
        self.assertNotEqual(self.first("find_root", self.root, tries="10").returncode, 0)

    def test_waiting_ends(self):
        self.assertNotEqual(self.first("within", 1, "test", "-e", self.root / "nothing").returncode, 0)
        self.assertEqual(self.first("within", 1, "test", "-e", self.root).returncode, 0)

    def disk(self):
        """A file system with a state folder, as a file; and the number of the block with the names, and the size of a block."""
        for number, name in ((5, "state.previous"), (6, "state")):
            (self.state / name).write_text(f"metronome state 1\nsave {number}\ntempo 120\nchecksum 00000000\n")
        (self.state / "remote").mkdir(mode=0o700)
        phones = self.state / "remote/phones"
        phones.write_text(f"{PHONE} 1700000000 Anna’s phone\n{PHONE} - phone\n{PHONE}\n")
        phones.chmod(0o600)
        for path in (phones, phones.parent):
            os.chown(path, *REMOTE)
        (self.state / "practice.log").write_text("2026-11-23T20:15:00Z  60 s\n")
        (self.state / "practice.log.1").write_text("2026-10-23T20:15:00Z  60 s\n" * 9)
        disk = self.root / "disk"
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "1024", "-d", self.state, disk, "16M"], check=True)
        return disk, self.block(disk, "<2>")

    def block(self, disk, path):
        return int(self.debugfs(disk, f"blocks {path}").split()[0])

    def debugfs(self, disk, command):
        return subprocess.run(["debugfs", "-R", command, disk], check=True, capture_output=True, text=True).stdout

    def test_whole_file_system_is_left_alone(self):
        disk, _ = self.disk()
        self.assertEqual(self.first("check_state", disk, "e2fsck").returncode, 0)
        # Without the check, the metronome has its state nevertheless.
        self.assertEqual(self.first("check_state", disk, "/no/e2fsck").returncode, 0)

    def test_lost_superblock_is_restored(self):
        disk, _ = self.disk()
        with disk.open("r+b") as file:
            file.seek(1024)
            file.write(bytes(1024))
        self.assertEqual(self.first("check_state", disk, "e2fsck").returncode, 1)
        self.assertIn("save 6", self.debugfs(disk, "cat state"))

    def test_what_is_no_file_system_is_given_up(self):
        disk = self.root / "disk"
        disk.write_bytes(bytes(1 << 20))
        self.assertEqual(self.first("check_state", disk, "e2fsck").returncode, 2)

    def recovered(self, disk):
        """The folder of the state after the check of the disk and the recovery."""
        self.assertEqual(self.first("check_state", disk, "e2fsck").returncode, 1)
        copy = self.root / "mounted"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        self.debugfs(disk, f"rdump / {copy}")
        self.lost = [path for path in copy.rglob("lost+found/*") if path.is_file()]
        self.first("recover", copy)
        for name in ("state", "state.previous", "remote/phones", "practice.log", "practice.log.1"):
            self.assertEqual((copy / name).read_text(), (self.state / name).read_text(), name)
        for name, mode in (("remote", 0o700), ("remote/phones", 0o600)):
            status = (copy / name).stat()
            self.assertEqual((status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)), (*REMOTE, mode), name)

    def test_damaged_folder_is_recovered(self):
        disk, names = self.disk()
        whole = disk.read_bytes()
        for damage in (bytes(1024), random.Random(1).randbytes(1024), whole[names * 1024:][:40] + bytes(984)):
            disk.write_bytes(whole[: names * 1024] + damage + whole[(names + 1) * 1024:])
            self.recovered(disk)
            self.assertEqual(len(self.lost), 4)

    def test_damaged_folder_of_the_phones_is_recovered(self):
        disk, names = self.disk()
        whole = disk.read_bytes()
        remote = self.block(disk, "remote")
        for blocks, lost in (([remote], 1), ([remote, names], 5)):
            for damage in (bytes(1024), random.Random(1).randbytes(1024)):
                disk.write_bytes(whole)
                with disk.open("r+b") as file:
                    for block in blocks:
                        file.seek(block * 1024)
                        file.write(damage)
                self.recovered(disk)
                self.assertEqual(len(self.lost), lost)

    def lose(self, **files):
        """Files as e2fsck leaves them in lost+found: _3="text" is #3."""
        lost = self.state / "lost+found"
        lost.mkdir(exist_ok=True)
        for name, text in files.items():
            (lost / name.replace("_", "#")).write_text(text)
        return lost

    def test_newest_phones_are_recovered(self):
        lost = self.lose(_3=f"{PHONE} 1700000000 a\n", _11=f"{PHONE} 1700000000 a\n{PHONE} 1800000000 b\n", _12=f"{PHONE}\n")
        self.first("recover", self.state)
        self.assertIn("1800000000", (self.state / "remote/phones").read_text())
        # The others are gone: if these phones are forgotten later, no damage brings them back.
        self.assertEqual(list(lost.iterdir()), [])

    def test_forgotten_phones_stay_forgotten(self):
        lost = self.lose(_3=f"{PHONE} 1700000000 a\n")
        (self.state / "remote").mkdir()
        (self.state / "remote/phones").touch()
        self.first("recover", self.state)
        self.assertEqual((self.state / "remote/phones").read_text(), "")
        self.assertEqual(list(lost.iterdir()), [])

    def test_other_files_are_no_phones(self):
        texts = ("", "\0" * 1024, f"{PHONE[1:]}\n", f"{PHONE}0\n", f"{PHONE} 1x a\n", f"{PHONE} 1 a\nx\n", f"x{PHONE} 1 a\n", f"{PHONE}\n\n")
        lost = self.lose(**{f"_{number}": text for number, text in enumerate(texts)})
        self.first("recover", self.state)
        self.assertFalse((self.state / "remote").exists())
        self.assertEqual(len(list(lost.iterdir())), len(texts))

    def test_logs_are_recovered_in_their_order(self):
        line = "T20:15:00Z  60 s\n"
        newest, older = f"2026-11-23{line}", f"2026-10-23{line}"
        lost = self.lose(_1=older, _2="2026-11-23T20:1", _3=newest * 12, _4=f"2026-09-23{line}", _5=newest)
        self.first("recover", self.state)
        self.assertEqual((self.state / "practice.log").read_text(), newest * 12)
        self.assertEqual((self.state / "practice.log.1").read_text(), older)
        self.assertEqual(sorted(path.name for path in lost.iterdir()), ["#2", "#4", "#5"])

    def test_recovery_replaces_nothing(self):
        lost = self.state / "lost+found"
        lost.mkdir()
        (self.state / "state").write_text("newer\n")
        for number in (9, 10, 2):
            (lost / f"#{number}").write_text(f"metronome state 1\nsave {number}\n")
        (lost / "#3").write_text("something else\n")
        self.first("recover", self.state)
        self.assertEqual((self.state / "state").read_text(), "newer\n")
        self.assertIn("save 10\n", (self.state / "state.previous").read_text())
        self.assertEqual(sorted(path.name for path in lost.iterdir()), ["#2", "#3", "#9"])


class UnitTests(unittest.TestCase):
    def exposure(self, unit):
        command = ["systemd-analyze", "security", "--offline=true", "--no-pager", unit]
        return float(re.search(r"Overall exposure level for .*: ([0-9.]+)", subprocess.run(command, capture_output=True, text=True).stdout)[1])

    def test_units_of_the_card_are_sandboxed(self):
        units = sorted(UNITS.glob("*.service"))
        self.assertGreaterEqual(len(units), 5)
        for unit in units:
            self.assertLessEqual(self.exposure(unit), 4, unit.name)

    def test_metronome_is_sandboxed_with_the_changes_of_the_card(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(CHECKOUT / "systemd/metronome.service", folder)
            shutil.copytree(FILES / "etc/systemd/system/metronome.service.d", Path(folder) / "metronome.service.d")
            self.assertLessEqual(self.exposure(Path(folder) / "metronome.service"), 1)

    def test_first_beat_waits_for_no_network(self):
        metronome = [CHECKOUT / "systemd/metronome.service", FILES / "etc/systemd/system/metronome.service.d/card.conf"]
        waits = {word for file in metronome for line in re.findall(r"^(?:After|Requires|BindsTo)=(.*)", file.read_text(), re.M) for word in line.split()}
        self.assertEqual(waits, {
            "local-fs.target", "systemd-sysusers.service", "systemd-udevd.service", "modprobe@snd.service", "modprobe@i2c_dev.service",
            "metronome-card.service",
        })  # fmt: skip
        units = {unit.name: unit.read_text() for unit in UNITS.glob("*.service")}
        before = [name for name, text in units.items() if re.search(r"^Before=.*metronome\.service", text, re.M)]
        self.assertEqual(before, ["metronome-card.service"])
        self.assertNotRegex(units["metronome-card.service"], r"(?m)^(After|Wants|Requires|BindsTo)=")
        self.assertRegex(units["metronome-card-network.service"], r"(?m)^After=metronome.service ")


class MistakesInNetworkFile(unittest.TestCase):
    def test_right_files(self):
        for text in (
            (FILES / "boot/wifi.txt").read_bytes(), "", "page: on", "Page : ON\n  LINK: Yes\n", "page:\nlink:\n",
            b"\xef\xbb\xbfnetwork: a: b\r\npassword: 12345678\r\ncountry: de\r\npage: on\r\n# link: what\r\n\r\n",
            f"network: n\npage: on\npassword: {'0aF9' * 16}\n", "network: n\npage: on\npassword: pass word\n", "page: on\npassword:   \n",
            f"{HOTSPOT}password: 12345678\n", f"channel: 36\npassword: pass \"word\"\ncountry: de\n{HOTSPOT}", "channel: 11\nhotspot: off\n",
        ):  # fmt: skip
            self.assertEqual(mistakes(text), [], text)

    def test_mistakes(self):
        for text, found in (
            ("page: onn", 'wifi.txt, line 1: page: has the value "onn"; write on or off'),
            ("\npage: on\nlnik: on", f'wifi.txt, line 3: unknown word "lnik"; {WORDS}'),
            ("net work: x", f'wifi.txt, line 1: unknown word "net work"; {WORDS}'),
            ("page: on\ncountry: Germany", 'wifi.txt, line 2: country: has the value "Germany"; write two letters, such as DE'),
            ("page: on\nPage: off", "wifi.txt, line 2: page: appears more than once; only the first line counts"),
            (f"page: on\nnetwork: {'n' * 33}", "wifi.txt, line 2: network: has 33 bytes; the name of a network has at most 32"),
            ("network: n\npassword: 12345678\npage: no", "wifi.txt: page and link are off, so the network is not used; write page: on"),
            ("network: n\npage: no\nlink: no", "wifi.txt: page and link are off, so the network is not used; write page: on"),
            ("page: on\nnetwork: “Heim”", "wifi.txt, line 2: network: begins with a quotation mark; remove it, unless it belongs to the name"),
            ("page: on\nnetwork: „Heim“", "wifi.txt, line 2: network: begins with a quotation mark; remove it, unless it belongs to the name"),
            (
                'network: a "b"\npage: on\npassword: "12345678"',
                "wifi.txt, line 3: password: begins with a quotation mark; remove it, unless it belongs to the password",
            ),
            ("page: on\npassword: 12345678", "wifi.txt: there is a password, but no network"),
            ("network: n\npage: on\npassword:  12345678", f"wifi.txt, line 3: {BLANK}"),
            ("network: n\npage: on\npassword: 12345678 \r", f"wifi.txt, line 3: {BLANK}"),
            ("network: n\npage: on\npassword: 1234\t5678", f"wifi.txt, line 3: {UNPRINTABLE}"),
            (f"network: n\npage: on\npassword: {'x' * 64}", f"wifi.txt, line 3: password: has 64 bytes; {LENGTH}"),
            (f"network: n\npage: on\npassword: {'ä' * 32}", f"wifi.txt, line 3: password: has 64 bytes; {LENGTH}"),
            ("network: n\npage: on\npassword: 1234567", f"wifi.txt, line 3: password: has 7 bytes; {LENGTH}"),
            ("page: on\nhotspot: onn", 'wifi.txt, line 2: hotspot: has the value "onn"; write on or off'),
            (
                "channel: 7\npage: on",
                'wifi.txt, line 1: channel: has the value "7"; write 1, 6 or 11, or with a country also 36, 40, 44 or 48; channel 6 is used',
            ),
            (f"{HOTSPOT}password: 12345678\nchannel: 44", "wifi.txt, line 5: channel: 44 needs a country; channel 6 is used"),
            (HOTSPOT, f"wifi.txt, line 1: {NO_PASSWORD}"),
            (f"{HOTSPOT}password:", f"wifi.txt, line 1: {NO_PASSWORD}"),
            ("password: 12345678\npage: on\nhotspot: yes", "wifi.txt, line 3: hotspot: has no name; write one after network:"),
            (f"{HOTSPOT}password: 1234567", f"wifi.txt, line 4: password: has 7 bytes; {LENGTH}"),
            (f"{HOTSPOT}password: {'x' * 65}", f"wifi.txt, line 4: password: has 65 bytes; {LENGTH}"),
            (f"{HOTSPOT}password: {'5' * 64}", "wifi.txt, line 4: password: has 64 bytes; the password of a hotspot has 8 to 63"),
            (
                f"{HOTSPOT}password: Schlüssel",
                "wifi.txt, line 4: password: has a letter that phones may send in another way; for a hotspot, write a to z, digits and signs",
            ),
            ("hotspot: on\nnetwork: n\npassword: 12345678", "wifi.txt: page and link are off, so the network is not used; write page: on"),
            ("page: on\n" + "#\n" * 40_000, "wifi.txt: has more than 64 KiB; the rest is not read"),
        ):
            self.assertEqual(mistakes(text), [found])

    def test_no_password_is_printed(self):
        for text in ("network: n\npage: on\npassword: secret", "passwort: secret", "password secret", "secret", "page: on\npassword: secret", f"{HOTSPOT}password: secretß"):
            found = mistakes(text)
            self.assertTrue(found, text)
            self.assertNotIn("secret", "".join(found))


if __name__ == "__main__":
    unittest.main()
