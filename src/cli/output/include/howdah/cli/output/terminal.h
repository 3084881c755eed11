// Writing to stdout and stderr, and what is known of the terminals behind them.
#pragma once

#include <string_view>

namespace howdah::cli::output {

// Writes the whole text to stdout. If stdout's reader is gone (`howdah logs last | head`) the process ends by SIGPIPE,
// as other programs do; jobs are not affected.
void Print(std::string_view text);
// Writes a line to stderr.
void PrintMessage(std::string_view line);
// "howdah: " and the line, to stderr.
void PrintNote(std::string_view line);

bool IsTerminal(int fd);
// A terminal that can show colours, unless $NO_COLOR is set.
bool WantsColour(int fd);

struct TerminalSize {
  int columns = 80, rows = 24;
};
TerminalSize SizeOf(int fd);

}  // namespace howdah::cli::output
