// Recorded output of real programs, and the diagnosis for it. The host is n1, the working directory /job.
#include "howdah/diagnosis/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::diagnosis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Evidence Ended(int code, std::string stderr_tail = "") {
  Evidence e;
  e.exit.code = code;
  e.stderr_tail = std::move(stderr_tail);
  e.command.shell = "whatever";
  e.path = "/usr/bin:/bin";
  e.working_directory = "/job";
  e.directory_files = {"train.py", "mnist.py", "run.sh"};
  e.host = "n1";
  return e;
}

Evidence Signalled(int signal, std::string stderr_tail = "") {
  Evidence e = Ended(0, std::move(stderr_tail));
  e.exit = {std::nullopt, signal};
  return e;
}

TEST(Diagnosis, HardwareErrorIsANodeFault) {
  const core::Diagnosis ecc = Diagnose(Ended(1,
                                             "Traceback (most recent call last):\n"
                                             "  File \"/job/train.py\", line 7, in <module>\n"
                                             "    loss.backward()\n"
                                             "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
                                             "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"));
  EXPECT_EQ(ecc.cause,
            "uncorrectable memory error of a GPU on n1: RuntimeError: CUDA error: uncorrectable "
            "ECC error encountered");
  EXPECT_TRUE(ecc.node_fault);
  const core::Diagnosis lost = Diagnose(Signalled(6, "CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized\n"));
  EXPECT_TRUE(lost.node_fault);
  const core::Diagnosis own = Diagnose(Ended(1, "RuntimeError: CUDA error: an illegal memory access\n"));
  EXPECT_FALSE(own.node_fault);
  const core::Diagnosis peer = Diagnose(Ended(1, "RuntimeError: [1] Connection closed by peer [10.0.0.2]:38529\n"));
  EXPECT_TRUE(peer.consequence) << peer.cause;
  EXPECT_FALSE(peer.node_fault);
}

struct TaskRow {
  int code;
  const char* stderr_tail;
  const char* cause;
  const char* advice;
};

void Check(const TaskRow& row) {
  const core::Diagnosis d = Diagnose(Ended(row.code, row.stderr_tail));
  EXPECT_EQ(d.cause, row.cause) << row.stderr_tail;
  EXPECT_EQ(d.advice, row.advice) << row.stderr_tail;
}

