#include "flight_data.h"

#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t kBodyTag = 1000 << 3 | 2;  // data_body
// Smaller bodies are copied, because they would keep the larger pieces of memory into which gRPC reads.
constexpr size_t kLeastShared = size_t{64} << 10;

// Owns the text, so that gRPC can send it without a copy.
grpc::Slice SliceOf(std::string text) {
  auto* const owned = new std::string(std::move(text));
  const auto destroy = [](void* bytes) { delete static_cast<std::string*>(bytes); };
  return {owned->data(), owned->size(), destroy, owned};
}

// Bytes of a message.
struct Range {
  size_t from = 0, to = 0;
};
struct BodyFields {
  std::vector<Range> bodies;  // the fields data_body, with their tags
  std::optional<Range> body;  // the content of the last one, which is the value of the field
};

// Skips the content of a field. Returns false if it is not complete, or of an unknown kind.
bool Skip(CodedInputStream& input, uint32_t tag) {
  uint64_t number = 0;
  uint32_t length = 0;
  switch (tag & 7) {
    case 0:
      return input.ReadVarint64(&number);
    case 1:
      return input.Skip(8);
    case 2:
      return input.ReadVarint32(&length) && input.Skip(static_cast<int>(length));
    case 5:
      return input.Skip(4);
    default:
      return false;
  }
}

std::optional<BodyFields> FindBodies(const grpc::ByteBuffer& bytes) {
  grpc::ByteBuffer buffer = bytes;  // shares the bytes
  grpc::ProtoBufferReader reader(&buffer);
  CodedInputStream input(&reader);
  BodyFields fields;
  for (;;) {
    const auto begin = static_cast<size_t>(input.CurrentPosition());
    const uint32_t tag = input.ReadTag();
    if (tag == 0) break;
    if (tag != kBodyTag) {
      if (!Skip(input, tag)) return std::nullopt;
      continue;
    }
    uint32_t length = 0;
    if (!input.ReadVarint32(&length)) return std::nullopt;
    const auto from = static_cast<size_t>(input.CurrentPosition());
    if (!input.Skip(static_cast<int>(length))) return std::nullopt;
    const auto to = static_cast<size_t>(input.CurrentPosition());
    fields.body = {from, to};
    fields.bodies.push_back({begin, to});
  }
  if (!input.ConsumedEntireMessage()) return std::nullopt;
  return fields;
}

// The parts of the slices that contain the bytes.
std::vector<std::string_view> PartsOf(const std::vector<grpc::Slice>& slices, Range range) {
  std::vector<std::string_view> parts;
  size_t at = 0;  // of the slice
  for (const grpc::Slice& slice : slices) {
    const size_t from = std::max(range.from, at), to = std::min(range.to, at + slice.size());
    if (from < to) parts.emplace_back(reinterpret_cast<const char*>(slice.begin()) + (from - at), to - from);
    at += slice.size();
  }
  return parts;
}

}  // namespace

grpc::ByteBuffer EncodeMessage(const google::protobuf::MessageLite& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return {&slice, 1};
}

grpc::ByteBuffer EncodeBlock(const ArrowBlock& block) {
  std::vector<grpc::Slice> slices = {grpc::Slice(EncodeBegin(block))};
  for (const std::string_view part : block.body.parts()) {
    using Owner = std::shared_ptr<const void>;
    const auto destroy = [](void* owner) { delete static_cast<Owner*>(owner); };
    // gRPC does not change the bytes.
    slices.emplace_back(const_cast<char*>(part.data()), part.size(), destroy, new Owner(block.body.owner()));
  }
  return {slices.data(), slices.size()};
}

grpc::ByteBuffer EncodeMetadata(const std::string& line, std::string payload) {
  std::string begin(1, '\x1a');  // the tag of app_metadata (field 3, bytes), and its length
  for (size_t rest = line.size() + payload.size();; rest >>= 7) {
    begin += static_cast<char>(rest < 0x80 ? rest : 0x80 | (rest & 0x7f));
    if (rest < 0x80) break;
  }
  const grpc::Slice slices[] = {grpc::Slice(begin + line), SliceOf(std::move(payload))};
  return {slices, 2};
}

std::optional<ReceivedData> DecodeData(const grpc::ByteBuffer& bytes) {
  const auto fields = FindBodies(bytes);
  auto slices = std::make_shared<std::vector<grpc::Slice>>();
  if (!fields || !bytes.Dump(slices.get()).ok()) return std::nullopt;
  std::string others;
  const auto add = [&](size_t from, size_t to) {
    for (const std::string_view part : PartsOf(*slices, {from, to})) others += part;
  };
  size_t from = 0;
  for (const Range& body : fields->bodies) {
    add(from, body.from);
    from = body.to;
  }
  add(from, bytes.Length());
  ReceivedData received;
  if (!received.data.ParseFromString(others)) return std::nullopt;
  if (!fields->body) return received;
  received.body = BlockBody(PartsOf(*slices, *fields->body), slices);
  if (received.body.size() < kLeastShared) received.body = BlockBody(received.body.Text());
  return received;
}

}  // namespace howdah::feed::server
