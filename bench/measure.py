"""Run commands, and measure time and memory."""
import os
import re
import subprocess
import sys
import threading
import time


def anonymous_kib(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            match = re.search(r"RssAnon:\s+(\d+)", status.read())
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(match[1]) if match else 0


def watch(pid, peak, stop):
    while not stop.is_set():
        peak[0] = max(peak[0], anonymous_kib(pid))
        time.sleep(0.005)


def run(argv, consumer=None, feeder=None):
    """Run argv, piped into the consumer and from the feeder if given. Return CPU seconds of argv and the consumer,
    wall seconds, and peak anonymous and resident MiB of argv."""
    start = time.monotonic()
    sink = None
    if consumer:
        sink = subprocess.Popen(consumer, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    source = subprocess.Popen(feeder, stdout=subprocess.PIPE) if feeder else None
    child = subprocess.Popen(argv, stdout=sink.stdin if sink else subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL,
                             stdin=source.stdout if source else subprocess.DEVNULL)
    peak, stop = [0], threading.Event()
    watcher = threading.Thread(target=watch, args=(child.pid, peak, stop))
    watcher.start()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    stop.set()
    watcher.join()
    if source:
        source.stdout.close()
        source.wait()
    cpu = usage.ru_utime + usage.ru_stime
    if sink:
        sink.stdin.close()
        _, _, sink_usage = os.wait4(sink.pid, 0)
        sink.returncode = 0
        cpu += sink_usage.ru_utime + sink_usage.ru_stime
    if status:
        sys.exit(f"failed: {' '.join(argv)}")
    return cpu, time.monotonic() - start, peak[0] / 1024, usage.ru_maxrss / 1024
