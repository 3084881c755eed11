#include "feed_log.h"

#include <algorithm>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/frameworks/feed.h"

namespace howdah::am {
namespace {

// The first byte of a record. Numbers are decimal, with a space after each.
constexpr char kLedger = 'L';        // a record of the ledger
constexpr char kFormed = 'G';        // generation, generation of the job, readers
constexpr char kSends = 'N';         // the number of sends
constexpr char kSend = 'S';          // partition, key
constexpr char kSourceEnded = 'E';   // nothing
constexpr char kSupplier = 'P';      // 1 and the name, or 0
constexpr char kPlan = 'F';          // the plan, without a number
constexpr char kRestoredPlan = 'R';  // likewise
constexpr char kTerm = 'T';          // term, number of its first record
constexpr char kRecords = 'C';       // the records before this one stand for this number of records

// More than any log has.
constexpr int64_t kMostRecords = int64_t{1} << 60;

Error Unknown() { return Failed("a record that this version does not know"); }

std::string Number(int64_t number) { return std::to_string(number) + " "; }

std::optional<int64_t> TakeNumber(std::string_view& text) {
  const size_t end = text.find(' ');
  if (end == std::string_view::npos) return std::nullopt;
  const auto number = ParseNumber<int64_t>(text.substr(0, end));
  if (number) text.remove_prefix(end + 1);
  return number;
}

std::string RecordOf(const FeedLog::Formed& formed) {
  return kFormed + Number(formed.generation) + Number(formed.job_generation) + Number(formed.readers);
}

std::string RecordOf(const std::optional<std::string>& supplier) {
  return kSupplier + Number(supplier.has_value()) + supplier.value_or("");
}

std::string SendRecord(feed::PartitionId partition, const std::string& key) { return kSend + Number(partition) + key; }

std::string RecordOf(const feed::LogTerm& term) { return kTerm + Number(term.number) + Number(term.first); }

}  // namespace

FeedLog::FeedLog(const feed::Options& options, SnapshotFile file) : file_(std::move(file)), ledger_(options) {}

Result<FeedLog> FeedLog::Open(const std::string& path, const feed::Options& options) {
  // Restore needs the object, and the object needs the open file, so the file is read in a second step.
  auto file = SnapshotFile::Open(path, [](std::string_view) { return Status(); });
  if (!file.ok()) return file.error();
  FeedLog log(options, std::move(*file));
  HOWDAH_TRY_STATUS(
      os::files::ReadRecords(path, [&log](std::string_view record) { return log.Restore(std::string(record)); }));
  return log;
}

Status FeedLog::Restore(const std::string& bytes) {
  if (bytes.empty()) return Unknown();
  std::string_view record = bytes;
  const char kind = record.front();
  record.remove_prefix(1);
  if (kind == kRecords) {
    const auto records = TakeNumber(record);
    if (!records || *records < 0 || *records > kMostRecords) return Unknown();
    tail_.StartAt(*records);
    return {};
  }
  tail_.Add(bytes);
  if (kind == kLedger) return ledger_.Restore(record);
  if (kind == kSourceEnded) {
    source_ended_ = true;
    return {};
  }
  if (kind == kPlan) {
    plan_ = std::string(record);
    return {};
  }
  if (kind == kRestoredPlan) {
    restored_plan_ = std::string(record);
    return {};
  }
  const auto first = TakeNumber(record);
  if (!first) return Unknown();
  if (kind == kFormed) {
    const auto job_generation = TakeNumber(record);
    const auto readers = TakeNumber(record);
    if (!job_generation || !readers || *readers < 0 || *readers > feed::kMostRanks) return Unknown();
    formed_ = {*first, static_cast<int>(*job_generation), static_cast<int>(*readers)};
  } else if (kind == kTerm) {
    const auto begins = TakeNumber(record);
    if (!begins || *first <= tail_.term() || *begins < 0 || *begins >= tail_.end()) return Unknown();
    tail_.AddTerm({*first, *begins});
  } else if (kind == kSupplier) {
    supplier_.reset();
    if (*first != 0) supplier_ = std::string(record);
  } else if (*first < 0 || *first + (kind == kSend) > feed::kMostPartitions) {
    return Unknown();
  } else if (kind == kSends) {
    sends_ = *first;
  } else if (kind == kSend) {
    keys_[std::string(record)] = *first;
    keys_by_age_.emplace_back(record);
    sends_ = std::max(sends_, *first + 1);
  } else {
    return Unknown();
  }
  return {};
}

feed::StepResult FeedLog::Step(const feed::Event& event, Instant now) {
  feed::StepResult result = ledger_.Step(event, now);
  if (!result.changed) return result;
  std::vector<std::string> records = {kLedger + feed::EncodeRecord(event, now)};
  if (std::holds_alternative<feed::SourceEnded>(event) && !std::exchange(source_ended_, true)) {
    records.emplace_back(1, kSourceEnded);
  }
  Append(records);
  return result;
}

feed::StepResult FeedLog::Form(const Formed& formed, Instant now) {
  const feed::GenerationFormed event{formed.generation, formed.readers};
  feed::StepResult result = ledger_.Step(event, now);
  formed_ = formed;
  Append({RecordOf(formed), kLedger + feed::EncodeRecord(event, now)});
  return result;
}

std::optional<feed::PartitionId> FeedLog::FindSend(const std::string& key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? std::nullopt : std::optional(found->second);
}

feed::PartitionId FeedLog::AddSend(const std::string& key) {
  const feed::PartitionId partition = sends_++;
  keys_[key] = partition;
  keys_by_age_.push_back(key);
  if (keys_by_age_.size() > kMostKeys) {
    keys_.erase(keys_by_age_.front());
    keys_by_age_.pop_front();
  }
  Append({SendRecord(partition, key)});
  return partition;
}

void FeedLog::SetSupplier(std::optional<std::string> name) {
  supplier_ = std::move(name);
  Append({RecordOf(supplier_)});
}

void FeedLog::SetPlan(std::string plan) {
  plan_ = std::move(plan);
  Append({kPlan + plan_});
}

void FeedLog::SetRestoredPlan(std::string plan) {
  if (plan.empty() || plan == plan_ || plan == restored_plan_) return;
  restored_plan_ = std::move(plan);
  Append({kRestoredPlan + restored_plan_});
}

void FeedLog::Begin() { Append({kSends + Number(sends_)}); }

void FeedLog::BeginTerm(int64_t term) {
  const feed::LogTerm next{std::max(term, tail_.term() + 1), tail_.end()};
  tail_.AddTerm(next);
  Append({RecordOf(next)});
}

Status FeedLog::Extend(const std::vector<std::string>& records) {
  for (const std::string& record : records) HOWDAH_TRY_STATUS(Restore(record));
  file_.Append(records, [this] { return Snapshot(); });
  return {};
}

void FeedLog::Append(const std::vector<std::string>& records) {
  for (const std::string& record : records) tail_.Add(record);
  file_.Append(records, [this] { return Snapshot(); });
}

std::vector<std::string> FeedLog::Snapshot() const {
  std::vector<std::string> records = {kLedger + ledger_.Snapshot(), RecordOf(formed_), kSends + Number(sends_),
                                      RecordOf(supplier_)};
  if (source_ended_) records.emplace_back(1, kSourceEnded);
  if (!plan_.empty()) records.push_back(kPlan + plan_);
  if (!restored_plan_.empty()) records.push_back(kRestoredPlan + restored_plan_);
  for (const std::string& key : keys_by_age_) records.push_back(SendRecord(keys_.at(key), key));
  if (tail_.terms().empty()) return records;
  // The number of records comes before the terms, which it must not be less than, and again at the end.
  records.push_back(kRecords + Number(tail_.end()));
  for (const feed::LogTerm& term : tail_.terms()) records.push_back(RecordOf(term));
  records.push_back(kRecords + Number(tail_.end()));
  return records;
}

// --- FeedSeats ---

FeedSeats::FeedSeats(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed, bool alone)
    : spec_(spec), alone_(alone) {
  for (const int role : frameworks::FeedReadersOf(spec, feed)) {
    const jobspec::RoleSpec& of = spec.roles[static_cast<size_t>(role)];
    roles_.push_back({role, std::max(1, of.processes), of.instances.max});
  }
}

std::optional<FeedSeats::Position> FeedSeats::PositionOf(const core::StartTask& order,
                                                         const core::PeerGroup& peers) const {
  std::optional<Position> found;
  int readers = 0;
  for (const Reading& reading : roles_) {
    const auto role = static_cast<size_t>(reading.role);
    const int tasks = alone_ ? reading.most : role < peers.size() ? static_cast<int>(peers[role].size()) : 0;
    if (reading.role == order.task.role && order.slot >= 0 && order.slot < tasks) {
      found = Position{readers + order.slot * reading.processes, reading.processes};
    }
    readers += tasks * reading.processes;
  }
  if (!found || readers > feed::kMostRanks) return std::nullopt;
  found->readers = readers;
  return found;
}

bool FeedSeats::Has(const core::StartTask& order, const Position& position) const {
  if (position.readers != size()) return false;
  const Reader& reader = at(position.first);
  return reader.container == order.container && reader.attempt == order.attempt;
}

bool FeedSeats::NeedsGeneration(const core::StartTask& order, const Position& position) const {
  if (formed_.generation < 0 || incomplete_ || position.readers != size()) return true;
  return !alone_ && (order.generation > formed_.job_generation || at(position.first).attempt >= 0);
}

bool FeedSeats::RestartsAlone(const core::StartTask& order, const Position& position) const {
  // In a new generation of the job all its tasks start again, and some of the old ones may not be known to have ended.
  if (!NeedsGeneration(order, position) || incomplete_ || order.generation > formed_.job_generation) return false;
  for (int rank = 0; rank < size(); ++rank) {
    const bool other = rank < position.first || rank >= position.first + position.processes;
    const Reader& reader = at(rank);
    if (other && reader.attempt >= 0 && (reader.running || !reader.returns)) return true;
  }
  return false;
}

bool FeedSeats::complete() const {
  return std::all_of(readers_.begin(), readers_.end(), [](const Reader& reader) { return reader.attempt >= 0; });
}

void FeedSeats::Form(const FeedLog::Formed& formed) {
  formed_ = formed;
  incomplete_ = false;
  readers_.assign(static_cast<size_t>(std::max(0, formed.readers)), Reader{});
  first_.clear();
}

void FeedSeats::Take(const core::StartTask& order, const Position& position) {
  for (int k = 0; k < position.processes; ++k) {
    at(position.first + k) = {.container = order.container, .attempt = order.attempt, .running = true};
  }
  first_[order.container] = position.first;
}

void FeedSeats::Continue(const FeedLog::Formed& logged) {
  if (formed_.generation >= logged.generation) return;
  if (formed_.generation < 0) Form(logged);
  incomplete_ = true;
  formed_.generation = logged.generation;
  formed_.job_generation = std::max(formed_.job_generation, logged.job_generation);
}

std::vector<int> FeedSeats::Of(const ContainerId& container) const {
  std::vector<int> ranks;
  const auto first = first_.find(container);
  if (first == first_.end()) return ranks;
  for (int rank = first->second; rank < size() && at(rank).container == container; ++rank) ranks.push_back(rank);
  return ranks;
}

std::vector<int> FeedSeats::End(const ContainerId& container, std::optional<int> attempt,
                                std::optional<int> local_rank) {
  std::vector<int> ended;
  int local = 0;
  for (const int rank : Of(container)) {
    Reader& reader = at(rank);
    const bool named = (!attempt || reader.attempt == *attempt) && (!local_rank || local == *local_rank);
    ++local;
    if (named && std::exchange(reader.running, false)) ended.push_back(rank);
  }
  return ended;
}

std::set<ContainerId> FeedSeats::Running() const {
  std::set<ContainerId> running;
  for (const Reader& reader : readers_) {
    if (reader.running) running.insert(reader.container);
  }
  return running;
}

bool FeedSeats::Owns(const ContainerId& container, int rank) const {
  return rank >= 0 && rank < size() && at(rank).container == container && !at(rank).outdated;
}

std::vector<bool> FeedSeats::Expected(const journal::JobView& view) const {
  std::vector<bool> expected(static_cast<size_t>(size()), false);
  bool any = false;
  int offset = 0;
  for (const Reading& reading : roles_) {
    const std::string& name = spec_.roles[static_cast<size_t>(reading.role)].name;
    for (const journal::TaskView& task : view.tasks) {
      if (task.role != name || core::IsFinal(task.state)) continue;
      any = true;
      const int first = offset + task.index * reading.processes;
      for (int rank = first; rank < first + reading.processes && rank < size(); ++rank) {
        if (rank >= 0) expected[static_cast<size_t>(rank)] = true;
      }
    }
    offset += reading.most * reading.processes;
  }
  return any ? expected : std::vector<bool>();
}

}  // namespace howdah::am
