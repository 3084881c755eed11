#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "howdah/base/bytes.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/cli/output/text_table.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/rpc/feed_calls.h"

namespace howdah::cli::commands {
namespace {

using Json = nlohmann::ordered_json;

// The AM itself waits at most 60 s for a task of the feed.
constexpr Duration kAddressLimit = std::chrono::seconds(70);
constexpr Duration kCloseLimit = std::chrono::seconds(10);

struct FeedArguments {
  std::string id, name;
  bool json = false, close = false, address = false;
};

std::string Percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

// How the rows arrive.
std::string Transports(const journal::FeedView& feed) {
  if (feed.unix_bytes == 0 && feed.tls_bytes == 0) return "-";
  return std::string(feed.unix_bytes > 0 ? "unix" : "") + (feed.unix_bytes > 0 && feed.tls_bytes > 0 ? ", " : "") +
         (feed.tls_bytes > 0 ? "TLS" : "");
}

std::string Table(const std::vector<journal::FeedView>& feeds) {
  std::vector<output::Row> rows = {{"FEED", "PASS", "ROWS", "ROWS/S", "RECEIVED", "OVER", "RANKS WAITED",
                                    "SOURCES WAITED", "SOURCES", "LEFT OUT", "REPEATED"}};
  std::string bottlenecks;
  for (const journal::FeedView& feed : feeds) {
    rows.push_back({feed.name, std::to_string(feed.pass), std::to_string(feed.rows),
                    std::to_string(std::llround(feed.rows_per_second)), FormatBytes(feed.bytes), Transports(feed),
                    Percent(feed.readers_waited), Percent(feed.sources_waited), std::to_string(feed.sources),
                    std::to_string(feed.left_out), std::to_string(feed.repeated)});
    if (!feed.bottleneck.empty()) bottlenecks += Shown(feed.name + ": " + feed.bottleneck) + "\n";
  }
  return output::FormatTable(rows) + bottlenecks;
}

// Explains why the status of the job has no feed, or not the named one.
Error NoFeed(const client::Job& job, const journal::JobView& view, const std::string& name) {
  const auto text = job.cluster->JobFile(job.id);
  const auto spec = text.ok() ? jobspec::ReadEffective(*text) : Result<jobspec::JobSpec>(text.error());
  if (spec.ok()) {
    std::string names;
    bool known = name.empty();
    for (const jobspec::FeedSpec& feed : spec->feeds) {
      names += (names.empty() ? "" : ", ") + feed.name;
      known |= feed.name == name;
    }
    if (names.empty()) {
      return {ErrorCode::kUsage, job.id.text + " has no feeds; add `feeds: {train: {}}` to its job file"};
    }
    if (!known) return {ErrorCode::kUsage, job.id.text + " has no feed " + name + "; its feeds are " + names};
  }
  return {ErrorCode::kUnavailable,
          job.id.text + " is " + std::string(core::ToText(view.state)) + ", and feeds exist only while a job runs"};
}

Result<int> ShowFeeds(const client::Job& job, const FeedArguments& arguments) {
  HOWDAH_TRY(const journal::JobView view, job.cluster->Status(job.id));
  std::vector<journal::FeedView> feeds = view.feeds;
  if (!arguments.name.empty()) {
    std::erase_if(feeds, [&](const journal::FeedView& feed) { return feed.name != arguments.name; });
  }
  if (feeds.empty()) return NoFeed(job, view, arguments.name);
  output::Print(arguments.json ? journal::FeedsToJson(feeds) + "\n" : Table(feeds));
  return client::kExitOk;
}

Result<int> PrintAddress(const client::Job& job, const FeedArguments& arguments) {
  HOWDAH_TRY(const rpc::AmContact am, job.cluster->Contact(job.id));
  HOWDAH_TRY(const auto address, rpc::AskFeedAddress(am, arguments.name, kAddressLimit));
  const Json json = {{"feed", address.feed},
                     {"locations", address.locations},
                     {"token", address.token},
                     {"ca", am.identity.ca_certificate},
                     {"server_name", rpc::kExecutorName}};
  output::Print(json.dump() + "\n");
  return client::kExitOk;
}

Result<int> Close(const client::Job& job, const FeedArguments& arguments) {
  HOWDAH_TRY(const rpc::AmContact am, job.cluster->Contact(job.id));
  HOWDAH_TRY_STATUS(rpc::CloseFeed(am, arguments.name, kCloseLimit));
  output::PrintMessage(job.id.text + ": the feed" + (arguments.name.empty() ? "" : " " + arguments.name) +
                       " is closed; its readers end when they have read the rows that were sent");
  return client::kExitOk;
}

Result<int> RunFeed(client::Connection& connection, const FeedArguments& arguments) {
  if (arguments.close && arguments.address) {
    return Error{ErrorCode::kUsage, "feed: --close and --address exclude each other; choose one of them"};
  }
  if (arguments.close && arguments.json) {
    return Error{ErrorCode::kUsage, "feed: --close prints no result; remove --json"};
  }
  const auto find = arguments.close ? client::FindJobToChange : client::FindJob;
  HOWDAH_TRY(const client::Job job, find(connection, arguments.id, output::PrintNote));
  if (arguments.close) return Close(job, arguments);
  return arguments.address ? PrintAddress(job, arguments) : ShowFeeds(job, arguments);
}

}  // namespace

args::Command FeedCommand(client::Connection& connection) {
  return {"feed", "Show the feeds of a running job: rows, speed, and what they wait for",
          "  howdah feed last\n  howdah feed last live --close\n  howdah feed last train --address | jq .locations",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<FeedArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("name", "NAME", arguments->name, args::Presence::kOptional,
                              "Only this feed; for --close and --address, it may be omitted if there is only one");
            syntax.Json(arguments->json, "Print one JSON array");
            syntax.Flag("--close", arguments->close,
                        "Close the feed: nothing more will be sent, so a stream ends after the rows sent so far");
            syntax.Flag("--address", arguments->address,
                        "Print as JSON where Arrow Flight clients send rows, and the secret that they need; waits up "
                        "to 60 s until a task runs");
            return [&connection, arguments] { return RunFeed(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
