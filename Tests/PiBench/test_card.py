"""What the card says about mistakes in wifi.txt."""

import subprocess
import tempfile
import unittest
from pathlib import Path

FILES = Path(__file__).resolve().parents[2] / "Scripts/image.d/files"


def mistakes(text):
    with tempfile.NamedTemporaryFile() as file:
        file.write(text if isinstance(text, bytes) else text.encode())
        file.flush()
        command = ["sh", FILES / "usr/lib/metronome-card/card", "mistakes", file.name]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


class CardTests(unittest.TestCase):
    def test_right_files(self):
        for text in (
            (FILES / "boot/wifi.txt").read_bytes(), "", "page: on", "Page : ON\n  LINK: Yes\n", "page:\nlink:\n",
            b"\xef\xbb\xbfnetwork: a: b\r\npassword: 12345678\r\ncountry: de\r\npage: on\r\n# link: what\r\n\r\n",
        ):  # fmt: skip
            self.assertEqual(mistakes(text), [], text)

    def test_mistakes(self):
        for text, found in (
            ("page: onn", 'wifi.txt, line 1: page: has the value "onn"; write on or off'),
            ("\npage: on\nlnik: on", 'wifi.txt, line 3: unknown word "lnik"; write network, password, country, page or link'),
            ("net work: x", 'wifi.txt, line 1: unknown word "net work"; write network, password, country, page or link'),
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
        ):
            self.assertEqual(mistakes(text), [found])

    def test_no_password_is_printed(self):
        for text in ("network: n\npage: on\npassword: secret", "passwort: secret", "password secret", "secret", "page: on\npassword: secret"):
            found = mistakes(text)
            self.assertTrue(found, text)
            self.assertNotIn("secret", "".join(found))


if __name__ == "__main__":
    unittest.main()
