"""Checks the workflows of the repository, and runs the shell steps of the release workflow without GitHub.

    python3 workflows.py check [FILE…]            checks these workflows; default: all, and the other files that GitHub reads
    python3 workflows.py run FOLDER [OPTION…]     runs release.yml as for a tag; FOLDER receives what it would publish. OPTIONs are those
                                                  of Scripts/release. As root

Each job runs in a root folder of its own: this machine's, under an overlay, so that nothing remains. It has no network. A checkout is a
clone of the last commit with the tag of the version, and belongs to another user, as on GitHub. Artifacts are folders. `gh` is a program
that copies files, and accepts only options that the real one has. Fails if a step fails, or needs what is not here.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import copytree

import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github/workflows"
KEYS = {
    "workflow": {"name", "on", "permissions", "concurrency", "defaults", "env", "jobs"},
    "job": {"name", "runs-on", "if", "needs", "permissions", "strategy", "container", "env", "timeout-minutes", "steps"},
    "step": {"name", "id", "if", "uses", "with", "run", "env", "working-directory"},
}
RUNNERS = {"ubuntu-24.04", "ubuntu-24.04-arm", "macos-15"}


class Loader(yaml.SafeLoader):
    """Refuses a key that is written twice. Without this, the last one counts. `on` is a key, and not true."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if twice := {key for key in keys if keys.count(key) > 1}:
            raise yaml.YAMLError(f"line {node.start_mark.line + 1}: {', '.join(twice)} is there twice")
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


