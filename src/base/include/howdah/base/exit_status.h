// The exit status of a process, and its text for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace howdah {

// Exactly one of the two fields is set.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;

  bool success() const { return code == 0; }
  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

// Formats "exit code 7" or "signal 11 (SIGSEGV)".
std::string ToText(const ExitStatus& exit);
// Formats a verb phrase: "ended with exit code 7" or "was killed by signal 11 (SIGSEGV)".
std::string DescribeEnd(const ExitStatus& exit);

// Converts an exit code returned by a shell: 128 + N means that the shell's command was killed by signal N.
ExitStatus FromShellCode(int code);

// Returns "SIGSEGV" for 11, and "SIG42" for the signal 42, which has no name.
std::string SignalName(int signal);
// The reverse of SignalName. Returns nullopt for an unknown name.
std::optional<int> SignalNumber(std::string_view name);

}  // namespace howdah
