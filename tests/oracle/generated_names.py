#!/usr/bin/env python3
"""Compare the names that perf-PID.map gives to frames with those of perf script.

usage: generated_names.py PDCONV RECORDING...

For recordings with call chains from the kernel. A frame is compared if perf has its name from a map. Prints
differences and the number of frames. Fails if there are unknown differences, or no frames.
"""
import collections
import re
import subprocess
import sys


def stacks(command):
    """Return the frames of each sample: (address, name, binary)."""
    out = subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout
    for sample in out.split("\n\n"):
        frames = []
        for line in sample.splitlines():
            found = re.match(r"\t\s*([0-9a-f]+) (.*) \((.*)\)(?: \[fp\])?$", line)
            if found and found[2] != "(inlined)" and not line.endswith("(inlined)"):
                frames.append((int(found[1], 16), found[2], found[3]))
        if frames:
            yield frames


def main():
    pdconv, *recordings = sys.argv[1:]
    verdicts = collections.Counter()
    for recording in recordings:
        fields = ["--no-inline", "-F", "comm,tid,ip,sym,dso"]
        theirs = list(stacks(["perf", "script", "-i", recording, *fields]))
        ours = list(stacks([pdconv, recording, "--script", "-q", *fields]))
        if len(ours) != len(theirs):
            print(f"{recording}: {len(ours)} samples instead of {len(theirs)}")
            verdicts["wrong"] += 1
        for mine, other in zip(ours, theirs):
            names = {addr: (name, binary) for addr, name, binary in mine}
            for addr, name, binary in other:
                if not re.fullmatch(r"/tmp/perf-\d+\.map", binary):
                    continue
                wanted = (name, binary)
                verdict = "same" if names.get(addr) == wanted else "wrong"
                if name == "[unknown]" and verdict == "wrong":
                    verdict = "perf does not know it"
                if verdict == "wrong" and verdicts["wrong"] < 20:
                    print(f"{recording}: {addr:x}: {names.get(addr)} instead of {wanted}")
                verdicts[verdict] += 1
    print(dict(verdicts))
    return 0 if verdicts["same"] and not verdicts["wrong"] else 1


if __name__ == "__main__":
    sys.exit(main())
