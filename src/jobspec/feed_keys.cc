#include "feed_keys.h"

#include <algorithm>
#include <limits>
#include <set>

#include "paths.h"
#include "words.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

constexpr int kMostEpochs = 1'000'000;
// Bytes of `from` and `columns`: executors send them to the ranks in one message.
constexpr size_t kMostFileBytes = size_t{64} << 10;

const Section<FeedSpec>& FeedKeys() {
  using F = FeedSpec;
  static const Section<FeedSpec> section = {
      {Row("from", &F::from, ListOf(PathOrUri(PathUse::kRows), "list of files"),
           "Files whose rows the ranks read: files, directories, patterns, and lists of these; without it, other "
           "processes send the rows"),
       Row("format", &F::format, Optional(OneOf(FeedFormatWords())),
           "Format of the files; default: the one that their names end with"),
       Row("columns", &F::columns, ListOf(NonEmptyText("column"), "list of columns"),
           "Columns that are read from the files; default: all"),
       Row("epochs", &F::epochs, WholeNumber(1, kMostEpochs), "Number of passes over the source"),
       Row("split", &F::split, Optional(OneOf(FeedSplitWords())),
           "equal: each row to one rank, and the same number of batches to every rank; dynamic: each row to one rank, "
           "whichever asks first; all: each row to every rank; default: equal if the ranks of the framework depend on "
           "each other, else dynamic"),
       Row("remainder", &F::remainder, OneOf(FeedRemainderWords()),
           "The rows at the end of a pass that do not fill a batch of every rank. drop: they are left out; short: the "
           "last batch of every rank is smaller; repeat: the first rows of the pass fill it up"),
       Row("shuffle", &F::shuffle, WholeNumber(0, kLargestShuffle),
           "Draw rows at random from a pool of this many rows; 0: rows keep their order of arrival"),
       Row("seed", &F::seed, WholeNumber(0, std::numeric_limits<int>::max()), "Seed of the shuffle"),
       Row("stream", &F::stream, TrueOrFalse(),
           "One pass over everything that is sent, until the feed is closed (`howdah feed ID NAME --close`)"),
       Row("answers", &F::answers, TrueOrFalse(),
           "Clients send blocks of rows, and a rank answers each block; only roles and buffer can be set beside it"),
       Row("roles", &F::roles, ListOf(NonEmptyText("role name"), "list of roles"),
           "The roles whose tasks read the feed; default: all workers, except the servers of the framework (ps, "
           "server, "
           "scheduler) and TensorFlow's evaluator"),
       Row("buffer", &F::buffer_bytes, Memory(), "Memory for rows ahead of each rank; it is part of the task's memory"),
       Row("spool", &F::spool_bytes, Memory(),
           "Disk space of each task for rows that later passes and restarts read again; rows beyond it are requested "
           "from the source again"),
       Row("recompute", &F::recompute, TrueOrFalse(),
           "The source supplies each pass again, and its rows may differ from those of the pass before"),
       Row("changed", &F::changed, OneOf(FeedChangedWords()),
           "If the source supplies a partition again with other rows. fail: readers and sources fail; accept: the rows "
           "are read as they come, and are counted by their position alone")}};
  return section;
}

