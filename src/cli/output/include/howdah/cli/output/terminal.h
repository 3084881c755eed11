// Writes to stdout and stderr, and queries their terminals.
#pragma once

#include <functional>
#include <string_view>

namespace howdah::cli::output {

// Handled while an output waits for its reader.
struct Interruption {
  int fd = -1;  // readable: `handle` must be called
  std::function<void()> handle;
};

// Writes the whole text to stdout. If the reader of stdout is gone (`howdah logs last | head`), the process ends by
// SIGPIPE, as other programs do. Jobs are not affected.
void Print(std::string_view text, const Interruption& interruption = {});
// Writes the whole text to stderr, if stderr has a reader.
void PrintToStderr(std::string_view text, const Interruption& interruption = {});
// Writes a line to stderr.
void PrintMessage(std::string_view line);
// Writes "howdah: " and the text to stderr. Each line is sanitised by howdah::Shown, because an error may contain names
// of files.
void PrintNote(std::string_view text);

bool IsTerminal(int fd);
// Whether `fd` is a terminal in which lines can be drawn again.
bool CanRedraw(int fd);
// The same, and $NO_COLOR is not set.
bool WantsColour(int fd);

struct TerminalSize {
  int columns = 80, rows = 24;
};
TerminalSize SizeOf(int fd);

}  // namespace howdah::cli::output
