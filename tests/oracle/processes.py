"""Running processes: what they have used, and when they have got to something."""
import contextlib
import os
import time


def wait_until(happened, *what):
    """Wait until happened() is true. Only what hangs takes a minute, so no test depends on how busy the machine is."""
    end = time.monotonic() + 60
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(" ".join(str(word) for word in what))
        time.sleep(0.02)


def has_opened_events(process):
    folder = f"/proc/{process.pid}/fd"
    with contextlib.suppress(OSError):
        return any(os.readlink(os.path.join(folder, fd)) == "anon_inode:[perf_event]" for fd in os.listdir(folder))
    return False


def wait_for_events(recorder):
    wait_until(lambda: has_opened_events(recorder), "the recorder opens no events")


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as children:
        return [int(child) for child in children.read().split()]


def stat_fields(pid):
    """Return the fields of /proc/PID/stat after the name, which is any text: the state is the first."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="surrogateescape") as stat:
        return stat.read().rpartition(")")[2].split()


def cpu_seconds(pid):
    """Return the CPU time that process PID has used."""
    fields = stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