TEST(Diagnosis, UnrunnableCommandIsNamedWithAdvice) {
  const TaskRow rows[] = {
      {127, "bash: line 1: pyhton3: command not found\n", "command not found: pyhton3 (PATH=/usr/bin:/bin)",
       "did you mean python3?"},
      {127, "bash: line 1: python3.12: command not found\n", "command not found: python3.12 (PATH=/usr/bin:/bin)",
       "install Python on n1, or set `python: {archive: ...}` to a packed environment"},
      {127, "bash: line 2: --epochs: command not found\n", "command not found: --epochs",
       "a line of the command begins with --epochs: end the line before it with a backslash, or join them"},
      {127, "bash: line 1: exec: nvcc: not found\n", "command not found: nvcc (PATH=/usr/bin:/bin)",
       "check the spelling, or add the directory of the program to PATH in the job file's `env`"},
      {127, "sh: 1: train.sh: not found\n",
       "command not found: train.sh; closest match in the working directory: train.py; PATH=/usr/bin:/bin",
       "did you mean ./train.py?"},
      {127, "bash: line 1: run.sh: command not found\n",
       "command not found: run.sh, which is in the working directory but not in PATH (/usr/bin:/bin)", "use ./run.sh"},
      {127, "bash: line 1: ./rnu.sh: No such file or directory\n",
       "no such file: ./rnu.sh; closest match in the working directory: run.sh", "did you mean ./run.sh?"},
      {127, "bash: line 1: ./bin/launch: No such file or directory\n",
       "no such file: ./bin/launch (relative to the working directory)", "add the file to `source:` or `files:`"},
      {127, "bash: line 1: /opt/site/launch: No such file or directory\n", "no such file: /opt/site/launch",
       "install the program on n1, or send it with `source:` or `files:` and use its relative path"},
      {127, "/usr/bin/env: ‘python’: No such file or directory\n", "command not found: python (PATH=/usr/bin:/bin)",
       "use python3, or set `python: {archive: ...}` to a packed environment that has its own interpreter"},
      {127, "timeout: failed to run command ‘foo’: No such file or directory\n",
       "command not found: foo (PATH=/usr/bin:/bin)",
       "check the spelling, or add the directory of the program to PATH in the job file's `env`"},
      {127, "nohup: failed to run command 'foo': No such file or directory\n",
       "command not found: foo (PATH=/usr/bin:/bin)",
       "check the spelling, or add the directory of the program to PATH in the job file's `env`"},
      {127, "bash: line 1: ./run.sh: cannot execute: required file not found\n",
       "cannot execute ./run.sh: its interpreter or loader does not exist on n1",
       "check the first line of the file (#!...): it must name a program that exists on the node, and must not end in "
       "a carriage "
       "return"},
      {126, "bash: ./run.sh: /no/such/python: bad interpreter: No such file or directory\n",
       "cannot execute ./run.sh: its interpreter or loader does not exist on n1",
       "check the first line of the file (#!...): it must name a program that exists on the node, and must not end in "
       "a carriage "
       "return"},
      {126, "bash: line 1: ./run.sh: Permission denied\n", "not executable: ./run.sh",
       "make the file executable (chmod +x), or run it with its interpreter: bash ./run.sh"},
      {126,
       "bash: line 1: /job/train.py: Permission denied\nbash: line 1: exec: /job/train.py: cannot execute: Permission "
       "denied\n",
       "not executable: ./train.py",
       "make the file executable (chmod +x), or run it with its interpreter: python3 ./train.py"},
      {126, "bash: line 1: ./elf: cannot execute binary file: Exec format error\n",
       "not executable: ./elf is not a program for this machine and has no #! line",
       "build the program for the node's processor, or begin the script with a #! line"},
      {126, "bash: line 1: ./dir: Is a directory\n", "not executable: ./dir is a directory", ""},
      {2, "python3: can't open file '/job/trian.py': [Errno 2] No such file or directory\n",
       "python3 cannot open ./trian.py: no such file; closest match in the working directory: train.py",
       "did you mean train.py?"},
      {127,
       "./solver: error while loading shared libraries: libmkl_rt.so.2: cannot open shared object file: No such file "
       "or directory\n",
       "dynamic loader: ./solver: error while loading shared libraries: libmkl_rt.so.2: cannot open shared object "
       "file: No such "
       "file or directory",
       "install the library on n1, or set `python: {archive: ...}` to an environment that has it"},
      {1, "./solver: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by ./solver)\n",
       "dynamic loader: ./solver: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by "
       "./solver)",
       "the program or library was built for a newer C library than the one on n1; build or pack it on a system as old "
       "as the nodes"},
  };
  for (const TaskRow& row : rows) Check(row);
}

// Without a shell, the executor looks the program up itself, and nothing is printed.
TEST(Diagnosis, UnrunnableCommandListWithoutOutputIsNamed) {
  Evidence e = Ended(127);
  e.command = {"", {"trainer", "--fast"}};
  EXPECT_EQ(Diagnose(e).cause, "command not found: trainer (PATH=/usr/bin:/bin)");
  e.exit.code = 126;
  e.command.argv[0] = "./run.sh";
  EXPECT_EQ(Diagnose(e).cause, "not executable: ./run.sh");
  Evidence quoted = Ended(127);
  quoted.command = {"", {"echo hi && echo there"}};
  EXPECT_EQ(Diagnose(quoted).cause,
            "command not found: echo hi && echo there (quoted as one word; PATH=/usr/bin:/bin)");
  EXPECT_EQ(Diagnose(quoted).advice,
            "write the words without the quotes around all of them, or run them with bash: bash -c 'echo hi && echo "
            "there'");
}

