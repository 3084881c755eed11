// The credentials of a container. Newer tokens may replace them while the container runs.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "howdah/hadoop/rpc/token.h"

namespace howdah::backend::yarn {

// Thread-safe.
class CredentialStore {
 public:
  explicit CredentialStore(hadoop::rpc::Credentials credentials)
      : present_(std::make_shared<const hadoop::rpc::Credentials>(std::move(credentials))) {}

  // Never null. Another object after each replacement.
  std::shared_ptr<const hadoop::rpc::Credentials> Get() const {
    const std::lock_guard lock(mutex_);
    return present_;
  }
  void Replace(hadoop::rpc::Credentials credentials) {
    auto next = std::make_shared<const hadoop::rpc::Credentials>(std::move(credentials));
    const std::lock_guard lock(mutex_);
    present_ = std::move(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const hadoop::rpc::Credentials> present_;
};

}  // namespace howdah::backend::yarn
