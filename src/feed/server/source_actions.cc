#include "source_actions.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "howdah/base/host_port.h"
#include "howdah/base/json_depth.h"
#include "howdah/feed/messages.h"

namespace howdah::feed::server {
namespace {

using Json = nlohmann::json;
using ActionCall = FlightServer::Handlers::Call;

constexpr int kDeepestBody = 4;
constexpr size_t kLongestText = 1024;             // of a name or a key
constexpr size_t kLongestPlan = size_t{5} << 20;  // the AM has a lower limit, and explains it

Error Invalid(const std::string& what) { return {ErrorCode::kUsage, what}; }

Result<int64_t> Number(const Json& body, const char* name, int64_t most) {
  const auto at = body.find(name);
  if (at == body.end() || !at->is_number_integer() || at->get<int64_t>() < 0 || at->get<int64_t>() > most) {
    return Invalid("'" + std::string(name) + "' must be a whole number from 0 to " + std::to_string(most));
  }
  return at->get<int64_t>();
}

// An absent text is empty.
Result<std::string> Text(const Json& body, const char* name, size_t longest = kLongestText) {
  const auto at = body.find(name);
  if (at == body.end() || at->is_null()) return std::string();
  if (!at->is_string() || at->get_ref<const std::string&>().size() > longest) {
    return Invalid("'" + std::string(name) + "' must be a text of at most " + std::to_string(longest) + " bytes");
  }
  return at->get<std::string>();
}

Result<std::optional<uint64_t>> Digest(const Json& body) {
  const auto at = body.find("digest");
  if (at == body.end() || at->is_null()) return std::optional<uint64_t>();
  if (!at->is_number_unsigned()) return Invalid("'digest' must be a whole number of at most 64 bits");
  return std::optional(at->get<uint64_t>());
}

// Sets the fields of a question that only processes that read files have.
Status AddFileFields(const Json& body, wire::FeedAsk& ask) {
  if (body.contains("reader")) {
    HOWDAH_TRY(const int64_t reader, Number(body, "reader", kMostRanks - 1));
    ask.set_reader(static_cast<int32_t>(reader));
  }
  if (body.contains("claim")) {
    HOWDAH_TRY(const int64_t claim, Number(body, "claim", kMostRanks));
    ask.set_claim(static_cast<int32_t>(claim));
  }
  const auto patient = body.find("patient");
  ask.set_patient(patient != body.end() && patient->is_boolean() && patient->get<bool>());
  return {};
}

// The reader that the source prefers.
Result<int> NearOf(const Json& body, int by_default) {
  if (!body.contains("near")) return by_default;
  if (body["near"].is_null()) return -1;
  HOWDAH_TRY(const int64_t near, Number(body, "near", kMostRanks - 1));
  return static_cast<int>(near);
}

Result<wire::FeedCall> ToCall(const std::string& type, const Json& body) {
  wire::FeedCall call;
  HOWDAH_TRY(*call.mutable_feed(), Text(body, "feed"));
  if (type == "ask") {
    HOWDAH_TRY(const int64_t pass, Number(body, "pass", kMostPartitions));
    HOWDAH_TRY(const int64_t partition, Number(body, "partition", kMostPartitions));
    call.mutable_ask()->set_pass(pass);
    call.mutable_ask()->set_partition(partition);
    HOWDAH_TRY_STATUS(AddFileFields(body, *call.mutable_ask()));
  } else if (type == "partition-ended") {
    PartitionEnded ended;
    HOWDAH_TRY(ended.pass, Number(body, "pass", kMostPartitions));
    HOWDAH_TRY(ended.partition, Number(body, "partition", kMostPartitions));
    HOWDAH_TRY(ended.rows, Number(body, "rows", kMostRows));
    HOWDAH_TRY(ended.digest, Digest(body));
    call.set_event(EncodeEvent(ended));
  } else if (type == "source-ended") {
    SourceEnded ended;
    HOWDAH_TRY(ended.partitions, Number(body, "partitions", kMostPartitions));
    call.set_event(EncodeEvent(ended));
  } else if (type == "supply") {
    HOWDAH_TRY(*call.mutable_supply()->mutable_name(), Text(body, "name"));
  } else if (type == "send") {
    HOWDAH_TRY(*call.mutable_send()->mutable_key(), Text(body, "key"));
  } else if (type == "plan") {
    HOWDAH_TRY(*call.mutable_plan()->mutable_text(), Text(body, "plan", kLongestPlan));
  } else if (type == "close") {
    call.set_close(true);
  } else {
    return Invalid("unknown action '" + type + "'; the executor may be of an older version of Howdah");
  }
  return call;
}

Json Ranges(const std::vector<Rows>& rows) {
  Json ranges = Json::array();
  for (const Rows& range : rows) {
    const Json to = range.to >= kMostRows ? Json(nullptr) : Json(range.to);
    ranges.push_back({range.from, to});
  }
  return ranges;
}

Json Locations(const wire::FeedReply& reply) {
  Json locations = Json::array();
  if (!reply.path().empty()) locations.push_back("grpc+unix://" + reply.path());
  if (reply.port() != 0) {
    locations.push_back("grpc+tls://" + HostPort{reply.host(), static_cast<uint16_t>(reply.port())}.Text());
  }
  return locations;
}

std::string Dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string SendOrder(const Answer& answer, const wire::FeedReply& reply) {
  Json json = {
      {"what", "send"}, {"missing", Ranges(answer.missing)}, {"reader", answer.rank}, {"locations", Locations(reply)}};
  if (answer.limit > 0) json["limit"] = answer.limit;
  return Dumped(json);
}

std::string SupplyAnswer(const wire::FeedReply& reply) {
  if (reply.over()) return Dumped(reply.job_ends() ? Json{{"over", true}, {"job_ends", true}} : Json{{"over", true}});
  if (!reply.failed().empty()) return Dumped({{"failed", reply.failed()}});
  Json partitions = Json::array();
  for (const wire::FeedRows& range : reply.requested()) partitions.push_back({range.from(), range.to()});
  Json json = {{"request", {{"pass", reply.pass()}, {"partitions", std::move(partitions)}}}};
  if (!reply.plan().empty()) json["restored"] = reply.plan();
  return Dumped(json);
}

std::string PlanAnswer(const wire::FeedReply& reply) {
  if (reply.make()) return Dumped({{"plan", nullptr}, {"make", true}});
  return Dumped({{"plan", reply.plan().empty() ? Json(nullptr) : Json(reply.plan())}});
}

std::string SendAnswer(const wire::FeedReply& reply) {
  return Dumped({{"partition", reply.partition() < 0 ? Json(nullptr) : Json(reply.partition())}});
}

}  // namespace

void SourceActions::OnAction(uint64_t id, const std::string& type, const std::string& text, ActionCall call) {
  const Json body = NestsDeeper(text, kDeepestBody) ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!body.is_object()) return call.finish(Invalid("the body of an action must be a JSON object"));
  auto message = ToCall(type, body);
  if (!message.ok()) return call.finish(message.error().While(type));
  switch (message->what_case()) {
    case wire::FeedCall::kAsk: {
      const auto near = NearOf(body, ports_.near(message->feed()));
      if (!near.ok()) return call.finish(near.error().While(type));
      message->mutable_ask()->set_near(*near);
      return Begin(id, *message, std::move(call),
                   [this, asked = *message](const wire::FeedReply& reply) { return AskAnswer(asked, reply); });
    }
    case wire::FeedCall::kPlan:
      return Begin(id, *message, std::move(call),
                   [](const wire::FeedReply& reply) -> Result<std::string> { return PlanAnswer(reply); });
    case wire::FeedCall::kSupply:
      return Begin(id, *message, std::move(call),
                   [](const wire::FeedReply& reply) -> Result<std::string> { return SupplyAnswer(reply); });
    case wire::FeedCall::kSend:
      return Begin(id, *message, std::move(call),
                   [](const wire::FeedReply& reply) -> Result<std::string> { return SendAnswer(reply); });
    default:
      return Begin(id, *message, std::move(call),
                   [](const wire::FeedReply&) -> Result<std::string> { return std::string("{}"); });
  }
}

