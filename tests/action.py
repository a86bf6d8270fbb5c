#!/usr/bin/env python3
"""Run the action of packaging/action as a runner of GitHub does, on a pull request that makes a function slower.

usage: action.py PDCONV

The runner reads action.yml, fills in expressions, and runs the steps. A program that notes its arguments stands for gh.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ACTION, SHOP = os.path.join(ROOT, "packaging", "action"), os.path.join(ROOT, "testdata", "shop")
# The program that is recorded says which tree it is of; recordings of two builds of another program stand for it, so that the
# result does not depend on what else this machine does.
PROGRAM = "int main(void) { return NUMBER; }\n"
RECORDER = """#!/bin/sh
sources=
[ "$1" != annotate ] || sources="--source-dir $PWD"
[ "$1" = record ] || exec "$PDCONV" "$@" --no-own-paths --symbol-dir "$SHOP:$SHOP/after" $sources
while [ "$1" != -o ]; do shift; done
to=$2
shift 3
status=0
"$@" || status=$?
case $status in 1) cp "$SHOP/before.data" "$to" ;; 2) cp "$SHOP/after.data" "$to" ;; *) exit $status ;; esac
"""
GH = """#!/bin/sh
echo "$*" >>"$WORK/gh.txt"
while [ $# -gt 0 ]; do
    [ "$1" != --body-file ] || cp "$2" "$WORK/comment.md"
    [ "$1" != --edit-last ] || edits=1
    shift
done
# The first comment cannot be edited.
[ -z "$edits" ] || [ -e "$WORK/commented" ] || exit 1
: >"$WORK/commented"
"""


def git(tree, *words):
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words]
    return subprocess.run(command, cwd=tree, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def commit(tree, number):
    with open(os.path.join(tree, "program.c"), "w") as out:
        out.write(PROGRAM.replace("NUMBER", str(number)))
    shutil.copy(os.path.join(SHOP, "shop.c"), tree)
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", f"Tree {number}")
    return git(tree, "rev-parse", "HEAD")


def fill(text, values):
    """Replace expressions by their values. Those with operators are only conditions of steps, which values have as well."""
    return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: str(values[match.group(1)]), text)


def read_outputs(path):
    with open(path) as lines:
        return dict(line.rstrip("\n").split("=", 1) for line in lines)


class Runner:
    def __init__(self, pdconv, work, tree, base):
        self.work, self.tree, self.base = work, tree, base
        tools = os.path.join(work, "bin")
        os.mkdir(tools)
        for name, text in (("pdconv", RECORDER), ("gh", GH)):
            with open(os.path.join(tools, name), "w") as out:
                out.write(text)
            os.chmod(os.path.join(tools, name), 0o755)
        self.environment = {**os.environ, "PATH": tools + ":" + os.environ["PATH"], "WORK": work,
                            "PDCONV": os.path.abspath(pdconv), "SHOP": SHOP,
                            "GITHUB_ACTION_PATH": ACTION, "GITHUB_STEP_SUMMARY": os.path.join(work, "summary.md")}

    def run(self, **given):
        """Return the status, what was printed, and the outputs. A step that failed is followed by those with always()."""
        with open(os.path.join(ACTION, "action.yml")) as source:
            action = yaml.safe_load(source)
        values = {"github.event.pull_request.base.sha": self.base, "github.token": "token", "github.repository": "a/b",
                  "github.event.pull_request.number": "7"}
        for name, row in action["inputs"].items():
            values["inputs." + name] = given.get(name.replace("-", "_"), fill(row.get("default", ""), values))
        status, printed = 0, ""
        for number, step in enumerate(action["runs"]["steps"]):
            if status and "always()" not in step.get("if", ""):
                continue
            if "inputs.comment == 'true'" in step.get("if", "") and values["inputs.comment"] != "true":
                continue
            output = os.path.join(self.work, f"output{number}")
            open(output, "w").close()
            environment = {**self.environment, "GITHUB_OUTPUT": output,
                           **{name: fill(value, values) for name, value in step.get("env", {}).items()}}
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.tree,
                                  env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            printed += done.stdout
            status = status or done.returncode
            if "id" in step:
                for name in action["outputs"]:
                    values[f"steps.{step['id']}.outputs.{name}"] = ""
                for name, value in read_outputs(output).items():
                    values[f"steps.{step['id']}.outputs.{name}"] = value
        return status, printed, {name: fill(row["value"], values) for name, row in action["outputs"].items()}


def main():
    with tempfile.TemporaryDirectory() as work:
        tree = os.path.join(work, "tree")
        os.mkdir(tree)
        git(tree, "init", "-q")
        base = commit(tree, 1)
        commit(tree, 2)
        runner = Runner(sys.argv[1], work, tree, base)
        opts = {"command": "./program", "build": "cc -o program program.c", "runs": "2"}
        comment = os.path.join(work, "comment.md")

        status, printed, outputs = runner.run(**opts, fail_over="5%")
        print(status, printed, outputs)
        assert status == 3 and outputs["status"] == "3", outputs
        with open(comment) as text, open(os.path.join(work, "summary.md")) as summary:
            written = text.read()
            assert written == summary.read() and re.search(r"^\|.*\| tax \(shop\) \|$", written, re.M), written
        assert re.search(r"^::notice file=shop\.c,line=\d+,title=", printed, re.M), printed
        with open(os.path.join(work, "gh.txt")) as told:
            assert [line.split()[:3] for line in told] == [["pr", "comment", "7"]] * 2

        # The next run replaces the comment; without a base, or if a tree cannot be built, nothing is compared.
        status, printed, outputs = runner.run(**opts)
        assert status == 0 and outputs["status"] == "0", printed
        with open(os.path.join(work, "gh.txt")) as told:
            assert len(told.readlines()) == 3
        status, printed, outputs = runner.run(**{**opts, "base": ""})
        assert status == 2 and "::error::" in printed and not outputs["markdown"], printed
        status, printed, _ = runner.run(**{**opts, "build": "exit 5"})
        assert status == 5, (status, printed)
        assert len(git(tree, "worktree", "list").splitlines()) == 1
    print("a slower function is found, and the pull request told so")


main()