TEST(Diagnosis, MissingPythonModuleIsNamedWithAdvice) {
  const std::string heading =
      "Traceback (most recent call last):\n  File \"/job/a.py\", line 3, in <module>\n    import x\n";
  const std::string torch = heading + "ModuleNotFoundError: No module named 'torch.nn'; 'torch' is not a package\n";
  const std::string sklearn = heading + "ModuleNotFoundError: No module named 'sklearn'\n";
  const std::string near = heading + "ModuleNotFoundError: No module named 'mnsit'\n";
  const TaskRow rows[] = {
      {1, torch.c_str(), "ModuleNotFoundError: No module named 'torch.nn'; 'torch' is not a package (a.py line 3)",
       "the installed torch has no module nn: check its version, and whether a file of the same name in the working "
       "directory hides it"},
      {1, sklearn.c_str(), "ModuleNotFoundError: No module named 'sklearn' (a.py line 3)",
       "install the package scikit-learn (module sklearn) for the command's interpreter on n1, or set `python: "
       "{archive: ...}` to a packed environment that has it"},
      {1, near.c_str(), "ModuleNotFoundError: No module named 'mnsit' (a.py line 3)",
       "did you mean mnist, which is in the working directory?"},
      {1, "/usr/bin/python3: No module named trian\n", "/usr/bin/python3: No module named trian",
       "did you mean train, which is in the working directory?"},
      {1,
       "/usr/bin/python3: Error while finding module specification for 'a.b' (ModuleNotFoundError: No module named "
       "'a')\n",
       "/usr/bin/python3: Error while finding module specification for 'a.b' (ModuleNotFoundError: No module named "
       "'a')",
       "install a for the command's interpreter on n1, or set `python: {archive: ...}` to a packed "
       "environment that "
       "has it"},
  };
  for (const TaskRow& row : rows) Check(row);
  Evidence packed = Ended(1, sklearn);
  packed.python_archive = true;
  EXPECT_EQ(Diagnose(packed).advice,
            "add the package scikit-learn (module sklearn) to the environment packed in `python: {archive: ...}`");
}

TEST(Diagnosis, BrokenPackedPythonIsTheCause) {
  using Fault = BrokenPython::Fault;
  const std::tuple<BrokenPython, const char*, const char*> rows[] = {
      {{Fault::kGone, "bin/python3", "/opt/py/bin/python3.11", {}},
       "the archive of `python:` has no interpreter of its own: bin/python3 is a link to /opt/py/bin/python3.11, which "
       "does not exist on n1",
       "install that Python on the nodes, or use conda-pack, which packs the interpreter too"},
      {{Fault::kNoBin, "bin", "", {"env", "README"}},
       "the archive of `python:` has no bin/; its top directory contains env, README",
       "pack the contents of the environment instead of its directory, as venv-pack and conda-pack do"},
      {{Fault::kNoBin, "bin", "", {}},
       "the archive of `python:` has no bin/; its top directory is empty",
       "pack the contents of the environment instead of its directory, as venv-pack and conda-pack do"},
      {{Fault::kNotExecutable, "bin/python", "", {}},
       "bin/python in the archive of `python:` is not executable",
       "pack the environment with venv-pack or conda-pack, which keep file permissions"},
  };
  for (const auto& [broken, cause, advice] : rows) {
    Evidence e = Ended(127, "bin/python3 -> /opt/py/bin/python3.11: No such file or directory\n");
    e.python_archive = true;
    e.broken_python = broken;
    EXPECT_EQ(Diagnose(e).cause, cause);
    EXPECT_EQ(Diagnose(e).advice, advice);
  }
}

