"""Checks the files of a release.

    python check.py FOLDER        prints a line for each check, and `N passed, M failed`
"""

import copy
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from spdx_tools.spdx.parser.jsonlikedict.json_like_dict_parser import JsonLikeDictParser
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

ROOT = Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def faults_of(bill, folder):
    """What is wrong with a bill of materials."""
    try:
        document = JsonLikeDictParser().parse(bill)
    except Exception as error:  # The parser's errors have no common type.
        return [f"is not SPDX: {error}"]
    return [message.validation_message for message in validate_full_spdx_document(document)] + list(missing(bill, folder))


def missing(bill, folder):
    """What the bill does not say about the packages and what is linked into them."""
    names = {package["SPDXID"]: package["name"] for package in bill["packages"]}
    related = {}
    for relation in bill["relationships"]:
        kind, one, other = (relation[key] for key in ("relationshipType", "spdxElementId", "relatedSpdxElement"))
        related.setdefault(names.get(one), {}).setdefault(kind, set()).add(names.get(other))
    pins = dict(re.findall(r'/([^"/]+)", accepted\("([^"]+)"\)', (ROOT / "Package.swift").read_text()))
    for name, version in pins.items():
        if not any(package["name"] == name and package["versionInfo"] == version for package in bill["packages"]):
            yield f"{name} {version} of Package.swift is missing"
    for file in folder.glob("*.deb"):
        name, arch, depends = (output("dpkg-deb", "-f", file, field).strip() for field in ("Package", "Architecture", "Depends"))
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if not any(package.get("packageFileName") == file.name and package["checksums"][0]["checksumValue"] == digest
                   for package in bill["packages"]):  # fmt: skip
            yield f"{file.name} is missing, or has another checksum"
        needed = {dependency.split("|")[0].split()[0] for dependency in depends.split(",")}
        listed = related.get(f"{name}-{arch}", {})
        for one in needed - listed.get("DEPENDS_ON", set()):
            yield f"{one}, which {file.name} depends on, is missing"
        if name != "metronome-link" and "swift" not in listed.get("STATIC_LINK", set()):
            yield f"the Swift library in {file.name} is missing"
        # The data with licenses of their own.
        for one in ("flite-voice-cmu-us-rms", "terminus-font") if name == "metronome" else ():
            if one not in listed.get("CONTAINS", set()):
                yield f"{one}, which {file.name} contains, is missing"
    for package in bill["packages"]:
        if package["versionInfo"] in ("", "unknown"):
            yield f"{package['name']} has no version"


class Checks:
    def __init__(self, folder):
        self.folder, self.passed, self.failed = folder, 0, 0
        self.version = re.search(r'programVersion = "(.*)"', (ROOT / "Sources/MetronomeCore/Version.swift").read_text())[1]
        self.bill = json.loads((folder / f"metronome-{self.version}.spdx.json").read_text())

    def check(self, what, faults):
        faults = list(faults)
        self.passed, self.failed = self.passed + (not faults), self.failed + bool(faults)
        print("ok    " if not faults else "FAILED", what, *(f"\n  {fault}" for fault in faults), sep=" ")

    def checksums(self):
        listed = dict(reversed(line.split("  ")) for line in (self.folder / "SHA256SUMS").read_text().splitlines())
        for file in self.folder.iterdir():
            if file.name in ("SHA256SUMS", "RELEASE.md"):
                continue
            if listed.pop(file.name, None) != hashlib.sha256(file.read_bytes()).hexdigest():
                yield f"{file.name} has another checksum, or none"
        yield from (f"{name} does not exist" for name in listed)

    def page(self):
        text = (self.folder / "RELEASE.md").read_text()
        for file in self.folder.iterdir():
            if file.name != "RELEASE.md" and f"| `{file.name}` |" not in text:
                yield f"{file.name} is not on the page"
        if f"# metronome {self.version}\n" not in text or "\n- " not in text:
            yield "the page has no heading, or no changes"

    def versions(self):
        for file in self.folder.glob("*.deb"):
            if not output("dpkg-deb", "-f", file, "Version").startswith(self.version + "~"):
                yield f"{file.name} has another version than {self.version}"
            path = f"./usr/share/doc/{output('dpkg-deb', '-f', file, 'Package').strip()}/changelog.Debian.gz"
            tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], check=True, capture_output=True).stdout
            log = subprocess.run(["tar", "-xO", path], input=tar, check=True, capture_output=True).stdout
            text = subprocess.run(["gunzip"], input=log, check=True, capture_output=True).stdout.decode()
            if not re.match(rf"[a-z-]+ \({re.escape(self.version)}~\w+\) ", text) or " (0.1.0~" not in text:
                yield f"the changelog in {file.name} does not begin with {self.version}, or lacks older versions"

    def incomplete_bills(self):
        """Each of these bills must be refused."""
        gpiod = next(package["name"] for package in self.bill["packages"] if package["name"].startswith("libgpiod"))
        for name in ("swift-numerics", gpiod, "swift"):
            bill = copy.deepcopy(self.bill)
            gone = {package["SPDXID"] for package in bill["packages"] if package["name"] == name}
            bill["packages"] = [package for package in bill["packages"] if package["SPDXID"] not in gone]
            bill["relationships"] = [one for one in bill["relationships"] if one["relatedSpdxElement"] not in gone]
            if not gone or not faults_of(bill, self.folder):
                yield f"a bill without {name} passes"
        bill = copy.deepcopy(self.bill)
        bill["packages"][0]["licenseDeclared"] = "No Such License"
        if not faults_of(bill, self.folder):
            yield "a bill with an invalid license passes"

    def run(self):
        self.check("bill of materials", faults_of(self.bill, self.folder))
        self.check("bills with a mistake are refused", self.incomplete_bills())
        self.check("checksums", self.checksums())
        self.check("page", self.page())
        self.check("one version", self.versions())
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


sys.exit(Checks(Path(sys.argv[1])).run())
