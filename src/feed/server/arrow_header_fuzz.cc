// Fuzzes the headers of Arrow messages, which sources send, alone and as the header of a block.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arrow_header.h"
#include "howdah/wire/flight.pb.h"

namespace howdah::feed::server {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto header = ReadArrowHeader(bytes);
  if (header && (header->rows < 0 || header->body_bytes < 0)) __builtin_trap();
  arrow::flight::protocol::FlightData message;
  message.set_data_header(bytes.data(), bytes.size());
  message.set_app_metadata(R"({"from":7})");
  const bool fits = header && header->body_bytes <= int64_t{1} << 16;
  const std::string body(fits ? static_cast<size_t>(header->body_bytes) : 0, 'x');
  arrow::flight::protocol::FlightData question = message;
  question.set_app_metadata(R"({"block":7})");
  const auto block = TakeBlock(message, body);
  const auto asked = TakeQuestion(question, body);
  if (block.ok() != asked.ok()) __builtin_trap();
  if (!block) return 0;
  if (asked->first_row != 7 || !(asked->body == body) || !(block->body == body)) __builtin_trap();
  arrow::flight::protocol::FlightData again;
  if (!again.ParseFromString(EncodeBegin(*block) + body)) __builtin_trap();
  const auto same = TakeBlock(again, again.data_body());
  if (!same || same->header != block->header || !(same->body == body) || same->rows != block->rows) {
    __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::feed::server
