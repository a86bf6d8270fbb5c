"""Run a command on a new terminal, and print what it showed there, and then its exit status.

usage: terminal.py [--rows N] [--columns N] [--type TEXT KEYS]... COMMAND [ARGUMENT...]

KEYS are typed when TEXT has been shown since the keys before; "^C" is Ctrl-C. Keys that were never typed, and modes of
the terminal that the command did not restore, are reported.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

SECONDS = 20
# How long a program that has ended may have left output, and how long one that ends after a key takes for that.
DRAIN, PAUSE = 0.05, 0.3
ESCAPES = re.compile(rb'\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r|\x07|.\x08')


def take_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def start(options, terminal):
    size = struct.pack('HHHH', options.rows, options.columns, 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
    return subprocess.Popen(options.command, stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=take_terminal)


def read(terminal):
    return os.read(terminal, 65536) if select.select([terminal], [], [], DRAIN)[0] else b''


def converse(child, terminal, steps):
    """Type the keys of the steps, which are removed. Return what was shown, and the status of the process."""
    shown, since = b'', 0
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        status = child.poll()
        more = read(terminal)
        shown += more
        if status is not None:
            while more:
                more = read(terminal)
                shown += more
            return shown, status
        if steps and steps[0][0].encode() in ESCAPES.sub(b'', shown[since:]):
            time.sleep(PAUSE)
            since = len(shown)
            os.write(terminal, steps.pop(0)[1].replace('^C', '\x03').encode())
    child.kill()
    sys.exit('terminal.py: not at an end after %d s; shown: %r' % (SECONDS, shown))


def status_text(status):
    return 'status %d' % status if status >= 0 else 'killed by ' + signal.Signals(-status).name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rows', type=int, default=24)
    parser.add_argument('--columns', type=int, default=80)
    parser.add_argument('--type', nargs=2, action='append', default=[])
    parser.add_argument('command', nargs=argparse.REMAINDER)
    options = parser.parse_args()
    # The terminal outlives the command, because this process has it open as well.
    terminal, of_command = pty.openpty()
    before = termios.tcgetattr(of_command)
    shown, status = converse(start(options, of_command), terminal, options.type)
    sys.stdout.buffer.write(ESCAPES.sub(b'', shown))
    sys.stdout.buffer.flush()
    print(status_text(status))
    if options.type:
        print('never typed: %r' % options.type)
    if termios.tcgetattr(of_command) != before:
        print('the modes of the terminal are not restored')


main()
