// Flight's messages as gRPC has them: blocks are neither copied when they are sent, nor when they are received.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <optional>
#include <string>

#include "arrow_header.h"
#include "howdah/wire/flight.pb.h"

namespace howdah::feed::server {

// A message to a client, in Flight's encoding.
grpc::ByteBuffer EncodeMessage(const google::protobuf::MessageLite& message);
// Encodes a block without copying its body.
grpc::ByteBuffer EncodeBlock(const ArrowBlock& block);
// Encodes a FlightData that has nothing but app_metadata: the line, and then the payload, which is not copied.
grpc::ByteBuffer EncodeMetadata(const std::string& line, std::string payload);

// A FlightData that was received.
struct ReceivedData {
  arrow::flight::protocol::FlightData data;  // without data_body
  BlockBody body;                            // data_body
};
// A large body is not copied: it keeps the memory into which gRPC has received it. nullopt: the bytes are not a
// FlightData.
std::optional<ReceivedData> DecodeData(const grpc::ByteBuffer& bytes);

}  // namespace howdah::feed::server
