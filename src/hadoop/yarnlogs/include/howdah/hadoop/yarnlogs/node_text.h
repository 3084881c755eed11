// Extracts a log file from a NodeManager's HTTP answer (NMWebServices.getLogs, LogToolUtils). NodeManagers add
// descriptive lines before and after the log in every format that can be requested. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "howdah/base/result.h"

namespace howdah::hadoop::yarnlogs {

class NodeText {
 public:
  // `on_bytes` receives the log file from offset `from` on.
  NodeText(int64_t from, std::function<void(std::string_view)> on_bytes)
      : skip_(from), on_bytes_(std::move(on_bytes)) {}

  // Processes the next bytes of the answer. Returns an error if the answer does not contain a log file. Ignores
  // everything after the log file.
  Status Add(std::string_view bytes);

  bool whole() const { return left_ == 0; }  // whether the whole log file has been received

 private:
  Result<std::string_view> AddHead(std::string_view bytes);

  std::string head_;
  int64_t left_ = -1;  // number of bytes of the file still to come; -1 until its length is known
  int64_t skip_;
  std::function<void(std::string_view)> on_bytes_;
};

}  // namespace howdah::hadoop::yarnlogs
