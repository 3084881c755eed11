#include "reader_requests.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "answer_file.h"
#include "howdah/base/json_depth.h"
#include "howdah/os/files/files.h"

namespace howdah::feed::server {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 4;
constexpr int64_t kLargestNumber = int64_t{1} << 53;
constexpr size_t kPartBytes = kMessageBytes - (size_t{4} << 10);  // leaves space for the frame of a message
constexpr size_t kEntryBytes = 120;                               // more than one block or slice as JSON
constexpr size_t kSchemaPiece = size_t{90} << 10;                 // a multiple of 3

// --- requests ---

// Reads the fields of one request. After an error the values are 0.
class Fields {
 public:
  Fields(const Json& object, std::string request) : object_(object), request_(std::move(request)) {
    if (!object.is_object()) error_ = Failed(request_ + ": expected an object");
  }
  int64_t Number(const char* name, int64_t least = 0, int64_t most = kLargestNumber) {
    if (error_) return 0;
    const auto at = object_.find(name);
    // Numbers above INT64_MAX become negative here, and are refused, too.
    if (at == object_.end() || !at->is_number_integer() || at->get<int64_t>() < least || at->get<int64_t>() > most) {
      error_ = Failed(request_ + ": '" + name + "' must be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most));
      return 0;
    }
    return at->get<int64_t>();
  }
  int64_t Rows(const char* name, int64_t least = 0) { return Number(name, least, kMostRows); }
  bool Flag(const char* name) {
    if (error_) return false;
    const auto at = object_.find(name);
    if (at != object_.end() && !at->is_boolean()) error_ = Failed(request_ + ": '" + name + "' must be true or false");
    return !error_ && at != object_.end() && at->get<bool>();
  }
  Result<ReaderRequest> Done(ReaderRequest request) const {
    if (error_) return *error_;
    return request;
  }

 private:
  const Json& object_;
  std::string request_;
  std::optional<Error> error_;
};

Result<ReaderRequest> ParseOpen(const Json& json) {
  const Json& name = json["open"];
  if (!name.is_string() && !name.is_null()) return Failed("open: expected the name of a feed");
  Fields fields(json, "open");
  OpenRequest request{.feed = name.is_null() ? "" : name.get<std::string>()};
  request.local_rank = static_cast<int>(fields.Number("local_rank", 0, kMostRanks));
  request.attempt = static_cast<int>(fields.Number("attempt", 0, std::numeric_limits<int>::max()));
  return fields.Done(request);
}

Result<ReaderRequest> ParseNext(const Json& json) {
  Fields fields(json["next"], "next");
  NextRequest request{
      .pass = fields.Number("pass"), .rows = fields.Rows("rows", 1), .returned = fields.Rows("returned")};
  if (json["next"].contains("batches")) request.batches = fields.Number("batches", 1, kMostBatches);
  request.waiting = fields.Flag("waiting");
  return fields.Done(request);
}

Result<ReaderRequest> ParseReturned(const Json& json) {
  Fields fields(json["returned"], "returned");
  const ReturnedRequest request{.pass = fields.Number("pass"), .rows = fields.Rows("rows")};
  return fields.Done(request);
}

Result<ReaderRequest> ParseRelease(const Json& json) {
  const Json& blocks = json["release"];
  if (!blocks.is_array()) return Failed("release: expected a list of block ids");
  ReleaseRequest request;
  for (const Json& block : blocks) {
    if (!block.is_number_integer()) return Failed("release: expected a list of block ids");
    request.blocks.push_back(block.get<int64_t>());
  }
  if (json.contains("after")) {
    Fields fields(json, "release");
    request.after = fields.Number("after");
    return fields.Done(std::move(request));
  }
  return ReaderRequest(std::move(request));
}

Result<ReaderRequest> ParseStep(const Json& json) {
  Fields fields(json["step"], "step");
  StepRequest request{.step = fields.Number("step"), .pass = fields.Number("pass"), .rows = fields.Rows("rows")};
  request.wait = fields.Flag("wait");
  return fields.Done(request);
}

Result<ReaderRequest> ParseCheckpointed(const Json& json) {
  Fields fields(json, "checkpointed");
  const CheckpointedRequest request{fields.Number("checkpointed")};
  return fields.Done(request);
}

Result<ReaderRequest> ParseFound(const Json& json) {
  Fields fields(json, "found");
  FoundRequest request{.step = fields.Number("found")};
  if (json.contains("bytes")) request.bytes = fields.Number("bytes", 0, kMostAnswerBytes);
  return fields.Done(request);
}

Result<ReaderRequest> ParsePoint(const Json& json) {
  Fields fields(json, "point");
  const PointRequest request{fields.Number("point")};
  return fields.Done(request);
}

Result<ReaderRequest> ParseCommit(const Json& json) {
  Fields fields(json["commit"], "commit");
  const CommitRequest request{.pass = fields.Number("pass"), .rows = fields.Rows("rows")};
  return fields.Done(request);
}

Result<ReaderRequest> ParseServe(const Json& json) {
  const Json& name = json["serve"];
  if (!name.is_string() && !name.is_null()) return Failed("serve: expected the name of a feed");
  Fields fields(json, "serve");
  ServeRequest request{.feed = name.is_null() ? "" : name.get<std::string>()};
  request.local_rank = static_cast<int>(fields.Number("local_rank", 0, kMostRanks));
  request.attempt = static_cast<int>(fields.Number("attempt", 0, std::numeric_limits<int>::max()));
  return fields.Done(request);
}

Result<ReaderRequest> ParseTake(const Json&) { return ReaderRequest(TakeRequest()); }

Result<ReaderRequest> ParseAnswer(const Json& json) {
  Fields fields(json, "answer");
  AnswerRequest request{.question = fields.Number("answer")};
  request.bytes = fields.Number("bytes", 0, kMostAnswerBytes);
  return fields.Done(request);
}

Result<ReaderRequest> ParseRefuse(const Json& json) {
  const auto message = json.find("message");
  if (message == json.end() || !message->is_string()) return Failed("refuse: 'message' must be a text");
  Fields fields(json, "refuse");
  RefuseRequest request{.question = fields.Number("refuse"), .message = message->get<std::string>()};
  return fields.Done(std::move(request));
}

Result<ReaderRequest> ParseStop(const Json&) { return ReaderRequest(StopRequest()); }

Result<ReaderRequest> ParseLeave(const Json&) { return ReaderRequest(LeaveRequest()); }

Result<ReaderRequest> ParseSourceFailed(const Json& json) {
  const Json& failed = json["source_failed"];
  Fields fields(failed, "source_failed");
  SourceFailedRequest request{.changed = fields.Flag("changed")};
  if (failed.is_object() && failed.contains("message") && failed["message"].is_string()) {
    request.message = failed["message"].get<std::string>();
  }
  if (request.message.empty()) return Failed("source_failed: expected a message");
  return fields.Done(std::move(request));
}

using Parse = Result<ReaderRequest> (*)(const Json&);
constexpr std::pair<const char*, Parse> kRequests[] = {{"next", ParseNext},       {"returned", ParseReturned},
                                                       {"release", ParseRelease}, {"open", ParseOpen},
                                                       {"step", ParseStep},       {"checkpointed", ParseCheckpointed},
                                                       {"found", ParseFound},     {"commit", ParseCommit},
                                                       {"stop", ParseStop},       {"take", ParseTake},
                                                       {"answer", ParseAnswer},   {"refuse", ParseRefuse},
                                                       {"serve", ParseServe},     {"source_failed", ParseSourceFailed},
                                                       {"point", ParsePoint},     {"leave", ParseLeave}};

Result<ReaderRequest> ParseWhat(const Json& json) {
  for (const auto& [name, parse] : kRequests) {
    if (json.contains(name)) return parse(json);
  }
  return Failed("unknown request; the executor may be of an older version of Howdah than the program's package");
}

// --- replies ---

const char* NameOf(ReaderError::Kind kind) {
  switch (kind) {
    case ReaderError::Kind::kLost:
      return "FeedLost";
    case ReaderError::Kind::kChanged:
      return "FeedChanged";
    case ReaderError::Kind::kEmpty:
      return "FeedEmpty";
    case ReaderError::Kind::kStopped:
      return "FeedStopped";
    case ReaderError::Kind::kFailed:
      return "FeedError";
    default:
      return "FeedMisuse";
  }
}

const char* NameOf(Split split) {
  switch (split) {
    case Split::kDynamic:
      return "dynamic";
    case Split::kAll:
      return "all";
    default:
      return "equal";
  }
}

const char* NameOf(Remainder remainder) {
  switch (remainder) {
    case Remainder::kShort:
      return "short";
    case Remainder::kRepeat:
      return "repeat";
    default:
      return "drop";
  }
}

ReaderReply OneMessage(const Json& json) { return {{json.dump(-1, ' ', false, Json::error_handler_t::replace)}}; }

std::string Base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = (group << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[(group >> (18 - 6 * k)) & 63];
  }
  return text;
}

// A message in Arrow's IPC format: continuation, length, header with padding.
std::string Encapsulated(const std::string& header) {
  const size_t padded = (header.size() + 7) & ~size_t{7};
  const uint32_t prefix[2] = {0xFFFFFFFF, static_cast<uint32_t>(padded)};
  std::string message(sizeof prefix, '\0');
  std::memcpy(message.data(), prefix, sizeof prefix);
  message += header;
  message.resize(sizeof prefix + padded);
  return message;
}

// Divides a batch into messages.
class BatchWriter {
 public:
  void Add(const BlockSchema& schema) {
    const std::string message = Encapsulated(schema.header);
    for (size_t from = 0; from < message.size(); from += kSchemaPiece) {
      const std::string piece = Base64(std::string_view(message).substr(from, kSchemaPiece));
      Reserve(piece.size() + kEntryBytes);
      Append(schemas_, "{\"id\":" + std::to_string(schema.id) + ",\"bytes\":\"" + piece + "\"}");
    }
  }
  void Add(BlockId id, const BlockStore::Place& place) {
    if (files_.size() == kMostFiles) Finish(true);
    Reserve(kEntryBytes);
    Append(blocks_, "{\"id\":" + std::to_string(id) + ",\"offset\":" + std::to_string(place.offset) + ",\"bytes\":" +
                        std::to_string(place.bytes) + ",\"schema\":" + std::to_string(place.schema->id) +
                        ",\"rows\":" + std::to_string(place.rows) + "}");
    files_.push_back(place.file);
  }
  void Add(const Slice& slice) {
    Reserve(kEntryBytes);
    Append(slices_, "[" + std::to_string(slice.block) + "," + std::to_string(slice.from) + "," +
                        std::to_string(slice.rows) + "]");
  }
  // members: of the last message, with a comma at the end.
  ReaderReply Done(const std::string& members = "") {
    Reserve(members.size());
    Finish(false);
    reply_.back().text.insert(1, members);
    return std::move(reply_);
  }

