// Messages to and from bytes as gRPC holds them.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>

#include <utility>

namespace howdah::rpc {

class SharedCluster;

template <typename Message>
bool Parse(grpc::ByteBuffer bytes, Message& message) {
  return grpc::SerializationTraits<Message>::Deserialize(&bytes, &message).ok();
}

// The message's own fields, then the shared bytes of the cluster (null: none), which are referred to and not copied.
grpc::ByteBuffer Encode(const google::protobuf::MessageLite& message, const SharedCluster* cluster);

}  // namespace howdah::rpc
