// Writes to stdout and stderr, and queries their terminals.
#pragma once

#include <string_view>

namespace howdah::cli::output {

// Writes the whole text to stdout. If the reader of stdout is gone (`howdah logs last | head`), the process ends by
// SIGPIPE, as other programs do. Jobs are not affected.
void Print(std::string_view text);
// Writes a line to stderr.
void PrintMessage(std::string_view line);
// Writes "howdah: " and the text to stderr. Each line is sanitised by howdah::Shown, because an error may contain names
// of files.
void PrintNote(std::string_view text);

bool IsTerminal(int fd);
// Whether `fd` is a terminal that can show colours and $NO_COLOR is not set.
bool WantsColour(int fd);

struct TerminalSize {
  int columns = 80, rows = 24;
};
TerminalSize SizeOf(int fd);

}  // namespace howdah::cli::output
