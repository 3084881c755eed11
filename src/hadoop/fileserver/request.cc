#include "request.h"

#include <nlohmann/json.hpp>

#include "howdah/base/json_depth.h"

namespace howdah::hadoop::fileserver {
namespace {

using nlohmann::json;

Error Wrong(const std::string& why) { return Failed("invalid request: " + why); }

Status Read(const json& object, const char* key, std::string& text) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) return Wrong("the value of " + std::string(key) + " is not a string");
  text = found->get_ref<const json::string_t&>();
  if (text.find('\0') != std::string::npos) return Wrong("the value of " + std::string(key) + " has a zero byte");
  return {};
}

// Numbers are at least 0.
Status Read(const json& object, const char* key, int64_t& number) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_number_integer() || found->get<int64_t>() < 0) {
    return Wrong("the value of " + std::string(key) + " is not a whole number that is at least 0");
  }
  number = found->get<int64_t>();
  return {};
}

Status Read(const json& object, const char* key, bool& flag) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_boolean()) return Wrong("the value of " + std::string(key) + " is not true or false");
  flag = found->get<bool>();
  return {};
}

}  // namespace

Result<Request> ParseRequest(std::string_view header) {
  if (NestsDeeper(header, 4)) return Wrong("it is nested too deeply");
  const json object = json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Wrong("it is not a JSON object");
  if (!object.contains("id") || !object.contains("op")) return Wrong("it lacks `id` or `op`");
  Request request;
  HOWDAH_TRY_STATUS(Read(object, "id", request.id));
  HOWDAH_TRY_STATUS(Read(object, "op", request.op));
  HOWDAH_TRY_STATUS(Read(object, "fs", request.fs));
  HOWDAH_TRY_STATUS(Read(object, "path", request.path));
  HOWDAH_TRY_STATUS(Read(object, "to", request.to));
  HOWDAH_TRY_STATUS(Read(object, "file", request.file));
  HOWDAH_TRY_STATUS(Read(object, "offset", request.offset));
  HOWDAH_TRY_STATUS(Read(object, "length", request.length));
  HOWDAH_TRY_STATUS(Read(object, "until", request.until));
  HOWDAH_TRY_STATUS(Read(object, "memory", request.memory));
  request.in_memory = object.contains("memory");
  HOWDAH_TRY_STATUS(Read(object, "overwrite", request.overwrite));
  HOWDAH_TRY_STATUS(Read(object, "recursive", request.recursive));
  HOWDAH_TRY_STATUS(Read(object, "replication", request.replication));
  HOWDAH_TRY_STATUS(Read(object, "block_size", request.block_size));
  return request;
}

}  // namespace howdah::hadoop::fileserver
