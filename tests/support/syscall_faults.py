"""Makes a system call of a program fail, or succeed without effect, by a seccomp filter. The programs under test are
static, so no library can be placed in front of theirs."""
import ctypes
import functools
import platform
import struct
import subprocess

NUMBERS = {"x86_64": {"flock": 73}, "aarch64": {"flock": 32}}
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _FILTER = 22, 38, 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD_NUMBER, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06


def failing(name, error):
    """A function for preexec_fn: from then on, the system call returns `error`. With 0 it reports success."""
    number = NUMBERS[platform.machine()][name]
    program = b"".join(struct.pack("=HBBI", *step) for step in (
        (_LOAD_NUMBER, 0, 0, 0), (_JUMP_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error),
        (_RETURN, 0, 0, _ALLOW)))
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        steps = ctypes.create_string_buffer(program)
        header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps)))
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_PR_SET_SECCOMP, _FILTER, header, 0, 0):
            raise OSError(ctypes.get_errno(), "the kernel refuses the filter")
    return install


@functools.cache
def supported():
    if platform.machine() not in NUMBERS:
        return False
    try:
        return subprocess.run(["true"], preexec_fn=failing("flock", 0)).returncode == 0
    except subprocess.SubprocessError:
        return False
