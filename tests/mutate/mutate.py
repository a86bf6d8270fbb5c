#!/usr/bin/env python3
"""Run pdconv on mutated recordings, and on mutated binaries, symbol files, jitdumps, maps and archives.

usage: mutate.py [--from N] [--runs N] [--jobs N] [--keep DIR] PDCONV WORK

Run number N makes the same mutation and the same command line each time. Four of five mutate the recording, the others
a file that is read for it. A run fails if pdconv is killed, takes more than 10 s of CPU or 1 GiB of memory, reports an
error of a sanitizer, prints a control character, exits with a status that it does not document, leaves an incomplete
or temporary file, or writes JSON that is not. Failures are kept in DIR. The last line is
"N runs, N failed".
"""
import argparse
import concurrent.futures
import contextlib
import gzip
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tarfile
import threading

CPU_SECONDS, WALL_SECONDS = 10, 120
MEMORY = 1 << 30
TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'testdata')
SANITIZER_STATUS = 99
# Recordings that have no program of their own are of another one.
PROGRAMS = {'compressed': 'nested', 'piped': 'nested', 'group': 'nested', 'parallel': 'threads', 'tracepoints': 'forkexec'}
NUMBERS = [0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
           0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffff8, 0xffffffffffffffff]
CONTROL = re.compile(rb'[\x00-\x08\x0b-\x1f\x7f]')

# Command lines: words, and what the output is. Several programs read these formats, so they must be well formed.
CONVERSIONS = [
    (['report'], 'text'), (['report', '--json'], 'json'), (['report', '--tree', '--full-names'], 'text'),
    (['report', '--sort', 'comm,dso,sym', '--sample-counts'], 'text'), (['-f', 'pprof'], 'gzip'),
    (['-f', 'folded', '--all', '--srcline'], 'lines'), (['-f', 'script', '--show-mmap-events', '--show-task-events'], 'text'),
    (['-f', 'script', '--header'], 'text'), (['-f', 'html'], 'bytes'), (['-f', 'firefox'], 'json.gz'),
    (['-f', 'perfetto'], 'gzip'), (['-f', 'sqlite'], 'sqlite'),
    (['sql', 'SELECT * FROM samples; SELECT * FROM tree; SELECT * FROM states'], 'text'),
    (['-f', 'otlp'], 'bytes'), (['-f', 'otlp-json'], 'json'), (['-f', 'speedscope'], 'json'), (['-f', 'callgrind'], 'text'), (['-f', 'perfdata'], 'bytes'),
    (['-f', 'perfdata', '--keep-stacks', '-z'], 'bytes'), (['-f', 'pprof', '--stitch', '--unwind=cfi'], 'gzip'),
    (['annotate'], 'text'), (['annotate', '--lines', '--json'], 'json'), (['view', '--no-open'], 'bytes'),
    (['info', '--binaries'], 'text'),
]
READINGS = [
    (['info'], 'text'), (['info', '--json'], 'json'), (['dump'], 'text'), (['dump', '--json'], 'objects'),
    (['dump', '--fields', '--hex'], 'text'), (['diff'], 'text'), (['diff', '--json'], 'json'),
    (['diff', '-f', 'folded'], 'lines'),
]


def read(*path):
    with open(os.path.join(*path), 'rb') as file:
        return file.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)


def number(rng, data, at):
    """A number that decoders may not expect, or one close to what is there."""
    width = rng.choice((1, 2, 4, 4, 8, 8))
    old = int.from_bytes(data[at:at + width], 'little')
    value = rng.choice(NUMBERS) if rng.random() < 0.6 else old + rng.choice((-8, -1, 1, 8)) * rng.choice((1, 1, 16, 4096))
    return value.to_bytes(16, 'little', signed=value < 0)[:width] if value < 0 else (value & (1 << 8 * width) - 1).to_bytes(width, 'little')


def put_number(rng, data):
    at = rng.randrange(len(data))
    if rng.random() < 0.7:
        at &= ~3
    new = number(rng, data, at)
    data[at:at + len(new)] = new


def flip_bits(rng, data):
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def put_random(rng, data):
    at = rng.randrange(len(data))
    data[at:at + rng.choice((1, 4, 8, 64))] = rng.randbytes(rng.choice((1, 4, 8, 64)))


def cut(rng, data):
    del data[rng.randrange(len(data)):]


def remove(rng, data):
    at = rng.randrange(len(data))
    del data[at:at + rng.choice((1, 8, 8, 40, 512))]


