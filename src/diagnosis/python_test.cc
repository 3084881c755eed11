// Recorded output of CPython 3.11, and the text of the failure that is found in it.
#include "python.h"

#include <gtest/gtest.h>

#include "text.h"

namespace howdah::diagnosis {
namespace {

struct PythonRow {
  const char* name;
  const char* output;
  const char* text;  // empty if no failure is found
};

const PythonRow kPythonRows[] = {
    {"markers under the source", R"(hello
Traceback (most recent call last):
  File "/job/plain.py", line 7, in <module>
    main()
  File "/job/plain.py", line 6, in main
    return load("b")
           ^^^^^^^^^
  File "/job/plain.py", line 3, in load
    return {"a": 1}[n] + len(n) * 2
           ~~~~~~~~^^^
KeyError: 'b'
)",
     "KeyError: 'b' (plain.py line 3)"},
    {"raise from", R"(Traceback (most recent call last):
  File "/job/chain.py", line 5, in main
    parse("x1")
  File "/job/chain.py", line 2, in parse
    return int(x)
           ^^^^^^
ValueError: invalid literal for int() with base 10: 'x1'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/job/chain.py", line 8, in <module>
    main()
  File "/job/chain.py", line 7, in main
    raise RuntimeError("the label file is broken") from e
RuntimeError: the label file is broken
)",
     "RuntimeError: the label file is broken (chain.py line 7), caused by ValueError: invalid literal for int() with "
     "base 10: "
     "'x1' (chain.py line 2)"},
    {"while handling", R"(Traceback (most recent call last):
  File "/job/during.py", line 2, in <module>
    {}["k"]
    ~~^^^^^
KeyError: 'k'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/job/during.py", line 4, in <module>
    open("nofile.txt")
FileNotFoundError: [Errno 2] No such file or directory: 'nofile.txt'
)",
     "FileNotFoundError: [Errno 2] No such file or directory: 'nofile.txt' (during.py line 4), while handling "
     "KeyError: 'k' "
     "(during.py line 2)"},
    {"syntax error of the program", R"(  File "/job/syn.py", line 2
    def f(:
          ^
SyntaxError: invalid syntax
)",
     "SyntaxError: invalid syntax (syn.py line 2)"},
    {"syntax error of a module", R"(Traceback (most recent call last):
  File "/job/impsyn.py", line 1, in <module>
    import syn
  File "/job/syn.py", line 2
    def f(:
          ^
SyntaxError: invalid syntax
)",
     "SyntaxError: invalid syntax (syn.py line 2)"},
    {"message of several lines", R"(Traceback (most recent call last):
  File "/job/multi.py", line 1, in <module>
    raise ValueError("first line\nsecond line\n  third\nfourth")
ValueError: first line
second line
  third
fourth
)",
     "ValueError: first line | second line | third (multi.py line 1)"},
    {"exception group", R"(Traceback (most recent call last):
  File "/job/group.py", line 4, in <module>
    f()
  File "/job/group.py", line 2, in f
    raise ValueError("bad shard 7")
ValueError: bad shard 7

During handling of the above exception, another exception occurred:

  + Exception Group Traceback (most recent call last):
  |   File "/job/group.py", line 6, in <module>
  |     raise ExceptionGroup("two workers failed", [e, TypeError("x")])
  | ExceptionGroup: two workers failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/job/group.py", line 4, in <module>
    |     f()
    |   File "/job/group.py", line 2, in f
    |     raise ValueError("bad shard 7")
    | ValueError: bad shard 7
    +---------------- 2 ----------------
    | TypeError: x
    +------------------------------------
)",
     "ExceptionGroup: two workers failed (2 sub-exceptions) (group.py line 6), the first ValueError: bad shard 7 "
     "(group.py "
     "line 2)"},
    {"frozen frames", R"(Traceback (most recent call last):
  File "/job/frozen.py", line 2, in <module>
    importlib.import_module("yaml_nope.x")
  File "/usr/lib/python3.11/importlib/__init__.py", line 126, in import_module
    return _bootstrap._gcd_import(name[level:], package, level)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "<frozen importlib._bootstrap>", line 1206, in _gcd_import
  File "<frozen importlib._bootstrap>", line 1142, in _find_and_load_unlocked
ModuleNotFoundError: No module named 'yaml_nope'
)",
     "ModuleNotFoundError: No module named 'yaml_nope' (frozen.py line 2)"},
    {"torch", R"(Traceback (most recent call last):
  File "/job/lib/step.py", line 13, in <module>
    import torch; torch.nn.Linear(3,4).load_state_dict({})
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3/dist-packages/torch/nn/modules/module.py", line 1671, in load_state_dict
    raise RuntimeError('Error(s) in loading state_dict for {}:\n\t{}'.format(
RuntimeError: Error(s) in loading state_dict for Linear:
	Missing key(s) in state_dict: "weight", "bias". 
)",
     "RuntimeError: Error(s) in loading state_dict for Linear: | Missing key(s) in state_dict: \"weight\", \"bias\" "
     "(lib/step.py line 13)"},
    {"torch 2 names the rank", R"([rank1]: Traceback (most recent call last):
[rank1]:   File "/job/train.py", line 9, in <module>
[rank1]:     main()
[rank1]: ValueError: bad batch 17
)",
     "ValueError: bad batch 17 (train.py line 9)"},
    {"tensorflow, traced", R"(Traceback (most recent call last):
  File "/job/tfshape.py", line 5, in <module>
    step(tf.ones((2, 3)))
  File "/venv/lib/python3.11/site-packages/tensorflow/python/util/traceback_utils.py", line 167, in error_handler
    raise e.with_traceback(filtered_tb) from None
  File "/tmp/__autograph_generated_fileabni3qne.py", line 12, in tf__step
    retval_ = ag__.converted_call(ag__.ld(tf).matmul, (ag__.ld(x),), None, fscope)
    ^^^^^
ValueError: in user code:

    File "/job/tfshape.py", line 4, in step  *
        return tf.matmul(x, tf.ones((4, 2)))

    ValueError: Dimensions must be equal, but are 3 and 4 for '{{node MatMul}}' with input shapes: [2,3], [4,2].

)",
     "ValueError: Dimensions must be equal, but are 3 and 4 for '{{node MatMul}}' with input shapes: [2,3], [4,2] "
     "(tfshape.py "
     "line 4)"},
    {"jax, frames taken out", R"(Traceback (most recent call last):
  File "/job/jaxshape.py", line 3, in step
    def step(x): return x @ jnp.ones((4, 2))
                        ~~^~~~~~~~~~~~~~~~~~
  File "/venv/lib/python3.11/site-packages/jax/_src/numpy/tensor_contractions.py", line 269, in matmul
    out = lax.dot_general(
          ^^^^^^^^^^^^^^^^
TypeError: dot_general requires contracting dimensions to have the same shape, got (3,) and (4,).
--------------------
For simplicity, JAX has removed its internal frames from the traceback of the following exception.
)",
     "TypeError: dot_general requires contracting dimensions to have the same shape, got (3,) and (4,) (jaxshape.py "
     "line 3)"},
    {"thread", R"(Exception in thread Thread-1 (w):
Traceback (most recent call last):
  File "/usr/lib/python3.11/threading.py", line 1038, in _bootstrap_inner
    self.run()
  File "/elsewhere/thread.py", line 3, in w
    raise OSError("disk gone")
OSError: disk gone
)",
     "OSError: disk gone (/elsewhere/thread.py line 3)"},
    {"repeated frames", R"(Traceback (most recent call last):
  File "/job/recur.py", line 1, in f
    def f(n): return f(n+1)
                     ^^^^^^
  [Previous line repeated 996 more times]
RecursionError: maximum recursion depth exceeded
)",
     "RecursionError: maximum recursion depth exceeded (recur.py line 1)"},
    {"no message", R"(Traceback (most recent call last):
  File "<string>", line 1, in <module>
MemoryError
)",
     "MemoryError (<string> line 1)"},
    {"module of the type", R"(Traceback (most recent call last):
  File "/job/tb.py", line 3, in <module>
    json.loads("{")
  File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode
    obj, end = self.scan_once(s, idx)
json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
)",
     "JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1) (tb.py line 3)"},
    {"last of several", R"(Traceback (most recent call last):
  File "/job/a.py", line 1, in f
KeyError: 1
and so the program went on
Traceback (most recent call last):
  File "/job/a.py", line 9, in g
ValueError: 2
/usr/lib/python3.11/multiprocessing/resource_tracker.py:224: UserWarning: leaked semaphore objects
)",
     "ValueError: 2 (a.py line 9)"},
    {"ignored after the failure", R"(Traceback (most recent call last):
  File "/job/train.py", line 8, in <module>
    raise ValueError("learning rate must be positive")
ValueError: learning rate must be positive
Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f3c>
Traceback (most recent call last):
  File "/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 1604, in __del__
    self._shutdown_workers()
AssertionError: can only test a child process
)",
     "ValueError: learning rate must be positive (train.py line 8)"},
    {"ignored before the failure", R"(Exception ignored while calling deallocator <function It.__del__ at 0x7f3c>:
Traceback (most recent call last):
  File "/job/train.py", line 3, in __del__
AssertionError: can only test a child process
Traceback (most recent call last):
  File "/job/train.py", line 8, in <module>
ValueError: 2
)",
     "ValueError: 2 (train.py line 8)"},
    {"only ignored", R"(Exception ignored in: <function It.__del__ at 0x7f3c>
Traceback (most recent call last):
  File "/job/train.py", line 3, in __del__
OSError: disk gone
)",
     "OSError: disk gone (train.py line 3)"},
    {"cut off", "Traceback (most recent call last):\n  File \"/job/a.py\", line 1, in f\n    x = 1\n", ""},
    {"no traceback", "INFO: Traceback\nValueError: not an exception but a log line\n", ""},
};

TEST(Python, RecordedTracebacksAreRead) {
  for (const PythonRow& row : kPythonRows) {
    const auto failure = FindPythonFailure(CleanLines(row.output), "/job");
    EXPECT_EQ(failure ? failure->ToText() : "", row.text) << row.name;
  }
}

// Reading truncated output must neither crash nor take noticeable time.
TEST(Python, TruncatedOutputIsHarmless) {
  for (const PythonRow& row : kPythonRows) {
    const std::string_view output = row.output;
    for (size_t end = 0; end <= output.size(); end += 7) {
      (void)FindPythonFailure(CleanLines(output.substr(0, end)), "/job");
      (void)FindPythonFailure(CleanLines(output.substr(end)), "/job");
    }
  }
}

}  // namespace
}  // namespace howdah::diagnosis
