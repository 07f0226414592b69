"""Copies the package, with only the targets that some of its tests need."""

import subprocess

REMOVAL_OF_UNNEEDED_TARGETS = """
var needed: Set = [%s]
for _ in package.targets {
  for target in package.targets where needed.contains(target.name) {
    for dependency in target.dependencies {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): needed.insert(name)
      default: break
      }
    }
  }
}
package.targets.removeAll { !needed.contains($0.name) }
package.products = []
package.dependencies = [.package(url: "https://github.com/apple/swift-numerics", from: "1.0.0")]
"""
"""Appended to the manifest: removes the targets that these targets do not need."""


def copy_package(root, target, suites, kept=()):
    """Copies the package into another folder, and removes from its manifest the targets that these suites of tests do not need. Files with
    names in `kept` stay in the copy."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    wanted = {name for name in listed if (root / name).is_file()}
    for name in wanted - {"Package.swift"}:
        write(target / name, (root / name).read_bytes())
    for folder in ("Sources", "Tests"):
        for file in list((target / folder).rglob("*")):
            if file.is_file() and str(file.relative_to(target)) not in wanted and file.name not in kept:
                file.unlink()
    manifest = (root / "Package.swift").read_text() + REMOVAL_OF_UNNEEDED_TARGETS % ", ".join(f'"{name}"' for name in suites)
    write(target / "Package.swift", manifest.encode())


def write(path, data):
    """Writes a file only if it differs, so that unchanged files are not rebuilt."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)