void SourceActions::Begin(uint64_t id, wire::FeedCall message, ActionCall call,
                          std::function<Result<std::string>(const wire::FeedReply&)> answer) {
  const bool supply = message.has_supply();
  open_[id] = calls_.Add(std::move(message), [this, id, supply, call = std::move(call),
                                              answer = std::move(answer)](const wire::FeedReply& reply) {
    const auto result = reply.error().empty() ? answer(reply) : Result<std::string>(Failed(reply.error()));
    if (result.ok()) call.reply(*result);
    if (result.ok() && supply && !reply.over() && reply.failed().empty()) return;
    open_.erase(id);
    call.finish(result.ok() ? Status() : Status(result.error()));
  });
}

Result<std::string> SourceActions::AskAnswer(const wire::FeedCall& asked, const wire::FeedReply& reply) const {
  if (reply.busy()) return Dumped({{"what", "busy"}});
  HOWDAH_TRY(const Answer answer, DecodeAnswer(reply.answer()));
  switch (answer.what) {
    case Answer::What::kSend:
      ports_.on_wanted(asked.feed(), asked.ask().pass(), asked.ask().partition(), answer.rank);
      return SendOrder(answer, reply);
    case Answer::What::kDone:
      return Dumped({{"what", "done"}});
    case Answer::What::kOver:
      return Dumped({{"what", "over"}});
    default:
      return Dumped({{"what", "wait"}});
  }
}

void SourceActions::OnCancelled(uint64_t id) {
  const auto at = open_.find(id);
  if (at == open_.end()) return;
  calls_.Cancel(at->second);
  open_.erase(at);
}

}  // namespace howdah::feed::server
