#include "howdah/cli/output/screen.h"

#include <unistd.h>

namespace howdah::cli::output {
namespace {

void WriteToTerminal(const std::string& text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // the terminal is closed
}

// Moves the cursor up by this many lines and erases everything below it.
std::string Erase(size_t lines) { return lines == 0 ? "" : "\x1b[" + std::to_string(lines) + "A\r\x1b[J"; }

}  // namespace

void Screen::Draw(const std::vector<std::string>& lines) {
  if (!live_ || lines == drawn_) return;
  // Synchronized output: terminals that support it show the whole change at once; others ignore the sequence.
  std::string text = "\x1b[?2026h" + Erase(drawn_.size());
  for (const std::string& line : lines) text += line + "\n";
  WriteToTerminal(text + "\x1b[?2026l");
  drawn_ = lines;
}

void Screen::Clear() {
  if (!drawn_.empty()) WriteToTerminal(Erase(drawn_.size()));
  drawn_.clear();
}

}  // namespace howdah::cli::output
