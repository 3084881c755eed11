"""Runs a pickled function in a task: `python3 _task.py FILE`, or the archive with this package in place of _task.py.

The function has the stdin, argv and signals of a script. Its value, or the exception that ends it, is the result of
the process (HOWDAH_RESULT).
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Imports work as for a script in the working directory. The package comes last, so that it hides no module of the
    # function.
    if package.endswith(".zip"):
        # The function was pickled by the cloudpickle that came with it; an older one of this node cannot unpickle it.
        sys.path[0] = package
        import cloudpickle  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: F401
    sys.path[0] = os.getcwd()
    sys.path.append(package)
    call_file = sys.argv[1]
    sys.argv[:] = [call_file]

    from howdah import _calls, _fsspec, _function

    _fsspec.register_at_import()
    with open(call_file, "rb") as file:
        call = _calls.decode_call(file.read())
    try:
        result = _function.execute(call)
    except SystemExit:
        raise
    except BaseException as error:
        text = _function.remote_traceback(error)
        sys.stderr.write(text)
        sys.stderr.flush()
        _function.write_result(_function.exception_result(error, text))
        sys.exit(1)
    _function.write_result(result)


if __name__ == "__main__":
    main()
