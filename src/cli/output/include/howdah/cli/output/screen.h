// A live table at the bottom of a terminal. Other output scrolls above it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace howdah::cli::output {

// Draws on stderr. Output above the table is written to stdout or stderr as usual. Each change is one write, so that
// the table does not flicker.
class Screen {
 public:
  explicit Screen(bool live) : live_(live) {}
  ~Screen() { Clear(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool live() const { return live_; }
  // Replaces the table. Writes nothing if the table is unchanged.
  void Draw(const std::vector<std::string>& lines);
  // Removes the table. Must be called before other output is written.
  void Clear();

 private:
  bool live_;
  std::vector<std::string> drawn_;
};

}  // namespace howdah::cli::output