constexpr char kTorchInUse[] =
    "W20261121 09:53:29.667145   746 socket.cpp:426] [c10d] The server socket has failed to bind to [::]:18398 (errno: "
    "98 - "
    "Address already in use).\n"
    "Traceback (most recent call last):\n"
    "  File \"/job/tstore.py\", line 5, in <module>\n"
    "    d.TCPStore(\"127.0.0.1\", 18398, 1, True)\n"
    "RuntimeError: The server socket has failed to listen on any local network address. The server socket has failed "
    "to bind to "
    "0.0.0.0:18398 (errno: 98 - Address already in use).\n";
constexpr char kPythonInUse[] =
    "Traceback (most recent call last):\n"
    "  File \"/job/serve.py\", line 3, in <module>\n"
    "    s = socketserver.TCPServer((\"127.0.0.1\", 18399), None)\n"
    "        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
    "  File \"/usr/lib/python3.11/socketserver.py\", line 472, in server_bind\n"
    "    self.socket.bind(self.server_address)\n"
    "OSError: [Errno 98] Address already in use\n";
constexpr char kGrpcInUse[] =
    "E1121 09:54:06.336968     873 add_port.cc:83] Failed to add port to server: No address added out of total 1 "
    "resolved for "
    "'[::]:18395'\n";

TEST(Diagnosis, PortInUseIsNamedWithListeningProcess) {
  Evidence e = Ended(1, kTorchInUse);
  EXPECT_EQ(Diagnose(e).cause,
            "address already in use: port 18398 on n1 is held by a process that is not visible to this user (tstore.py "
            "line 5)");
  e.ports = {{18398, "nginx (pid 812)"}};
  EXPECT_EQ(Diagnose(e).cause,
            "address already in use: port 18398 on n1 is held by nginx (pid 812) (tstore.py line 5)");
  EXPECT_EQ(Diagnose(e).advice,
            "listen on the port that is reserved for the task, $HOWDAH_PORT, instead of a fixed port");
  e.reserved_port = 18398;
  EXPECT_EQ(Diagnose(e).advice, "the port was reserved for this task, but another process took it; run the job again");
  Evidence jax = Signalled(11, kGrpcInUse);  // JAX 0.10 ends in this way
  jax.ports = {{18395, "python3 (pid 7)"}};
  EXPECT_EQ(Diagnose(jax).cause, "address already in use: port 18395 on n1 is held by python3 (pid 7)");
  EXPECT_EQ(Diagnose(Ended(1, "server: bind: Address already in use\n")).cause,
            "address already in use: a port on n1 is held by a process that is not visible to this user");
}

// A program that finds another port goes on, and may fail later.
TEST(Diagnosis, PortInUseIsNotTheCauseIfTheProgramUsesAnother) {
  const std::string failure =
      "Traceback (most recent call last):\n  File \"/job/a.py\", line 7, in <module>\n    x\n"
      "ValueError: batch size 0\n";
  for (const std::string warning :
       {"/venv/node.py:182: UserWarning: Port 8787 is already in use.\nHosting the HTTP server on port 43215 instead\n",
        "The port 8888 is already in use, trying another port.\n",
        "Port 8265 is already in use, using port 8266 instead.\n"}) {
    EXPECT_EQ(Diagnose(Ended(1, warning + failure)).cause, "ValueError: batch size 0 (a.py line 7)") << warning;
    EXPECT_TRUE(PortsNamedIn(warning).empty()) << warning;
    EXPECT_EQ(Diagnose(Ended(1, warning + kPythonInUse)).cause.find("address already in use: port 18399"), 0);
  }
}

