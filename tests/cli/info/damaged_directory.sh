# Damage in one file of a directory concerns the later samples of all files: their mappings may be lost.
python3 - "$PDCONV" "$root/testdata/parallel/perf.data" <<'END'
import json, re, shutil, struct, subprocess, sys
pdconv, intact = sys.argv[1:]

def run(*words):
    return subprocess.run([pdconv, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout

shutil.copytree(intact, "perf.data")
rows = re.findall(r"^\S+/(data\S*):0x(\w+) (\w+) .* time=(\d+)", run("dump", "perf.data"), re.M)
samples = [(int(at, 16), name) for name, at, kind, _ in rows if kind == "SAMPLE" and name == "data.0"]
damaged = samples[9][0]
with open("perf.data/data.0", "r+b") as file:
    file.seek(damaged)
    file.write(bytes(8))
before = max(int(time) for name, at, _, time in rows if name == "data.0" and int(at, 16) < damaged)
own = sum(name == "data.0" and int(at, 16) > damaged for name, at, kind, _ in rows if kind == "SAMPLE")
others = sum(name != "data.0" and int(time) > before for name, _, kind, time in rows if kind == "SAMPLE")
info = json.loads(run("info", "perf.data", "--json", "-q"))
print(info["gaps"], "gap,", info["samples_after_gaps"], "samples after it:", info["samples_after_gaps"] == own + others > own)
report = json.loads(run("report", "perf.data", "--json", "-q", "--symfs", "."))
print(report["quality"]["losses"]["samples_after_gaps"] == own + others)
END