def repeat(rng, data):
    at, size = rng.randrange(len(data)), rng.choice((1, 8, 8, 40, 512, 4096))
    data[at:at] = data[at:at + size] * rng.choice((1, 1, 2, 50))


def move(rng, data):
    at, to, size = rng.randrange(len(data)), rng.randrange(len(data)), rng.choice((8, 40, 512))
    data[to:to + size] = data[at:at + size]


def put_text(rng, data):
    at = rng.randrange(len(data))
    text = rng.choice((b'\x1b]0;title\x07', b'\xff\xfe', b'../../../../tmp/x', b'/dev/zero\0', b'%s%n', b'"\\', b'\n', b'\xe2\x80\xae', b'</script>'))
    data[at:at + len(text)] = text


def put_record_header(rng, data):
    """Type, misc and size of a record, where the data of a perf.data begins if that can be found."""
    begin = 104
    if data[:8] == b'PERFILE2' and len(data) > 64:
        begin = struct.unpack_from('<Q', data, 40)[0]
    at = begin
    for _ in range(rng.randrange(60)):
        if at + 8 > len(data):
            break
        size = struct.unpack_from('<H', data, at + 6)[0]
        if size < 8:
            break
        at += size
    if at + 8 > len(data):
        return put_number(rng, data)
    kind = rng.random()
    if kind < 0.4:
        struct.pack_into('<I', data, at, rng.choice(list(range(1, 24)) + list(range(64, 84))))
    elif kind < 0.8:
        struct.pack_into('<H', data, at + 6, rng.choice((0, 7, 8, 16, 24, 32, 40, 0xffff, 0xfff8)))
    else:
        struct.pack_into('<H', data, at + 4, rng.randrange(0x10000))


MUTATIONS = [put_number] * 4 + [flip_bits, flip_bits, put_random, cut, remove, repeat, move, put_text, put_record_header, put_record_header]


def mutate(rng, original):
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 2, 3, 6, 12))):
        if data:
            rng.choice(MUTATIONS)(rng, data)
    # Headers and tables at the beginning decide about everything that follows.
    if data and rng.random() < 0.25:
        head = bytearray(data[:512])
        rng.choice(MUTATIONS[:7])(rng, head)
        data[:512] = head
    return bytes(data)


class Scenario:
    """A recording with the options that find its programs, and one of the files involved, which is mutated."""

    def __init__(self, name, recording, options=(), mutated=None, files=()):
        self.name, self.recording, self.options = name, recording, list(options)
        # Relative paths of files, and what they contain. The recording is the file "in/perf.data".
        self.files = dict(files)
        self.mutated = mutated or 'in/perf.data'

    def content(self):
        files = dict(self.files)
        files['in/perf.data'] = self.recording
        return files


def programs(name):
    directory = os.path.join(TESTDATA, PROGRAMS.get(name, name))
    return ['--symbol-dir', directory]


def make_recordings(pdconv, work):
    """Recordings that pdconv writes: without stacks, compressed, and parts of large ones."""
    made = {}
    for name, source, options in (
            ('bare', 'nested', []), ('zstd', 'cxx', ['-z', '--time', '40%-60%']), ('stacks', 'nested', ['--keep-stacks', '-z']),
            ('signal', 'signal', ['--keep-stacks', '--time', '50%-60%']), ('cxx', 'cxx', ['--keep-stacks', '--time', '50%-60%']),
            ('forkexec', 'forkexec', ['--keep-stacks', '--time', '20%-60%']),
            ('threads', 'threads', ['--keep-stacks', '--time', '50%-60%']),
            ('shop', 'shop', ['--keep-stacks', '--time', '50%-52%'])):
        path = os.path.join(work, name + '.data')
        data = 'before.data' if source == 'shop' else 'perf.data'
        subprocess.run([pdconv, os.path.join(TESTDATA, source, data), '-q', '--no-cache', *programs(source), '-f', 'perfdata',
                        '-o', path, *options], check=True)
        made[name] = read(path), source
    return made


def recording_scenarios(pdconv, work):
    scenarios = []
    for name in ('nested', 'deep', 'fp', 'group', 'jit', 'trampoline', 'touch', 'tracepoints', 'bpf', 'compressed', 'piped'):
        scenarios.append(Scenario(name, read(TESTDATA, name, 'perf.data'), programs(name)))
    for name, (data, source) in make_recordings(pdconv, work).items():
        scenarios.append(Scenario('made-' + name, data, programs(source)))
    parallel = {'in/perf.data/' + name: read(TESTDATA, 'parallel', 'perf.data', name)
                for name in os.listdir(os.path.join(TESTDATA, 'parallel', 'perf.data'))}
    for name in ('data', 'data.0'):
        scenario = Scenario('parallel-' + name, None, programs('parallel'), 'in/perf.data/' + name, parallel)
        scenario.content = scenario.files.copy
        scenarios.append(scenario)
    scenarios.append(Scenario('gzip', gzip.compress(read(TESTDATA, 'nested', 'perf.data'), mtime=0), programs('nested')))
    return scenarios


