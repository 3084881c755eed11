#include "session.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace howdah::hadoop::fileserver {
namespace {

using nlohmann::json;

constexpr size_t kMostMounted = 8;  // file systems that a session keeps open

const char* NameOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kFailed:
      return "failed";
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kNoSpace:
      return "no_space";
  }
  return "failed";
}

// Messages and names may contain any bytes. Invalid UTF-8 is replaced.
std::string Dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

json FieldsOf(const hdfs::FileStatus& status) {
  return {{"name", status.name},
          {"directory", status.directory},
          {"length", status.length},
          {"permission", status.permission},
          {"owner", status.owner},
          {"group", status.group},
          {"modified", status.modified_millis},
          {"block_size", status.block_size}};
}

Error NotOpen(const Request& request) { return Failed("the file " + std::to_string(request.file) + " is not open"); }

json Nothing() { return json::object(); }

}  // namespace

Session::Operation Session::Find(std::string_view op) {
  static constexpr std::pair<std::string_view, Operation> kOperations[] = {
      {"open", &Session::Open},     {"read", &Session::Read},     {"create", &Session::Create},
      {"write", &Session::Write},   {"close", &Session::Close},   {"discard", &Session::Discard},
      {"stat", &Session::Stat},     {"list", &Session::List},     {"mkdirs", &Session::MakeDirectories},
      {"rename", &Session::Rename}, {"delete", &Session::Delete},
  };
  const auto found =
      std::ranges::find(kOperations, op, [](const auto& entry) -> std::string_view { return entry.first; });
  return found == std::end(kOperations) ? nullptr : found->second;
}

Answer Session::Do(const Request& request, std::string_view payload) {
  Call call{request, payload, {}};
  const Operation operation = Find(request.op);
  auto fields = operation != nullptr ? (this->*operation)(call)
                                     : Result<Fields>(Failed("unknown operation '" + request.op +
                                                             "'; howdah-agent and the Python package must have the "
                                                             "same version"));
  if (fields.ok()) {
    (*fields)["id"] = request.id;
    return {Dump(*fields), std::move(call.body)};
  }
  const Error& error = fields.error();
  const json why = {
      {"code", NameOf(error.code)}, {"message", error.message}, {"class", error.remote_class}, {"op", request.op}};
  return {Dump({{"id", request.id}, {"error", why}}), {}};
}

Result<Mounted*> Session::Mount(const std::string& uri) {
  // Open files keep the connections that they have.
  if (const int64_t version = source_.version(); std::exchange(version_, version) != version) mounted_.clear();
  if (const auto found = mounted_.find(uri); found != mounted_.end()) return &found->second;
  HOWDAH_TRY(Mounted mounted, source_.open(uri));
  if (mounted_.size() >= kMostMounted) mounted_.clear();
  return &mounted_.emplace(uri, std::move(mounted)).first->second;
}

int64_t Session::NewFile() { return std::exchange(next_file_, next_file_ + step_); }

Result<hdfs::Writer*> Session::WriterOf(const Request& request) const {
  const auto found = writers_.find(request.file);
  if (found == writers_.end()) return NotOpen(request);
  return found->second.get();
}

Result<json> Session::Open(Call& call) {
  HOWDAH_TRY(Mounted * mounted, Mount(call.request.fs));
  HOWDAH_TRY(auto reader, mounted->files->Open(call.request.path));
  const int64_t file = NewFile();
  const int64_t size = reader->size();
  readers_.emplace(file, std::move(reader));
  return json{{"file", file}, {"size", size}};
}