TEST(Diagnosis, PortsAreFoundInAddressInUseMessages) {
  const struct {
    const char* text;
    std::vector<uint16_t> ports;
  } rows[] = {
      {kTorchInUse, {18398}},
      {kPythonInUse, {18399}},
      {kGrpcInUse, {18395}},
      {"Error: listen EADDRINUSE: address already in use :::8080\n", {8080}},
      {"listen tcp :8080: bind: address already in use\n", {8080}},
      {"nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)\n", {80}},
      {"2026-11-21 10:15:42 Address already in use: port 9000, server.py:77\n", {9000}},
      {"OSError: [Errno 98] Address already in use\nport 5000 in use\n", {5000}},
      {"Port 8888 is in use by another program.\n", {8888}},
      {"OSError: [Errno 98] Address already in use (while attempting to bind on address ('127.0.0.1', 18080))\n",
       {18080}},
      {"OSError: [Errno 98] error while attempting to bind on address ('0.0.0.0', 8081): address already in "
       "use\n",
       {8081}},
      {"port=99999999999 :70000 :0 Address already in use\n", {}},
      {"connected to 10.0.0.1:8080\n", {}},
      {"", {}}};
  for (const auto& row : rows) EXPECT_EQ(PortsNamedIn(row.text), row.ports) << row.text;
}

TEST(Diagnosis, BrokenConnectionIsAConsequenceAndNamesThePeer) {
  const std::string frame = "Traceback (most recent call last):\n  File \"/job/a.py\", line 7, in <module>\n    x\n";
  const std::string timeout =
      frame + "TimeoutError: The client socket has timed out after 2s while trying to connect to (n2, 29500).\n";
  const std::string no_name =
      "W2026 socket.cpp:601] [c10d] The IPv6 network addresses of (n2, 29500) cannot be retrieved (gai error: -2 - "
      "Name or service "
      "not known).\n" +
      timeout;
  const std::string reset =
      frame +
      "RuntimeError: [./gloo/transport/tcp/pair.cc:589] Read error [10.0.0.2]:56483: Connection reset by peer\n";
  constexpr char kAdvice[] = "check for a firewall between the two nodes, and whether the other task was still running";
  const TaskRow rows[] = {
      {1, timeout.c_str(),
       "n1 could not connect to n2:29500: TimeoutError: The client socket has timed out after 2s while trying to "
       "connect to (n2, "
       "29500) (a.py line 7)",
       kAdvice},
      {1, no_name.c_str(), "n1 could not connect to n2:29500: the name n2 does not resolve on n1 (a.py line 7)",
       "add n2 to DNS, or to /etc/hosts of n1"},
      {1, reset.c_str(),
       "n1 lost its connection to 10.0.0.2:56483: RuntimeError: [./gloo/transport/tcp/pair.cc:589] Read error "
       "[10.0.0.2]:56483: "
       "Connection reset by peer (a.py line 7)",
       kAdvice},
      {1, "n1:7:9 [0] NCCL WARN socketStartConnect: Connect to 10.0.0.2<43210> failed : Connection refused\n",
       "n1 could not connect to 10.0.0.2:43210: n1:7:9 [0] NCCL WARN socketStartConnect: Connect to 10.0.0.2<43210> "
       "failed : "
       "Connection refused",
       kAdvice},
  };
  for (const TaskRow& row : rows) Check(row);
}

TEST(Diagnosis, OutOfMemoryNamesUseAndRequest) {
  Evidence e = Signalled(9, "epoch 3\n");
  e.kernel_oom = true;
  e.memory_requested_bytes = int64_t{4} << 30;
  e.memory_peak_bytes = int64_t{39} << 27;
  EXPECT_EQ(
      Diagnose(e).cause,
      "killed by the kernel because n1 was out of memory (the node, not the container); the task had used 4.9 GiB "
      "of the 4 GiB requested");
  EXPECT_EQ(Diagnose(e).advice, "request as much memory as the task uses, so that nodes are not overcommitted");
  e.exit = {137, std::nullopt};  // bash exits with 128 + 9 when signal 9 has killed its child
  EXPECT_THAT(Diagnose(e).cause, testing::StartsWith("killed by the kernel because n1 was out of memory"));
  e.exit = {1, std::nullopt};
  e.stderr_tail =
      "Traceback (most recent call last):\n  File \"/job/a.py\", line 15, in <module>\nRuntimeError: [enforce fail at "
      "alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 40000000000000 "
      "bytes.\n";
  EXPECT_EQ(
      Diagnose(e).advice,
      "raise the role's `memory`, or process less data at a time; the task had used 4.9 GiB of the 4 GiB requested");
}