 private:
  static void Append(std::string& list, const std::string& entry) {
    if (!list.empty()) list += ',';
    list += entry;
  }
  void Reserve(size_t bytes) {
    if (blocks_.size() + schemas_.size() + slices_.size() + bytes > kPartBytes) Finish(true);
  }
  void Finish(bool more) {
    reply_.push_back({"{\"blocks\":[" + std::exchange(blocks_, {}) + "],\"schemas\":[" + std::exchange(schemas_, {}) +
                          "],\"slices\":[" + std::exchange(slices_, {}) + "]" + (more ? ",\"more\":true}" : "}"),
                      std::exchange(files_, {})});
  }

  std::string blocks_, schemas_, slices_;
  std::vector<std::shared_ptr<const os::files::Fd>> files_;
  ReaderReply reply_;
};

}  // namespace

NumberedRequest ParseReaderRequest(std::string_view text) {
  if (NestsDeeper(text, kDeepest)) return {.request = Failed("a request with too many levels")};
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return {.request = Failed("expected a JSON object")};
  NumberedRequest numbered;
  if (json.contains("id")) {
    Fields fields(json, "request");
    numbered.id = fields.Number("id");
  }
  numbered.request = ParseWhat(json);
  return numbered;
}

ReaderError ToReaderError(const FailFeed& failed) {
  switch (failed.why) {
    case FailFeed::Why::kChanged:
      return {ReaderError::Kind::kChanged, failed.message};
    case FailFeed::Why::kLost:
      return {ReaderError::Kind::kLost, failed.message};
    case FailFeed::Why::kFailed:
      return {ReaderError::Kind::kFailed, failed.message};
    default:
      return {ReaderError::Kind::kMisuse, failed.message};
  }
}