// The answer is shorter than the request only at the end of the file.
Result<json> Session::Read(Call& call) {
  const Request& request = call.request;
  const auto found = readers_.find(request.file);
  if (found == readers_.end()) return NotOpen(request);
  if (std::cmp_greater(request.length, kMaxPayload)) {
    return Failed("a request reads " + std::to_string(request.length) + " bytes; the limit is " +
                  std::to_string(kMaxPayload));
  }
  hdfs::Reader& reader = *found->second;
  const auto length = static_cast<size_t>(
      std::clamp<int64_t>(reader.size() - std::min(request.offset, reader.size()), 0, request.length));
  char* out = nullptr;
  if (request.in_memory) {
    out = memory_ == nullptr ? nullptr : memory_->At(request.memory, request.length);
    if (out == nullptr) return Failed("the place for the bytes is not within the shared memory");
  } else {
    call.body.resize(length);
    out = call.body.data();
  }
  size_t filled = 0;
  if (length > 0) {
    reader.ExpectUntil(request.until == 0 ? INT64_MAX : request.until);
    HOWDAH_TRY_STATUS(reader.Seek(request.offset));
  }
  while (filled < length) {
    HOWDAH_TRY(const size_t count, reader.ReadInto(out + filled, length - filled));
    if (count == 0) break;
    filled += count;
  }
  if (request.in_memory) return json{{"read", filled}};
  call.body.resize(filled);
  return Nothing();
}

Result<json> Session::Create(Call& call) {
  HOWDAH_TRY(Mounted * mounted, Mount(call.request.fs));
  HOWDAH_TRY(auto writer, mounted->files->Create(call.request.path, {.permission = 0666 & ~mounted->umask,
                                                                     .overwrite = call.request.overwrite,
                                                                     .replication = static_cast<int>(std::min<int64_t>(
                                                                         call.request.replication, INT32_MAX)),
                                                                     .block_size = call.request.block_size}));
  const int64_t file = NewFile();
  writers_.emplace(file, std::move(writer));
  return json{{"file", file}};
}

Result<json> Session::Write(Call& call) {
  HOWDAH_TRY(hdfs::Writer* const writer, WriterOf(call.request));
  HOWDAH_TRY_STATUS(writer->Write(call.payload));
  return Nothing();
}

Result<json> Session::Close(Call& call) {
  if (readers_.erase(call.request.file) > 0) return Nothing();
  HOWDAH_TRY(hdfs::Writer* const writer, WriterOf(call.request));
  const Status closed = writer->Close();
  writers_.erase(call.request.file);  // deletes the file if it could not be completed
  if (!closed.ok()) return closed.error();
  return Nothing();
}

Result<json> Session::Discard(Call& call) {
  if (writers_.erase(call.request.file) == 0) return NotOpen(call.request);
  return Nothing();
}

Result<json> Session::Stat(Call& call) {
  HOWDAH_TRY(Mounted * mounted, Mount(call.request.fs));
  HOWDAH_TRY(const auto status, mounted->files->Stat(call.request.path));
  return FieldsOf(status);
}

// The entries are in the payload, which may be larger than a header.
Result<json> Session::List(Call& call) {
  HOWDAH_TRY(Mounted * mounted, Mount(call.request.fs));
  HOWDAH_TRY(const auto entries, mounted->files->List(call.request.path));
  json all = json::array();
  for (const hdfs::FileStatus& entry : entries) all.push_back(FieldsOf(entry));
  call.body = Dump(all);
  if (call.body.size() > UINT32_MAX) {
    return Failed("listing " + call.request.path + ": its " + std::to_string(entries.size()) +
                  " entries exceed the 4 GiB that an answer can have");
  }
  return Nothing();
}

Result<json> Session::MakeDirectories(Call& call) {
  HOWDAH_TRY(Mounted * mounted, Mount(call.request.fs));
  HOWDAH_TRY_STATUS(mounted->files->MakeDirectories(call.request.path, 0777 & ~mounted->umask));
  return Nothing();
}

Result<json> Session::Rename(Call& call) {
  HOWDAH_TRY(Mounted * mounted, Mount(call.request.fs));
  HOWDAH_TRY_STATUS(mounted->files->Rename(call.request.path, call.request.to, call.request.overwrite));
  return Nothing();
}

Result<json> Session::Delete(Call& call) {
  HOWDAH_TRY(Mounted * mounted, Mount(call.request.fs));
  HOWDAH_TRY(const auto status, mounted->files->Stat(call.request.path));  // Delete succeeds for a missing file
  HOWDAH_TRY_STATUS(mounted->files->Delete(call.request.path, call.request.recursive));
  return json{{"directory", status.directory}};
}

}  // namespace howdah::hadoop::fileserver
