"""Run programs as on a kernel without openat2, which Linux has since 5.6."""
import ctypes
import struct
import subprocess

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
SECCOMP_RET_ALLOW = 0x7fff0000
SECCOMP_RET_ERRNO = 0x00050000
ENOSYS = 38
# The number is the same on all machines.
SYS_OPENAT2 = 437
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06


def row(code, value, if_true=0, if_false=0):
    """Return an instruction of classic BPF."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


# The number of the system call comes first in struct seccomp_data.
FILTER = (row(LOAD, 0) + row(JUMP_EQUAL, SYS_OPENAT2, 0, 1) + row(RETURN, SECCOMP_RET_ERRNO | ENOSYS)
          + row(RETURN, SECCOMP_RET_ALLOW))


def forbid():
    libc = ctypes.CDLL(None, use_errno=True)
    rows = ctypes.create_string_buffer(FILTER, len(FILTER))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(FILTER) // 8, ctypes.addressof(rows)))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot add a filter of system calls")


def run(command, **options):
    """Like subprocess.run(), without openat2."""
    return subprocess.run(command, preexec_fn=forbid, **options)
