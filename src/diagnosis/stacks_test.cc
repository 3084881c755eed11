#include "howdah/diagnosis/stacks.h"

#include <gtest/gtest.h>

namespace howdah::diagnosis {
namespace {

TEST(Stacks, PySpyOutputGivesLibraryCallAndCaller) {
  EXPECT_EQ(StackLocation(R"(Process 4711: python train.py --epochs 3
Python v3.11.2 (/usr/bin/python3.11)

Thread 4711 (idle): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2050)
    wrapper (torch/distributed/c10d_logger.py:72)
    main (train.py:40)
    <module> (train.py:52)
Thread 4750 (idle): "Thread-1"
    wait (threading.py:320)
)"),
            "all_reduce (distributed_c10d.py:2050), called from main (train.py:40)");
}

TEST(Stacks, FaulthandlerCurrentThreadIsTheMainThread) {
  EXPECT_EQ(StackLocation(R"(Thread 0x00007f5c (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/usr/lib/python3.11/threading.py", line 995 in _bootstrap

Current thread 0x00007f5d (most recent call first):
  File "/home/ann/src/train.py", line 7 in load
  File "/home/ann/src/train.py", line 12 in <module>
)"),
            "load (train.py:7)");
}

TEST(Stacks, StackWithinLibraryGivesInnermostCall) {
  EXPECT_EQ(StackLocation("Current thread 0x1 (most recent call first):\n"
                          "  File \"/env/lib/python3.11/site-packages/torch/x.py\", line 7 in f\n"
                          "  File \"<frozen runpy>\", line 198 in _run_module_as_main\n"),
            "f (x.py:7)");
}

TEST(Stacks, FirstThreadIsUsedWithoutMainThread) {
  EXPECT_EQ(StackLocation("Thread 1 (idle): \"a\"\n    f (a.py:1)\nThread 2 (idle): \"b\"\n    g (b.py:2)\n"),
            "f (a.py:1)");
}

TEST(Stacks, TextWithoutStackGivesNoLocation) {
  for (const char* text :
       {"", "Thread", "Error: Permission denied\n", "File \"\", line 1 in f", "File \"x\", line y in f", " (a:1)",
        "f (:1)", "f (a:)", "f (a:1) x", "Current thread 0x1 (most recent call first):\n"}) {
    EXPECT_EQ(StackLocation(text), "") << text;
  }
}

}  // namespace
}  // namespace howdah::diagnosis
