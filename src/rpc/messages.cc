#include "messages.h"

#include "shared_cluster.h"

namespace howdah::rpc {

grpc::ByteBuffer Encode(const google::protobuf::MessageLite& message, const SharedCluster* cluster) {
  size_t size = message.ByteSizeLong();
  grpc_slice own = grpc_slice_malloc(size);
  message.SerializeWithCachedSizesToArray(GRPC_SLICE_START_PTR(own));
  grpc::Slice slices[] = {grpc::Slice(own, grpc::Slice::STEAL_REF), cluster ? cluster->slice() : grpc::Slice()};
  return grpc::ByteBuffer(slices, cluster ? 2 : 1);
}

}  // namespace howdah::rpc
