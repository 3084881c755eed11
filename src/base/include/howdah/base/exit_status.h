// How a process ended, and the words for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah {

// Exactly one of the two is set.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;

  bool success() const { return code == 0; }
  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

// "exit code 7" or "signal 11 (SIGSEGV)".
std::string ToText(const ExitStatus& exit);
// The same as a verb phrase: "ended with exit code 7" or "was killed by signal 11 (SIGSEGV)".
std::string DescribeEnd(const ExitStatus& exit);

// The exit status that a shell passes on: 128 + N stands for signal N.
ExitStatus FromShellCode(int code);

// "SIGSEGV" for 11; "SIG42" for a signal without a name. The other way: nullopt for an unknown name.
std::string SignalName(int signal);
std::optional<int> SignalNumber(std::string_view name);

}  // namespace howdah