TEST(Diagnosis, TorchErrorFileTakesPrecedenceOverStderr) {
  Evidence e = Ended(1, "noise\n");
  e.error_file = R"({"message": {"message": "ValueError: bad batch 17", "extraInfo": {"py_callstack": )"
                 R"("Traceback (most recent call last):\n)"
                 R"(  File \"/usr/lib/python3/dist-packages/torch/errors/__init__.py\", line 346, in wrapper\n)"
                 R"(    return f(*args, **kwargs)\n)"
                 R"(  File \"/job/train.py\", line 20, in main\n    raise ValueError(\"bad batch 17\")\n)"
                 R"(ValueError: bad batch 17\n", "timestamp": "1795254816"}}})";
  EXPECT_EQ(Diagnose(e).cause, "ValueError: bad batch 17 (train.py line 20)");
  for (const char* other :
       {"{}", "[1]", "nonsense", R"({"message": "text"})", R"({"message": {"extraInfo": {"py_callstack": 3}}})"}) {
    e.error_file = other;
    EXPECT_EQ(Diagnose(e).cause, "stderr ends with: noise") << other;
  }
}

TEST(Diagnosis, LastOutputIsQuotedIfNoOtherCauseIsFound) {
  const std::string long_line(1000, 'x');
  const std::string long_cause = "stderr ends with: " + std::string(117, 'x') + "…";
  const TaskRow rows[] = {
      {7, "one\ntwo\n\n\x1b[31mthree\x1b[0m\nfour\n", "stderr ends with: two | three | four", ""},
      {3, "done.\n", "stderr ends with: done", ""},
      {1, "no data in shard 3\n", "stderr ends with: no data in shard 3", ""},
      {139, "bash: line 1:   677 Segmentation fault      ./solver\n",
       "its shell reports that a child was killed by signal 11 (SIGSEGV); stderr ends with: bash: line 1:   677 "
       "Segmentation fault"
       "      ./solver",
       ""},
      {1, "boom\nI0000 00:00:1795254842.303093     795 port.cc:153] oneDNN custom operations are on.\n",
       "stderr ends with: boom", ""},
      {1, "I0000 00:00:1795254842.303093     795 port.cc:153] on\n",
       "stderr ends with: I0000 00:00:1795254842.303093     795 port.cc:153] on", ""},
      {134, "terminate called after throwing an instance of 'std::runtime_error'\n  what():  boom\n",
       "uncaught C++ exception std::runtime_error: boom", ""},
      {1, long_line.c_str(), long_cause.c_str(), ""},
      {5, "", "", ""},
      {0, "all went well\n", "", ""},
  };
  for (const TaskRow& row : rows) Check(row);
  Evidence silent = Ended(5);
  silent.stdout_tail = "usage: solver FILE\n";
  EXPECT_EQ(Diagnose(silent).cause, "stdout ends with: usage: solver FILE");
  EXPECT_EQ(Diagnose(Signalled(11)).cause, "");
}

// A handled exception in the log does not explain a death by signal.
TEST(Diagnosis, TracebackBeforeSignalIsNotTheCause) {
  const std::string handled =
      "Traceback (most recent call last):\n  File \"/job/a.py\", line 1, in f\nKeyError: 1\nwent on\n";
  EXPECT_EQ(Diagnose(Signalled(9, handled)).cause,
            "stderr ends with: File \"/job/a.py\", line 1, in f | KeyError: 1 | went on");
}

