// Writing results to stdout.
#pragma once

#include <string_view>

namespace howdah::cli {

// Writes all of it. When nobody reads stdout any more (`howdah logs last | head`) the process ends as any other does
// then, by SIGPIPE: a job is not touched by that.
void Print(std::string_view text);

// Whether there is a person at the descriptor, and whether they want colour ($NO_COLOR).
bool IsTerminal(int fd);
bool WantsColour(int fd);

struct TerminalSize {
  int columns = 80, rows = 24;
};
TerminalSize SizeOf(int fd);

}  // namespace howdah::cli