ReaderReply WithId(int64_t id, ReaderReply reply) {
  if (id == 0) return reply;
  for (ReaderMessage& message : reply) {
    const bool empty = message.text == "{}";
    message.text.insert(1, "\"id\":" + std::to_string(id) + (empty ? "" : ","));
  }
  return reply;
}

ReaderReply EmptyReply() { return {{"{}"}}; }

ReaderReply ErrorReply(const ReaderError& error) {
  constexpr size_t kLongest = size_t{16} << 10;
  return OneMessage({{"error", {{"kind", NameOf(error.kind)}, {"message", error.message.substr(0, kLongest)}}}});
}

ReaderReply OpenReply(const OpenedReader& opened) {
  Json json = {{"feed", opened.feed},
               {"reader", opened.reader},
               {"readers", opened.readers},
               {"passes", nullptr},
               {"pass", opened.pass},
               {"split", NameOf(opened.split)},
               {"remainder", NameOf(opened.remainder)}};
  if (opened.passes) json["passes"] = *opened.passes;
  if (const auto& source = opened.source) {
    const auto or_null = [](const auto& value) { return value.empty() ? Json(nullptr) : Json(value); };
    json["source"] = {{"from", source->files.from},
                      {"format", or_null(source->files.format)},
                      {"columns", or_null(source->files.columns)},
                      {"shuffled", source->shuffled},
                      {"seed", source->seed},
                      {"token", source->token},
                      {"location", source->address.location},
                      {"ca", source->address.ca},
                      {"server_name", source->address.server_name}};
  }
  return OneMessage(json);
}

