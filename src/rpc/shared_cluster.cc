#include "shared_cluster.h"

#include <google/protobuf/io/coded_stream.h>

#include "howdah/rpc/am_server.h"

namespace howdah::rpc {

SharedCluster::SharedCluster(const wire::Cluster& cluster) {
  using google::protobuf::io::CodedOutputStream;
  constexpr uint8_t kTag = wire::ToExecutor::kClusterFieldNumber << 3 | 2;  // wire type 2: length-delimited
  static_assert(wire::ToExecutor::kClusterFieldNumber < 16, "a tag of one byte");
  size_t size = cluster.ByteSizeLong();
  auto length = static_cast<uint32_t>(size);
  grpc_slice bytes = grpc_slice_malloc(1 + CodedOutputStream::VarintSize32(length) + size);
  uint8_t* to = GRPC_SLICE_START_PTR(bytes);
  *to++ = kTag;
  to = CodedOutputStream::WriteVarint32ToArray(length, to);
  cluster.SerializeWithCachedSizesToArray(to);
  slice_ = grpc::Slice(bytes, grpc::Slice::STEAL_REF);
}

std::shared_ptr<const SharedCluster> EncodeCluster(const wire::Cluster& cluster) {
  return std::make_shared<const SharedCluster>(cluster);
}

}  // namespace howdah::rpc