def make_archive(work, mode):
    """A tarball like that of perf archive."""
    path, identifier = os.path.join(work, 'archive.tar'), 'a62d6e5994353533878b62cd258e35558e60ae0a'
    with tarfile.open(path, 'w:' + mode) as archive:
        archive.add(os.path.join(TESTDATA, 'nested', 'nested'), 'tmp/pdconv-testdata/nested/%s/elf' % identifier)
        link = tarfile.TarInfo('.build-id/a6/' + identifier[2:])
        link.type, link.linkname = tarfile.SYMTYPE, '../../tmp/pdconv-testdata/nested/' + identifier
        archive.addfile(link)
    return read(path)


def file_scenarios(work):
    def recording(name):
        return read(TESTDATA, name, 'perf.data')

    def beside(name, *paths):
        return {'in/' + os.path.basename(path): read(TESTDATA, name, path) for path in paths}

    scenarios = []
    for name in ('nested', 'deep', 'jit', 'trampoline', 'cxx', 'fp'):
        scenarios.append(Scenario('binary-' + name, recording(name), ['--symbol-dir', 'in'], 'in/' + name, beside(name, name)))
    dump = next(name for name in os.listdir(os.path.join(TESTDATA, 'jit')) if name.endswith('.dump'))
    scenarios.append(Scenario('jitdump', recording('jit'), ['--symbol-dir', 'in'], 'in/' + dump, beside('jit', dump, 'jit')))
    scenarios.append(Scenario('perf-map', recording('trampoline'), ['--symbol-dir', 'in'], 'in/perf-29737.map',
                              beside('trampoline', 'perf-29737.map', 'trampoline')))
    scenarios.append(Scenario('kallsyms', recording('bpf'), ['--kallsyms', 'in/kallsyms'], 'in/kallsyms', beside('bpf', 'kallsyms')))
    modules = b'nested 16384 0 - Live 0xffffffffc0900000\nother 4096 1 nested, Live 0xffffffffc0a00000\n'
    scenarios.append(Scenario('modules', recording('bpf'), ['--modules', 'in/modules'], 'in/modules', {'in/modules': modules}))
    for mode in ('', 'gz', 'bz2', 'xz'):
        scenarios.append(Scenario('archive-' + (mode or 'tar'), recording('nested'), ['--symbol-dir', 'in/archive.tar'],
                                  'in/archive.tar', {'in/archive.tar': make_archive(work, mode)}))
    return scenarios


