// The live table at the bottom of a terminal, with output scrolling above it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace howdah::cli {

// Draws on stderr; output above it goes to stdout or stderr as ever. Each change is one write, so nothing flickers.
class Screen {
 public:
  explicit Screen(bool live) : live_(live) {}
  ~Screen() { Clear(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool live() const { return live_; }
  // Puts the table in place of the one before; nothing is written if it is the same.
  void Draw(const std::vector<std::string>& lines);
  // Takes the table away, for output to come.
  void Clear();

 private:
  bool live_;
  std::vector<std::string> drawn_;
};

}  // namespace howdah::cli
