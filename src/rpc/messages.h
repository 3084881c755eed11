// Converts messages from and to gRPC byte buffers.
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

// Encodes the message's own fields and appends the shared bytes of the cluster by reference. cluster may be null.
grpc::ByteBuffer Encode(const google::protobuf::MessageLite& message, const SharedCluster* cluster);

}  // namespace howdah::rpc