ReaderReply FoundReply(int64_t pass) { return OneMessage({{"pass", pass}}); }

ReaderReply PointReply(const std::string& point) {
  const auto file = std::make_shared<os::files::Fd>(::memfd_create("howdah-point", MFD_CLOEXEC));
  if (!file->valid() || ::pwrite(file->get(), point.data(), point.size(), 0) != static_cast<ssize_t>(point.size())) {
    return ErrorReply({ReaderError::Kind::kFailed, os::files::SystemError("passing the position of a feed").message});
  }
  return {{Json({{"bytes", point.size()}}).dump(), {file}}};
}

ReaderReply EndReply(const ClosePass& end) {
  return OneMessage({{"end", {{"rows", end.rows}, {"left_out", end.left_out}, {"repeated", end.repeated}}}});
}

ReaderReply BatchReply(const ReaderBatch& batch) {
  BatchWriter writer;
  for (const auto& schema : batch.schemas) writer.Add(*schema);
  for (const auto& [id, place] : batch.blocks) writer.Add(id, place);
  for (const Slice& slice : batch.slices) writer.Add(slice);
  return writer.Done();
}

ReaderReply ServeReply(const std::string& feed) { return OneMessage({{"feed", feed}}); }

ReaderReply TakeReply(const TakenQuestion& question) {
  BatchWriter writer;
  if (question.is_new_schema) writer.Add(*question.place.schema);
  writer.Add(question.id, question.place);
  return writer.Done("\"question\":" + std::to_string(question.id) + ",\"exchange\":" +
                     std::to_string(question.exchange) + ",\"block\":" + std::to_string(question.block) + ",");
}

}  // namespace howdah::feed::server
