"""Writes the picture of Documentation/Architecture.md, and the column of imports in its tables, from the manifest.

    make.py MANIFEST             writes them; MANIFEST is the output of `swift package dump-package`
    make.py --check MANIFEST     lists files that are out of date; exits with 1 if there are any

A table row that begins with a name in backquotes describes the target of this name. Every target must have one row, and there
must be no rows for other names.
"""

import json
import pathlib
import re
import sys

from picture import Picture

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "Documentation/Architecture.md"
PICTURE = ROOT / "Documentation/architecture.svg"
ROW = re.compile(r"^\| `([\w-]+)` \|([^|]*)\|(.*)\|([^|]*)\|$", re.MULTILINE)


class Manifest:
    def __init__(self, dump):
        products = {
            target for product in dump["products"] if "library" in product["type"] for target in product["targets"]}
        self.targets = {each["name"]: self.target(each, products) for each in dump["targets"]}

    @staticmethod
    def target(dump, products):
        name = dump["name"]
        path = dump.get("path") or ("Tests/" if dump["type"] == "test" else "Sources/") + name
        if (ROOT / path / "include").exists():
            kind = "c"
        elif dump["type"] == "executable":
            kind = "program"
        else:
            kind = "product" if name in products else "library"
        # Each is a dictionary with one entry, whose value begins with the name.
        imports = sorted(next(iter(each.values()))[0] for each in dump["dependencies"])
        return {"path": path, "kind": kind, "imports": imports}

    @property
    def shipped(self):
        """The targets of the program."""
        return {name: target for name, target in self.targets.items() if target["path"].startswith("Sources/")}


def page_with_imports(text, manifest):
    def row(found):
        target = manifest.targets.get(found[1])
        if target is None:
            return found[0]
        imports = ", ".join(f"`{name}`" for name in target["imports"]) or "nothing"
        return f"| `{found[1]}` |{found[2]}|{found[3]}| {imports} |"

    return ROW.sub(row, text)


def complaints(text, manifest):
    """Messages about rows without a target, and about targets without exactly one row."""
    named = [found[1] for found in ROW.finditer(text)]
    for name in manifest.targets:
        if named.count(name) != 1:
            yield f"{PAGE.relative_to(ROOT)} has {named.count(name)} rows for the target `{name}`, and not one"
    for name in sorted(set(named) - set(manifest.targets)):
        yield f"{PAGE.relative_to(ROOT)} has a row for `{name}`, which is no target of the manifest"


def picture(text, manifest):
    words = {found[1]: found[2].strip() for found in ROW.finditer(text)}
    shipped = manifest.shipped
    return Picture({
        name: {
            "words": words[name], "kind": target["kind"],
            "imports": [other for other in target["imports"] if other in shipped]}
        for name, target in shipped.items()}).svg()


def main():
    *check, dump = sys.argv[1:]
    if check not in ([], ["--check"]):
        sys.exit(__doc__)
    manifest = Manifest(json.loads(pathlib.Path(dump).read_text()))
    text = PAGE.read_text()
    faults = list(complaints(text, manifest))
    if faults:
        sys.exit("\n".join(faults))
    page = page_with_imports(text, manifest)
    made = {PAGE: page, PICTURE: picture(page, manifest)}
    stale = [path for path, wanted in made.items() if not path.exists() or path.read_text() != wanted]
    if not check:
        for path in stale:
            path.write_text(made[path])
    elif stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        sys.exit(f"out of date with the manifest: {names}; run Scripts/architecture")


main()
