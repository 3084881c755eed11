// Requests to executors for pieces of their tasks' output, and the answers.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/wire/executor.pb.h"
#include "outputs.h"

namespace howdah::am {

class LogPulls {
 public:
  using SendOrder = std::function<void(const ContainerId&, const wire::ToExecutor&)>;
  // Called once for each request. kNotFound: the executor has disconnected.
  using OnPiece = std::function<void(Result<wire::LogData>)>;
  explicit LogPulls(SendOrder send) : send_(std::move(send)) {}

  // Requests at most `size` bytes of the output at the offset.
  void Pull(const ContainerId& container, const OutputKey& key, int64_t offset, int32_t size, OnPiece on_piece);
  // Requests the last bytes of the output, at most `size`.
  void PullTail(const ContainerId& container, const OutputKey& key, int32_t size, OnPiece on_piece);

  void OnData(const ContainerId& container, wire::LogData data);
  // Removes and returns the callbacks of requests to a disconnected executor. The caller must call each with an error.
  std::vector<OnPiece> TakeLost(const ContainerId& container);

 private:
  struct Request {
    ContainerId container;
    OnPiece on_piece;
  };

  void Send(const ContainerId& container, const OutputKey& key, wire::PullLog pull, OnPiece on_piece);

  SendOrder send_;
  std::unordered_map<uint64_t, Request> requests_;  // the unanswered requests, by tag
  uint64_t last_tag_ = 0;
};

}  // namespace howdah::am