def tracked():
    """The files of the repository, committed or not, and their folders."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    files = {Path(name) for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    return files | {folder for file in files for folder in file.parents}


def named_scripts(text):
    """The words of a shell script that name a script of the repository."""
    return re.findall(r"(?<![\w/.-])(?:\./)?((?:Scripts|Tests|Examples|Benchmarks|\.ci)/[\w./-]+)", text)


def unknown(where, what, mapping):
    for key in mapping.keys() - KEYS[what]:
        yield f"{where} has an unknown key: {key}"


def faults_of_step(where, step, files):
    yield from unknown(where, "step", step)
    if ("uses" in step) == ("run" in step):
        yield f"{where} needs either `uses` or `run`"
    if "uses" in step and not re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", step["uses"]):
        yield f"{where}: {step['uses']} is not pinned to a commit"
    if "run" not in step:
        return
    if "${{" in step["run"]:
        yield f"{where}: a value of GitHub in a shell script can be a command; put it into `env`"
    parsed = subprocess.run(["bash", "-n"], input=step["run"], capture_output=True, text=True)
    if parsed.returncode:
        yield f"{where}: {parsed.stderr.strip()}"
    for name in named_scripts(step["run"]):
        if Path(name) not in files or not os.access(ROOT / name, os.X_OK):
            yield f"{where}: {name} does not exist, or cannot be executed"


def matrix_values(job):
    matrix = job.get("strategy", {}).get("matrix", {})
    return {key for key in matrix if key != "include"} | {key for one in matrix.get("include", []) for key in one}


def faults_of_job(where, job, workflow, files):
    yield from unknown(where, "job", job)
    for name in re.findall(r"matrix\.(\w+)", json.dumps(job)):
        if name not in matrix_values(job):
            yield f"{where}: the matrix has no {name}"
    needs = job.get("needs", [])
    for name in [needs] if isinstance(needs, str) else needs:
        if name not in workflow["jobs"]:
            yield f"{where} needs {name}, which does not exist"
    for runner in re.findall(r"[\w.-]*(?:ubuntu|macos|windows)[\w.-]*", str(job.get("runs-on", "none"))) or ["no runner"]:
        if runner not in RUNNERS:
            yield f"{where}: {runner} is none of {', '.join(sorted(RUNNERS))}"
    if not job.get("timeout-minutes"):
        yield f"{where} has no timeout"
    for number, step in enumerate(job.get("steps", []), 1):
        yield from faults_of_step(f"{where}, step {number}", step, files)
    if not job.get("steps"):
        yield f"{where} has no steps"


def faults_of(path, files):
    """What is wrong with a workflow."""
    try:
        workflow = yaml.load(path.read_text(), Loader)
    except yaml.YAMLError as error:
        yield f"{path.name}: {error}"
        return
    yield from unknown(path.name, "workflow", workflow)
    if workflow.get("permissions") != {"contents": "read"}:
        yield f"{path.name} must have the permissions {{contents: read}}; a job that needs more has its own"
    if workflow.get("defaults") != {"run": {"shell": "bash"}}:
        yield f"{path.name} must name bash: in a container, the shell is sh otherwise"
    if not workflow.get("on") or not workflow.get("jobs"):
        yield f"{path.name} has no events, or no jobs"
    for name, job in workflow.get("jobs", {}).items():
        yield from faults_of_job(f"{path.name}, job {name}", job, workflow, files)
    used = {script for job in workflow["jobs"].values() for step in job.get("steps", []) for script in named_scripts(step.get("run", ""))}
    if path.name == "release.yml" and used != {"Scripts/release"}:
        yield f"release.yml must call Scripts/release and no other script; it calls {', '.join(sorted(used)) or 'none'}"


def other_faults():
    """What is wrong with the other files that GitHub and the Swift Package Index read."""
    for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")):
        form = yaml.load(path.read_text(), Loader)
        if path.name != "config.yml" and not {"name", "description", "body"} <= form.keys():
            yield f"{path.name} needs name, description and body"
    index = yaml.load((ROOT / ".spi.yml").read_text(), Loader)
    targets = index["builder"]["configs"][0]["documentation_targets"]
    libraries = re.search(r"^libraries=\((.*)\)$", (ROOT / "Scripts/documentation").read_text(), re.MULTILINE)[1].split()
    if targets != libraries:
        yield f".spi.yml has the targets {targets}; Scripts/documentation has {libraries}"


# What the fake `gh` does. Each command has its positional arguments and its options, as `gh COMMAND --help` prints them.
GH = '''#!/usr/bin/env python3
import argparse, os, shutil, sys
from pathlib import Path
work = Path(@WORK@)
for name in ("GH_TOKEN", "GH_REPO"):
    if not os.environ.get(name):
        sys.exit(f"gh: {name} is not set")
parser = argparse.ArgumentParser(prog="gh", allow_abbrev=False)
areas = parser.add_subparsers(required=True, dest="area")
download = areas.add_parser("run", allow_abbrev=False).add_subparsers(required=True).add_parser("download", allow_abbrev=False)
download.add_argument("run")
download.add_argument("--name", required=True)
download.add_argument("--dir", required=True)
create = areas.add_parser("release", allow_abbrev=False).add_subparsers(required=True).add_parser("create", allow_abbrev=False)
create.add_argument("tag")
create.add_argument("files", nargs="+")
create.add_argument("--verify-tag", action="store_true")
create.add_argument("--title", required=True)
create.add_argument("--notes-file", required=True)
asked = parser.parse_args()
if asked.area == "run":
    if asked.run != os.environ["GITHUB_RUN_ID"]:
        sys.exit("gh: no such run")
    shutil.copytree(work / "artifacts" / asked.name, asked.dir)
else:
    if asked.tag != os.environ["GITHUB_REF_NAME"]:
        sys.exit("gh: no such tag")
    (work / "published").mkdir()
    for file in asked.files:
        shutil.copy(file, work / "published")
    shutil.copy(asked.notes_file, work / "published/RELEASE.md")
'''

# Runs a command in a root folder of its own, with the folder of the run at its usual path, and without a network.
ENTER = """
work=$1 machine=$2 workspace=$3
shift 3
mkdir -p "$machine/changes" "$machine/scratch" "$machine/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$machine/changes,workdir=$machine/scratch" "$machine/root"
mkdir -p "$machine/root$work"
mount --bind "$work" "$machine/root$work"
mount -t proc proc "$machine/root/proc"
mount --rbind /sys "$machine/root/sys"
mount --rbind /dev "$machine/root/dev"
exec chroot "$machine/root" sh -euc 'cd "$1"; shift; exec "$@"' sh "$workspace" "$@"
"""


class Run:
    """A run of release.yml for the tag of the version."""

    def __init__(self, work, options):
        self.work = work
        version = re.search(r'programVersion = "(.*)"', (ROOT / "Sources/MetronomeCore/Version.swift").read_text())[1]
        self.tag = f"v{version}"
        self.values = {
            "inputs.options": shlex.join(options), "github.token": "no token", "github.repository": "someone/metronome",
            "github.ref_type == 'tag'": True,
        }  # fmt: skip
        self.environment = {
            "PATH": f"{work}/bin:{os.environ['PATH']}", "HOME": "/root", "LANG": "C.UTF-8", "CI": "true", "GITHUB_ACTIONS": "true",
            "GITHUB_REF_NAME": self.tag, "GITHUB_REF_TYPE": "tag", "GITHUB_RUN_ID": "1",
        }  # fmt: skip
        gh = work / "bin/gh"
        gh.parent.mkdir()
        gh.write_text(GH.replace("@WORK@", repr(str(work))))
        gh.chmod(0o755)

    def value(self, text):
        """A text with the values of its expressions, which must all be known here."""
        def known(match):
            if match[1] not in self.values:
                sys.exit(f"release.yml has an expression that the dry run does not know: {match[1]}")
            return str(self.values[match[1]])

        return re.sub(r"\$\{\{ *(.*?) *\}\}", known, str(text))

    def checkout(self, workspace):
        subprocess.run(["git", "clone", "-q", ROOT, workspace], check=True)
        subprocess.run(["git", "-C", workspace, "tag", self.tag], check=True)
        # Git looks at the owner of these two. The files inside may be links to those of the repository.
        subprocess.run(["chown", "nobody:nogroup", workspace, workspace / ".git"], check=True)

    def use(self, step, workspace):
        action = step["uses"].split("@")[0]
        if action == "actions/checkout":
            self.checkout(workspace)
        elif action == "actions/upload-artifact":
            copytree(workspace / step["with"]["path"], self.work / "artifacts" / step["with"]["name"])
        else:
            sys.exit(f"the dry run does not know the action {action}")

    def shell(self, job, step, machine, workspace):
        environment = {**self.environment, **job.get("env", {}), **step.get("env", {})}
        script = machine / "step.sh"
        script.write_text(step["run"])
        command = ["unshare", "--mount", "--net", "--propagation", "private", "sh", "-euc", ENTER, "sh", self.work, machine]
        command += [workspace / step.get("working-directory", "."), "env", "-i"]
        command += [f"{key}={self.value(value)}" for key, value in environment.items()]
        done = subprocess.run([*map(str, command), "bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)])
        if done.returncode:
            sys.exit(f"release.yml: the step {step.get('name', step['run'])} failed with {done.returncode}")

    def job(self, name, job):
        if "if" in job and not self.values[job["if"]]:
            return
        machine, workspace = self.work / f"machine-{name}", self.work / f"workspace-{name}"
        machine.mkdir()
        if job["steps"][0].get("uses", "").split("@")[0] != "actions/checkout":
            workspace.mkdir()
        for step in job["steps"]:
            print(f"release.yml, {name}: {step.get('name') or step['uses']}", flush=True)
            if "uses" in step:
                self.use(step, workspace)
            else:
                self.shell(job, step, machine, workspace)


def run(output, options):
    workflow = yaml.load((FOLDER / "release.yml").read_text(), Loader)
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        # The files that the options name are not in the root folders of the jobs.
        for number, option in enumerate(options):
            if (folder := Path(option)).is_absolute():
                options[number] = str(copytree(folder, work / f"given-{number}"))
        dry = Run(work, options)
        for name, job in workflow["jobs"].items():
            dry.job(name, job)
        copytree(work / "published", output)


def main(command, *arguments):
    if command == "run":
        return run(Path(arguments[0]), list(arguments[1:]))
    files = tracked()
    faults = [fault for path in map(Path, arguments or sorted(FOLDER.iterdir())) for fault in faults_of(path, files)]
    if not arguments:
        faults += other_faults()
    if faults:
        sys.exit("\n".join(faults))


main(*sys.argv[1:])
