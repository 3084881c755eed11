#include "feed_json.h"

namespace howdah::journal {
namespace {

int64_t Count(const Json& object, const char* name) {
  const Json* number = Field(object, name);
  return number != nullptr && number->is_number_integer() ? number->get<int64_t>() : 0;
}

}  // namespace

Json FeedsJson(const std::vector<FeedView>& feeds) {
  Json list = Json::array();
  for (const FeedView& feed : feeds) {
    list.push_back({{"name", feed.name},
                    {"pass", feed.pass},
                    {"rows", feed.rows},
                    {"bytes", feed.bytes},
                    {"unix_bytes", feed.unix_bytes},
                    {"tls_bytes", feed.tls_bytes},
                    {"rows_per_second", feed.rows_per_second},
                    {"readers_waited", feed.readers_waited},
                    {"sources_waited", feed.sources_waited},
                    {"left_out", feed.left_out},
                    {"repeated", feed.repeated},
                    {"sources", feed.sources},
                    {"bottleneck", feed.bottleneck.empty() ? Json(nullptr) : Json(feed.bottleneck)}});
  }
  return list;
}

std::vector<FeedView> FeedsField(const Json& status) {
  std::vector<FeedView> feeds;
  const Json* list = Field(status, "feeds");
  if (list == nullptr || !list->is_array()) return feeds;
  for (const Json& json : *list) {
    if (!json.is_object()) continue;
    const auto name = TextField(json, "name");
    if (!name) continue;
    feeds.push_back({.name = *name,
                     .pass = Count(json, "pass"),
                     .rows = Count(json, "rows"),
                     .bytes = Count(json, "bytes"),
                     .unix_bytes = Count(json, "unix_bytes"),
                     .tls_bytes = Count(json, "tls_bytes"),
                     .rows_per_second = NumberField(json, "rows_per_second"),
                     .readers_waited = NumberField(json, "readers_waited"),
                     .sources_waited = NumberField(json, "sources_waited"),
                     .left_out = Count(json, "left_out"),
                     .repeated = Count(json, "repeated"),
                     .sources = IntField(json, "sources").value_or(0),
                     .bottleneck = TextField(json, "bottleneck").value_or("")});
  }
  return feeds;
}

std::string FeedsToJson(const std::vector<FeedView>& feeds) { return Dump(FeedsJson(feeds)); }

}  // namespace howdah::journal
