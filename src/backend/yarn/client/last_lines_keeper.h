// Output that comes in pieces, of which perhaps only the end is wanted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace howdah::backend::yarn::client {

// Without `lines` everything is passed on as it comes. With, only the last of them are, at Finish; kept is no more than
// they need and 1 MiB.
class TailBuffer {
 public:
  TailBuffer(std::optional<int64_t> lines, std::function<void(std::string_view)> on_bytes)
      : lines_(lines), on_bytes_(std::move(on_bytes)) {}
  void Add(std::string_view bytes);
  void Finish();

 private:
  std::optional<int64_t> lines_;
  std::function<void(std::string_view)> on_bytes_;
  std::string checkpoint_;
  size_t trimmed_ = 0;
};

}  // namespace howdah::backend::yarn::client