TEST(Diagnosis, AnyOutputGivesOneLineOfLimitedLength) {
  std::string bytes;
  uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 1664525 + 1013904223;
    bytes += static_cast<char>(state >> 24);
    if (state % 97 == 0)
      bytes += "\nTraceback (most recent call last):\n  File \"/job/a.py\", line 3, in f\nValueError: ";
    if (state % 101 == 0) bytes += "Address already in use [::]:18398 \x1b[ Connection refused ";
  }
  for (size_t at = 0; at + 500 < bytes.size(); at += 331) {
    for (const int code : {1, 127, 137}) {
      const core::Diagnosis d = Diagnose(Ended(code, bytes.substr(at, 500)));
      EXPECT_LE(d.cause.size(), 300u);
      EXPECT_EQ(d.cause.find_first_of(std::string("\n\r\x1b\0", 4)), std::string::npos);
    }
  }
}

TEST(Diagnosis, FullFileSystemIsNamedWithItsSize) {
  Evidence e = Ended(1,
                     "Traceback (most recent call last):\n"
                     "  File \"/job/train.py\", line 7, in <module>\n"
                     "    torch.save(model, '/full/ck.pt')\n"
                     "OSError: [Errno 28] No space left on device: '/full/ck.pt'\n");
  e.full_disks = {"/full (tmpfs), 1 MiB, 0 B free"};
  EXPECT_EQ(Diagnose(e).cause, "OSError: [Errno 28] No space left on device: '/full/ck.pt' (train.py line 7)");
  EXPECT_EQ(Diagnose(e).advice,
            "free some space on /full (tmpfs), 1 MiB, 0 B free; files that the task wrote last may be incomplete");
  e.full_disks.clear();
  EXPECT_EQ(Diagnose(e).advice,
            "a file system on n1 was full (it has free space now); files that the task wrote last may be incomplete");
  EXPECT_EQ(Diagnose(Ended(1, "dd: error writing 'x': No space left on device\n")).cause,
            "stderr ends with: dd: error writing 'x': No space left on device");
}

// Recorded with torch 1.13 on a full tmpfs. If torch.save writes to an open file and not to a path, the first exception
// is an OSError with ENOSPC.
TEST(Diagnosis, FailedTorchSaveOnAFullFileSystemNamesTheFileSystem) {
  const auto output = [](const std::string& first) {
    return "Traceback (most recent call last):\n"
           "  File \"/usr/lib/python3/dist-packages/torch/serialization.py\", line 423, in save\n"
           "    _save(obj, opened_zipfile, pickle_module, pickle_protocol)\n" +
           first +
           "\n\nDuring handling of the above exception, another exception occurred:\n\n"
           "Traceback (most recent call last):\n"
           "  File \"/job/train.py\", line 3, in <module>\n"
           "    with _open_zipfile_writer(f) as opened_zipfile:\n"
           "  File \"/usr/lib/python3/dist-packages/torch/serialization.py\", line 290, in __exit__\n"
           "    self.file_like.write_end_of_file()\n"
           "RuntimeError: [enforce fail at inline_container.cc:325] . unexpected pos 320 vs 248\n"
           "terminate called after throwing an instance of 'c10::Error'\n"
           "  what():  [enforce fail at inline_container.cc:325] . unexpected pos 320 vs 248\n"
           "frame #0: <unknown function> + 0x4c062 (0x7f8c00675062 in /lib/x86_64-linux-gnu/libc10.so.1.13)\n"
           "frame #1: c10::ThrowEnforceNotMet(char const*) + 0x58 (0x7f8c00674828 in /lib/libc10.so.1.13)\n"
           "frame #2: <unknown function> + 0x305bcc3 (0x7f8bfb45bcc3 in /lib/libtorch_cpu.so.1.13)\n"
           "frame #3: mz_zip_writer_add_mem_ex_v2 + 0x5b3 (0x7f8bfb4566c3 in /lib/libtorch_cpu.so.1.13)\n"
           "frame #4: caffe2::serialize::PyTorchStreamWriter::~PyTorchStreamWriter() + 0x185 (0x7f8bfb in /lib/l.so)\n"
           "frame #5: <unknown function> + 0x65b4ed (0x7f8bffe5b4ed in /lib/libtorch_python.so.1.13)\n"
           "frame #6: /usr/bin/python3() [0x567963]\n"
           "frame #7: /usr/bin/python3() [0x5657de]\n"
           "frame #8: PyDict_SetItemString + 0xb2 (0x50ce82 in /usr/bin/python3)\n"
           "frame #9: Py_FinalizeEx + 0x16a (0x64728a in /usr/bin/python3)\n"
           "frame #10: _start + 0x21 (0x627bd1 in /usr/bin/python3)\n\n";
  };
  const char* failed_write =
      "RuntimeError: [enforce fail at inline_container.cc:445] . PytorchStreamWriter failed writing file data/0: file "
      "write failed";
  for (const char* first : {failed_write, "OSError: [Errno 28] No space left on device"}) {
    Evidence e = Signalled(6, output(first));
    e.full_disks = {"/full (tmpfs), 1 MiB, 0 B free"};
    EXPECT_TRUE(MayMeanNoSpace(e.stderr_tail)) << first;
    EXPECT_EQ(Diagnose(e).cause,
              "No space left on device: /full (tmpfs), 1 MiB, 0 B free; uncaught C++ exception c10::Error: [enforce "
              "fail at inline_container.cc:325] . unexpected pos 320 vs 248")
        << first;
    EXPECT_EQ(Diagnose(e).advice,
              "free some space on /full (tmpfs), 1 MiB, 0 B free; files that the task wrote last may be incomplete")
        << first;
  }
  EXPECT_EQ(Diagnose(Signalled(6, output(failed_write))).advice, "") << "no file system is full";
}

