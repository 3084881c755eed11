// Helpers of the benchmarks: start another process of the same program, and read figures about a process.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "howdah/rpc/identity.h"

namespace howdah::bench {

inline double Now() {  // seconds of a clock shared by all processes of the machine
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A field of /proc/PID/FILE in KiB: Figure(pid, "status", "VmRSS"), Figure(pid, "smaps_rollup", "Anonymous").
inline long Figure(pid_t pid, const char* file, const std::string& field) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/" + file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(field + ":")) return std::strtol(line.c_str() + field.size() + 1, nullptr, 10);
  }
  return -1;
}

struct Child {
  pid_t pid = -1;
  int in = -1, out = -1;  // our ends of its standard input and output
};

// Starts the same program with these arguments and sends it the identity as its first input.
inline Child Spawn(std::vector<std::string> arguments, const rpc::Identity& identity) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  Child child{.pid = -1, .in = in[1], .out = out[0]};
  if (posix_spawn(&child.pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ) != 0) std::abort();
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  std::string text = identity.ca_certificate + '\0' + identity.certificate + '\0' + identity.private_key + '\0';
  if (write(child.in, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  return child;
}

inline rpc::Identity ReadIdentity() {
  std::string text;
  char buffer[4096];
  while (std::count(text.begin(), text.end(), '\0') < 3) {
    ssize_t n = read(0, buffer, sizeof buffer);
    if (n <= 0) std::abort();
    text.append(buffer, static_cast<size_t>(n));
  }
  std::istringstream parts(text);
  rpc::Identity identity;
  for (std::string* part : {&identity.ca_certificate, &identity.certificate, &identity.private_key}) {
    std::getline(parts, *part, '\0');
  }
  return identity;
}

inline std::string ReadLine(int fd) {
  std::string line;
  char c = 0;
  while (read(fd, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

}  // namespace howdah::bench
