// A log file as a NodeManager serves it over HTTP (NMWebServices.getLogs, LogToolUtils): whatever the format asked for,
// lines that describe it stand before its bytes, and others behind them. Pure; one owner, one thread.
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
  // `on_bytes` gets the bytes of the log file from `from` on.
  NodeText(int64_t from, std::function<void(std::string_view)> on_bytes)
      : skip_(from), on_bytes_(std::move(on_bytes)) {}

  // The next bytes of the answer. An error: it is no log file. What comes behind the file is ignored.
  Status Add(std::string_view bytes);

  bool whole() const { return left_ == 0; }  // every byte of the log file has been there

 private:
  Result<std::string_view> AddHead(std::string_view bytes);

  std::string head_;
  int64_t left_ = -1;  // bytes of the file still to come; -1: its length has not been seen
  int64_t skip_;
  std::function<void(std::string_view)> on_bytes_;
};

}  // namespace howdah::hadoop::yarnlogs