TEST(Diagnosis, FilesOnFullDisksAreFoundInErrorMessages) {
  EXPECT_THAT(FilesOnFullDisks("OSError: [Errno 28] No space left on device: '/full/ck.pt'\n"
                               "cp: cannot stat '/elsewhere': No such file or directory\n"
                               "dd: error writing 'out/x': No space left on device\n"
                               "bash: echo: write error: No space left on device",
                               "/job"),
              ElementsAre("/full/ck.pt", "/job/out/x"));
  EXPECT_THAT(FilesOnFullDisks("No space left on device 'x", "/job"), IsEmpty());
}

TEST(Diagnosis, FilesThatWereNotCopiedAreNamedWithTheRule) {
  const jobspec::LeftOut left_out{{"data", "lib.py", "nets"}, ".gitignore"};
  const std::pair<std::string, std::string> rows[] = {
      {"FileNotFoundError: [Errno 2] No such file or directory: './data/a.csv'", "data/a.csv"},
      {"cat: /job/work/data/a.csv: No such file or directory", "data/a.csv"},
      {"python3: can't open file '/job/work/data/a.py': [Errno 2] No such file or directory", "data/a.py"},
      {"ModuleNotFoundError: No module named 'lib'", "lib.py"},
      {"ModuleNotFoundError: No module named 'nets.small'", "nets/small.py"},
      {"FileNotFoundError: [Errno 2] No such file or directory: '/data/a.csv'", ""},
      {"FileNotFoundError: [Errno 2] No such file or directory: 'datas/a.csv'", ""},
      {"ValueError: wrong value in data/a.csv", ""},
  };
  for (const auto& [message, path] : rows) {
    Evidence e;
    e.exit = {.code = 1};
    e.working_directory = "/job/work";
    e.left_out = left_out;
    e.stderr_tail = message + "\n";
    const std::string advice = Diagnose(e).advice;
    if (path.empty()) {
      EXPECT_EQ(advice.find("was not copied"), std::string::npos) << message;
    } else {
      EXPECT_EQ(advice, left_out.Explain(path)) << message;
    }
  }
}

}  // namespace
}  // namespace howdah::diagnosis
