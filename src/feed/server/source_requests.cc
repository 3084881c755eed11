#include "source_requests.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "howdah/base/json_depth.h"

namespace howdah::feed::server {
namespace {

using Json = nlohmann::json;

constexpr size_t kLongestLine = 4096;
constexpr int kDeepestLine = 3;
constexpr int64_t kMostBytes = int64_t{1} << 40;

Error BadRequest(const std::string& why) { return {ErrorCode::kUsage, "the request of a source is invalid: " + why}; }

std::optional<int64_t> SizeFrom(const Json& json) {
  if (!json.is_number_unsigned() || json.get<uint64_t>() > static_cast<uint64_t>(kMostBytes)) return std::nullopt;
  return json.get<int64_t>();
}

Result<PutRequest> PutFrom(const Json& sizes, std::string_view bytes) {
  std::array<int64_t, 5> lengths = {};
  if (!sizes.is_array() || sizes.size() != lengths.size()) return BadRequest("'put' is not a list of five sizes");
  for (size_t i = 0; i < lengths.size(); ++i) {
    const auto length = SizeFrom(sizes[i]);
    if (!length) return BadRequest("a size of 'put' is not a number");
    lengths[i] = *length;
  }
  std::array<std::string_view, 4> texts;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto length = static_cast<size_t>(lengths[i]);
    if (length > bytes.size()) return BadRequest("it has fewer bytes than 'put' says");
    texts[i] = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  const auto& [command, metadata, schema, header] = texts;
  PutRequest put;
  put.body_bytes = lengths.back();
  put.has_body = !bytes.empty() || put.body_bytes == 0;
  if (put.has_body && static_cast<int64_t>(bytes.size()) != put.body_bytes) {
    return BadRequest("it has another number of bytes than 'put' says");
  }
  HOWDAH_TRY(put.target, ReadPutTarget(command));
  const auto columns = ReadArrowHeader(schema);
  if (!columns || columns->kind != ArrowHeader::Kind::kSchema) return BadRequest("it has no Arrow schema");
  put.schema = schema;
  HOWDAH_TRY(put.block, ReadBlock(std::string(header), put.body_bytes, metadata));
  put.block.body = std::string(bytes);
  put.block.unix_socket = true;
  return put;
}

Result<SourceRequest::Content> ReadContent(const Json& json, std::string_view bytes) {
  using Content = SourceRequest::Content;
  if (json.contains("put")) {
    HOWDAH_TRY(PutRequest put, PutFrom(json["put"], bytes));
    return Content(std::move(put));
  }
  if (json.contains("written") && SizeFrom(json["written"])) return Content(WrittenRequest{*SizeFrom(json["written"])});
  if (json.contains("action") && json["action"].is_string()) {
    return Content(ActionRequest{json["action"].get<std::string>(), std::string(bytes)});
  }
  if (json.contains("token") && json["token"].is_string()) {
    return Content(TokenRequest{json["token"].get<std::string>()});
  }
  return BadRequest("it has neither 'token' nor 'action', 'put' or 'written'");
}

std::string ToText(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string ReplyWith(int64_t id, const char* name, std::string_view json) {
  return "{\"id\":" + std::to_string(id) + ",\"" + name + "\":" + std::string(json) + "}";
}

}  // namespace

SourceRequest ParseSourceRequest(std::string_view message) {
  SourceRequest parsed;
  const size_t end = message.substr(0, kLongestLine).find('\n');
  const std::string_view line = message.substr(0, end);
  if (end == std::string_view::npos || NestsDeeper(line, kDeepestLine)) {
    parsed.request = BadRequest("it has no line of at most " + std::to_string(kLongestLine) + " bytes");
    return parsed;
  }
  const Json json = Json::parse(line, nullptr, false);
  const auto id = json.is_object() && json.contains("id") ? SizeFrom(json["id"]) : std::nullopt;
  if (!id) return parsed;
  parsed.id = *id;
  parsed.request = ReadContent(json, message.substr(end + 1));
  return parsed;
}

std::string SourceReply(int64_t id) { return "{\"id\":" + std::to_string(id) + "}"; }
std::string SourceResultReply(int64_t id, std::string_view json) { return ReplyWith(id, "result", json); }
std::string SourceAnswerReply(int64_t id, std::string_view json) { return ReplyWith(id, "answer", json); }
std::string SourceWriteReply(int64_t id, int64_t offset) { return ReplyWith(id, "write", std::to_string(offset)); }

std::string SourceErrorReply(int64_t id, const Error& error) {
  const bool passes = error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTimeout;
  const Json text = {{"kind", passes ? "unavailable" : "refused"}, {"message", error.message}};
  return ReplyWith(id, "error", ToText(text));
}

}  // namespace howdah::feed::server