class Run:
    def __init__(self, n, scenarios):
        self.n, self.rng = n, random.Random(n)
        recordings, files = scenarios
        is_file = n % 5 == 4
        # Each scenario meets each command line.
        at = n // 5 if is_file else n // 5 * 4 + n % 5
        group = files if is_file else recordings
        self.scenario = group[at % len(group)]
        lines = CONVERSIONS if is_file else CONVERSIONS + READINGS
        self.words, self.form = lines[at // len(group) % len(lines)]

    def prepare(self, directory):
        shutil.rmtree(directory, ignore_errors=True)
        files = self.scenario.content()
        files[self.scenario.mutated] = mutate(self.rng, files[self.scenario.mutated])
        for name, data in files.items():
            write(os.path.join(directory, name), data)
        for name in ('out', 'tmp', 'nowhere'):
            os.makedirs(os.path.join(directory, name))

    def command(self, pdconv):
        options = [] if self.words[0] == 'dump' else self.scenario.options + ['--symfs', 'nowhere']
        words = self.words + (['-j', '2'] if self.words[0] != 'dump' else [])
        # Reports of two inputs compare the mutated one with the original.
        inputs = ['in/perf.data'] + (['original.data'] if self.words[0] == 'diff' else [])
        return [pdconv, *words, *inputs, *options, '-o', 'out/output']


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def execute(command, directory):
    """Return the wait status, the peak of memory in bytes, and standard error."""
    environment = dict(
        os.environ, TMPDIR=os.path.join(directory, 'tmp'), HOME=directory, XDG_CACHE_HOME=os.path.join(directory, 'cache'),
        ASAN_OPTIONS='exitcode=%d:allocator_may_return_null=1:detect_stack_use_after_return=0:'
                     'intercept_tls_get_addr=0' % SANITIZER_STATUS,
        UBSAN_OPTIONS='exitcode=%d:print_stacktrace=1' % SANITIZER_STATUS)
    with open(os.path.join(directory, 'stderr'), 'wb') as stderr:
        process = subprocess.Popen(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=stderr,
                                   stderr=stderr, preexec_fn=limit)
    timer = threading.Timer(WALL_SECONDS, process.kill)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = 0
    return status, usage.ru_maxrss * 1024, read(directory, 'stderr')


def check_database(data):
    """What is wrong with a database, or None."""
    with contextlib.closing(sqlite3.connect(':memory:')) as db:
        db.deserialize(data)
        problems = db.execute('PRAGMA integrity_check').fetchall() + db.execute('PRAGMA foreign_key_check').fetchall()
    return None if problems == [('ok',)] else 'the database is damaged: %r' % problems[:3]


def check_output(form, data):
    """Return what is wrong with a complete output, or None."""
    if form == 'json':
        json.loads(data)
    elif form == 'objects':
        for line in data.splitlines():
            json.loads(line)
    elif form == 'json.gz':
        json.loads(gzip.decompress(data))
    elif form == 'gzip':
        gzip.decompress(data)
    elif form == 'sqlite':
        return check_database(data)
    elif form in ('text', 'lines') and CONTROL.search(data.replace(b'\t', b'')):
        return 'control character in the output: %r' % CONTROL.search(data.replace(b'\t', b''))
    return None


def find_fault(run, status, memory, stderr, directory):
    if b'Sanitizer' in stderr or b'runtime error:' in stderr:
        return 'report of a sanitizer'
    if os.WIFSIGNALED(status):
        return 'killed by ' + signal.Signals(os.WTERMSIG(status)).name
    if os.WEXITSTATUS(status) not in (0, 1):
        return 'exit status %d' % os.WEXITSTATUS(status)
    if memory > MEMORY:
        return '%d MiB of memory' % (memory >> 20)
    if CONTROL.search(stderr):
        return 'control character in a message: %r' % CONTROL.search(stderr)
    if os.listdir(os.path.join(directory, 'tmp')):
        return 'a temporary file is left'
    left = os.listdir(os.path.join(directory, 'out'))
    if os.WEXITSTATUS(status):
        return 'output of a failed run: %s' % left if left else None if stderr else 'failed without a message'
    if left != ['output']:
        return 'output %s' % left
    try:
        return check_output(run.form, read(directory, 'out', 'output'))
    except (ValueError, OSError, EOFError) as error:
        return 'invalid %s: %s' % (run.form, error)


def attempt(options, scenarios, n):
    run = Run(n, scenarios)
    directory = os.path.join(options.work, 'run-%d' % threading.get_ident())
    run.prepare(directory)
    write(os.path.join(directory, 'original.data'), read(TESTDATA, 'nested', 'perf.data'))
    command = run.command(options.pdconv)
    status, memory, stderr = execute(command, directory)
    fault = find_fault(run, status, memory, stderr, directory)
    if fault and options.keep:
        kept = os.path.join(options.keep, '%d' % n)
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(directory, kept)
    text = stderr.decode(errors='backslashreplace')
    return n, run, command, fault, text, os.WIFEXITED(status) and os.WEXITSTATUS(status)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--from', type=int, default=0, dest='first')
    parser.add_argument('--runs', type=int, default=25000)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--keep')
    parser.add_argument('pdconv')
    parser.add_argument('work')
    options = parser.parse_args()
    options.pdconv, options.work = os.path.abspath(options.pdconv), os.path.abspath(options.work)
    options.keep = options.keep and os.path.abspath(options.keep)
    os.makedirs(options.work, exist_ok=True)
    scenarios = recording_scenarios(options.pdconv, options.work), file_scenarios(options.work)
    failed, statuses = 0, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = range(options.first, options.first + options.runs)
        for n, run, command, fault, text, status in pool.map(lambda n: attempt(options, scenarios, n), runs):
            statuses[status] = statuses.get(status, 0) + 1
            if (n + 1) % 1000 == 0:
                print('%d runs' % (n + 1), file=sys.stderr, flush=True)
            if not fault:
                continue
            failed += 1
            print('run %d, %s: %s\n  %s' % (n, run.scenario.name, fault, ' '.join(command)))
            print(''.join('  %s\n' % line[:300] for line in text.splitlines()[-25:]), end='', flush=True)
    print('exit statuses: %s' % ', '.join('%s: %d' % item for item in sorted(statuses.items())))
    print('%d runs, %d failed' % (options.runs, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