bool IsFeedName(std::string_view name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kLongestFeedName && lower(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

bool IsKeyOfFeed(std::string_view name) {
  const auto& keys = FeedKeys().keys;
  return std::any_of(keys.begin(), keys.end(), [&](const Key<FeedSpec>& key) { return key.name == name; });
}

bool ReadFeeds(Reader& r, const Node& n, std::vector<FeedSpec>& out) {
  if (n.kind != Node::Kind::kMap) {
    return r.Fail(n, "must be a map of feeds by name; write for example train: {shuffle: 10000}");
  }
  if (n.entries.size() > kMostFeeds) {
    return r.Fail(
        n, "has " + std::to_string(n.entries.size()) + " feeds; a job has at most " + std::to_string(kMostFeeds));
  }
  return ForEachEntry(r, n, [&](const Entry& entry) {
    const bool has_map = entry.value->kind == Node::Kind::kMap;
    if (!has_map && IsKeyOfFeed(entry.key)) {
      return r.Fail(entry.mark, "is a key of a feed; indent it below the name of its feed");
    }
    FeedSpec& feed = out.emplace_back();
    feed.name = entry.key;
    const bool good = IsFeedName(entry.key) ||
                      r.Fail(entry.mark, "invalid feed name; use at most " + std::to_string(kLongestFeedName) +
                                             " lower-case letters, digits, _ and -, starting with a letter");
    const bool read = entry.value->kind == Node::Kind::kNull ||
                      ReadSection(r, *entry.value, FeedKeys(), feed);  // every key is optional
    r.Note(entry.mark, good && read);
    return good && read;
  });
}

bool IsKeyWithAnswers(std::string_view name) { return name == "answers" || name == "roles" || name == "buffer"; }

// A feed with answers has no ledger, so the keys that control one would have no effect.
void CheckAnswers(const std::string& path, Reader& reader) {
  for (const Key<FeedSpec>& key : FeedKeys().keys) {
    const std::string name(key.name);
    if (IsKeyWithAnswers(name) || !reader.WasGood(path + name)) continue;
    reader.FailAt(path + name, "has no effect on a feed with answers; remove it, or answers");
  }
}

Json WriteFeed(const FeedSpec& feed) {
  Json all = WriteSection(FeedKeys(), feed);
  if (!feed.answers) return all;
  Json object;
  for (const auto& [name, value] : all.items()) {
    if (IsKeyWithAnswers(name)) object[name] = value;
  }
  return object;
}

void CheckFiles(const FeedSpec& feed, const std::string& path, Reader& reader) {
  if (reader.WasBad(path + "from")) return;
  if (feed.from.empty()) {
    const std::string why = "selects what is read from files; set `from` as well, or remove it";
    if (feed.format) reader.FailAt(path + "format", why);
    if (!feed.columns.empty()) reader.FailAt(path + "columns", why);
    if (reader.WasGood(path + "from")) reader.FailAt(path + "from", "names no files; remove it, or write a path");
    return;
  }
  size_t bytes = 0;
  for (const auto* names : {&feed.from, &feed.columns}) {
    for (const std::string& name : *names) bytes += name.size() + 3;
  }
  const auto none = [](const std::string& name) { return name.empty(); };
  if (std::any_of(feed.from.begin(), feed.from.end(), none)) {
    reader.FailAt(path + "from", "has an empty path; write the path of a file, a directory or a pattern");
  }
  if (bytes > kMostFileBytes) {
    reader.FailAt(path + "from", "the names in `from` and `columns` have " + std::to_string(bytes) +
                                     " bytes; the limit is " + std::to_string(kMostFileBytes) +
                                     ". Write a directory or a pattern instead of single files");
  }
  if (feed.stream) reader.FailAt(path + "stream", "a feed that reads files cannot be a stream; remove stream or from");
}

void CheckRolesOf(const JobSpec& spec, const FeedSpec& feed, const std::string& key, Reader& reader) {
  std::vector<std::string_view> names;
  for (const RoleSpec& role : spec.roles) names.push_back(role.name);
  std::set<std::string_view> seen;
  for (const std::string& name : feed.roles) {
    const auto role =
        std::find_if(spec.roles.begin(), spec.roles.end(), [&](const RoleSpec& r) { return r.name == name; });
    if (role == spec.roles.end()) {
      const std::string_view near = reader.Suggest(name, names);
      reader.FailAt(key, "unknown role " + Quoted(name) +
                             (near.empty() ? "; write the name of a role, or remove it"
                                           : "; did you mean " + Quoted(near) + "?"));
    } else if (!seen.insert(name).second) {
      reader.FailAt(key, "names role " + Quoted(name) + " twice; remove one of them");
    } else if (role->kind == RoleKind::kSetup) {
      reader.FailAt(
          key, "role " + Quoted(name) + " is a setup role, which ends before the other roles start; name other roles");
    }
  }
}

}  // namespace

ValueType<std::vector<FeedSpec>> Feeds() {
  return {&ReadFeeds,
          [](const std::vector<FeedSpec>& feeds) {
            Json object;
            for (const FeedSpec& feed : feeds) object[feed.name] = WriteFeed(feed);
            return object;
          },
          [] {
            Json feed = SectionSchema(FeedKeys());
            feed["type"] = {"object", "null"};
            return Json{{"title", "map of feeds"},
                        {"type", "object"},
                        {"maxProperties", kMostFeeds},
                        {"propertyNames", {{"pattern", "^[a-z][a-z0-9_-]{0,31}$"}}},
                        {"additionalProperties", std::move(feed)}};
          }};
}

void CheckFeeds(const JobSpec& spec, Reader& reader) {
  static_assert(kLongestFeedName == 32);  // in the schema's pattern
  if (spec.feeds.empty() || reader.WasBad("feeds")) return;
  if (spec.framework == Framework::kMpi) {
    reader.FailAt("feeds", "an MPI job has no feeds, because mpirun decides how many ranks each task has; remove it");
  }
  // Its processes continue in the next generation with other ranks, and so would be other readers.
  const bool elastic =
      std::any_of(spec.roles.begin(), spec.roles.end(), [](const RoleSpec& role) { return role.instances.elastic(); });
  if (spec.framework == Framework::kHorovod && elastic) {
    reader.FailAt("feeds",
                  "an elastic Horovod job has no feeds, because its processes continue when their number changes; "
                  "write a fixed number of instances, or remove it");
  }
  for (const FeedSpec& feed : spec.feeds) {
    const std::string path = "feeds." + feed.name + ".";
    if (feed.stream && feed.epochs != 1) {
      reader.FailAt(path + "epochs", "a stream has only one pass; remove epochs, or stream");
    }
    if (feed.answers) CheckAnswers(path, reader);
    if (!feed.answers) CheckFiles(feed, path, reader);
    if (!reader.WasBad("roles")) CheckRolesOf(spec, feed, path + "roles", reader);
  }
}

}  // namespace howdah::jobspec
