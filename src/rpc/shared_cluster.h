// The encoded field ToExecutor.cluster. It is encoded once, and all messages refer to the same memory.
#pragma once

#include <grpcpp/support/slice.h>

#include "howdah/wire/executor.pb.h"

namespace howdah::rpc {

class SharedCluster {
 public:
  explicit SharedCluster(const wire::Cluster& cluster);
  const grpc::Slice& slice() const { return slice_; }  // contains tag, length and bytes; copies share the memory

 private:
  grpc::Slice slice_;
};

}  // namespace howdah::rpc
