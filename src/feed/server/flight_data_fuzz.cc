// Fuzzes the messages of DoPut and DoExchange: they must have the fields that protobuf reads from the same bytes. An
// input is the size of the slices in which gRPC has the bytes, and the bytes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flight_data.h"

namespace howdah::feed::server {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const size_t piece = data[0] + size_t{1};
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += piece) slices.emplace_back(bytes.substr(at, piece));
  const auto received = DecodeData(grpc::ByteBuffer(slices.data(), slices.size()));
  if (!received) return 0;  // groups are refused, and everything that protobuf refuses
  arrow::flight::protocol::FlightData parsed;
  if (!parsed.ParseFromString(bytes)) __builtin_trap();
  if (!(received->body == parsed.data_body()) || !received->data.data_body().empty()) __builtin_trap();
  if (received->data.data_header() != parsed.data_header() || received->data.app_metadata() != parsed.app_metadata() ||
      received->data.flight_descriptor().SerializeAsString() != parsed.flight_descriptor().SerializeAsString()) {
    __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::feed::server
