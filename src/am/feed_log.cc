#include "feed_log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/frameworks/feed.h"
#include "howdah/os/files/files.h"

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

// The file may grow to this multiple of the newest snapshot, and at least to kSmallest, so that snapshots cost a
// fraction of all writes.
constexpr size_t kGrowth = 4, kSmallest = size_t{1} << 20;

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

size_t SizeOf(const std::vector<std::string>& records) {
  size_t size = 0;
  for (const std::string& record : records) size += record.size();
  return size;
}

}  // namespace

FeedLog::FeedLog(const feed::Options& options, os::files::RecordFile file)
    : file_(std::move(file)), ledger_(options), compact_at_(kSmallest) {}

Result<FeedLog> FeedLog::Open(const std::string& path, const feed::Options& options) {
  // Restore needs the object, and the object needs the open file, so the file is read in a second step.
  auto file = os::files::RecordFile::Open(path, [](std::string_view) { return Status(); });
  if (!file.ok()) return file.error();
  FeedLog log(options, std::move(*file));
  HOWDAH_TRY_STATUS(os::files::ReadRecords(path, [&log](std::string_view record) {
    log.bytes_ += record.size();
    return log.Restore(record);
  }));
  return log;
}

Status FeedLog::Restore(std::string_view record) {
  if (record.empty()) return Unknown();
  const char kind = record.front();
  record.remove_prefix(1);
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
  Append(std::move(records));
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

void FeedLog::WhenWritten(std::function<void()> then) {
  if (written_.ok() && held_.empty()) return then();
  held_.push_back(std::move(then));
}

const Status& FeedLog::Flush() {
  written_ = file_.Append({});
  while (written_.ok() && !held_.empty()) {
    const std::function<void()> then = std::move(held_.front());
    held_.pop_front();
    then();
  }
  return written_;
}

void FeedLog::Append(std::vector<std::string> records) {
  bytes_ += SizeOf(records);
  written_ = file_.Append(records);
  if (written_.ok() && bytes_ >= compact_at_) Compact();
}

void FeedLog::Compact() {
  std::vector<std::string> records = {kLedger + ledger_.Snapshot(), RecordOf(formed_), kSends + Number(sends_),
                                      RecordOf(supplier_)};
  if (source_ended_) records.emplace_back(1, kSourceEnded);
  if (!plan_.empty()) records.push_back(kPlan + plan_);
  if (!restored_plan_.empty()) records.push_back(kRestoredPlan + restored_plan_);
  for (const std::string& key : keys_by_age_) records.push_back(SendRecord(keys_.at(key), key));
  const size_t size = SizeOf(records);
  compact_at_ = std::max(kSmallest, size * kGrowth);
  const Status replaced = ReplaceFile(records);
  if (replaced.ok()) {
    bytes_ = size;
    return;
  }
  // The old file is complete, so a snapshot can be written later.
  compact_at_ = std::max(compact_at_, bytes_ * 2);
  std::cerr << "shortening " << path() << ": " << replaced.error().message
            << "; the file grows until a later attempt\n";
}

Status FeedLog::ReplaceFile(const std::vector<std::string>& records) {
  const std::string path = file_.path();
  const std::string temporary = path + ".new";
  const auto ignore = [](std::string_view) { return Status(); };
  HOWDAH_TRY_STATUS(os::files::RemoveTree(temporary));
  auto next = os::files::RecordFile::Open(temporary, ignore);
  if (!next.ok()) return next.error();
  HOWDAH_TRY_STATUS(next->Append(records));
  if (rename(temporary.c_str(), path.c_str()) != 0) return os::files::SystemError("renaming " + temporary);
  auto reopened = os::files::RecordFile::Open(path, ignore);
  // From here on, records in the old file would be lost, so an error must stop all writes.
  if (!reopened.ok()) {
    written_ = reopened.error();
    return reopened.error();
  }
  file_ = std::move(*reopened);
  return {};
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
