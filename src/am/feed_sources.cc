#include "feed_sources.h"

#include <algorithm>
#include <chrono>

#include "howdah/feed/messages.h"

namespace howdah::am {
namespace {

// In one turn of the loop, at most this many questions are checked, and at most this many of the sources that waited
// are sent to one reader: a reader with room for one block cannot use more.
constexpr size_t kAsksPerTurn = 256;
constexpr int kSourcesPerReader = 8;

constexpr Duration kWindow = std::chrono::minutes(1), kSampleInterval = std::chrono::seconds(1);
// A smaller share of waiting is not mentioned.
constexpr double kNoticed = 0.1;

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

bool NamesReader(const wire::FeedAsk& question) { return question.has_reader() || question.claim() != 0; }

wire::FeedReply WaitReply(uint64_t id) {
  wire::FeedReply reply;
  reply.set_id(id);
  reply.set_answer(feed::EncodeAnswer(feed::Answer{}));
  return reply;
}

std::string Percent(double share) { return std::to_string(static_cast<int>(share * 100 + 0.5)) + " %"; }

}  // namespace

void FeedSources::OnCall(const ContainerId& from, const wire::FeedCall& call) {
  const CallId id{from, call.id()};
  switch (call.what_case()) {
    case wire::FeedCall::kAsk:
      return OnAsk({from, call.id(), call.ask(), clock_.Now() + longest_wait_});
    case wire::FeedCall::kSupply:
      return OnSupply(id, call.supply().name());
    case wire::FeedCall::kSupplyEnded:
      return EndSupply(id);
    case wire::FeedCall::kSend:
      return OnSend(id, call.send().key());
    case wire::FeedCall::kPlan:
      return files_.OnPlan(id, call.plan().text(), clock_.Now() + longest_wait_);
    case wire::FeedCall::kPoint:
      return OnPoint(id, call.point());
    case wire::FeedCall::kClose: {
      wire::FeedReply reply;
      reply.set_id(call.id());
      if (const Status closed = Close(); !closed.ok()) reply.set_error(closed.error().message);
      return owner_.Reply(from, reply);
    }
    default: {
      wire::FeedReply reply;
      reply.set_id(call.id());
      reply.set_error("the application master does not know this request about a feed");
      return owner_.Reply(from, reply);
    }
  }
}

// --- questions ---

void FeedSources::OnAsk(Ask ask) {
  std::map<int, int> sent;
  if (TryAnswer(ask, sent)) return;
  if (asks_.size() >= kMostAsks) {
    owner_.Reply(asks_.begin()->second.from, WaitReply(asks_.begin()->second.id));
    Remove(asks_.begin());
  }
  naming_ += NamesReader(ask.question) ? 1 : 0;
  asks_.emplace(++last_ask_, std::move(ask));
}

std::map<uint64_t, FeedSources::Ask>::iterator FeedSources::Remove(std::map<uint64_t, Ask>::iterator ask) {
  naming_ -= NamesReader(ask->second.question) ? 1 : 0;
  return asks_.erase(ask);
}

bool FeedSources::TryAnswer(const Ask& ask, std::map<int, int>& sent) {
  const wire::FeedAsk& question = ask.question;
  const feed::Answer answer = log_.ledger().Ask(question.pass(), question.partition(), question.near(),
                                                question.has_reader() ? question.reader() : -1);
  if (answer.what == feed::Answer::What::kWait || !log_.file().written().ok()) return false;
  wire::FeedReply reply;
  reply.set_id(ask.id);
  if (answer.what == feed::Answer::What::kSend) {
    if (!files_.Claim(ask.from, question)) {
      if (question.patient()) return false;
      reply.set_busy(true);
      owner_.Reply(ask.from, reply);
      return true;
    }
    const wire::FeedServes* place = owner_.PlaceOf(answer.rank);
    if (place == nullptr || ++sent[answer.rank] > kSourcesPerReader) return false;
    reply.set_path(place->unix_path());
    reply.set_host(place->host());
    reply.set_port(place->port());
  }
  reply.set_answer(feed::EncodeAnswer(answer));
  owner_.Reply(ask.from, reply);
  return true;
}

void FeedSources::Recheck() {
  std::map<int, int> sent;
  unchecked_ = std::min(unchecked_, asks_.size());
  for (size_t left = std::min(unchecked_, kAsksPerTurn); left > 0; --left, --unchecked_) {
    auto next = asks_.upper_bound(cursor_);
    if (next == asks_.end()) next = asks_.begin();
    cursor_ = next->first;
    if (TryAnswer(next->second, sent)) Remove(next);
  }
}

std::optional<Instant> FeedSources::Deadline() const {
  const std::optional<Instant> plan = files_.Deadline();
  if (asks_.empty()) return plan;
  const Instant ask = asks_.begin()->second.until;
  return plan ? std::min(*plan, ask) : ask;
}

void FeedSources::OnTime(Instant now) {
  while (!asks_.empty() && asks_.begin()->second.until <= now) {
    owner_.Reply(asks_.begin()->second.from, WaitReply(asks_.begin()->second.id));
    Remove(asks_.begin());
  }
  files_.OnTime(now);
}

void FeedSources::OnPoint(const CallId& call, int64_t step) {
  wire::FeedReply reply;
  reply.set_id(call.second);
  wire::FeedPoint point;
  point.set_rows(log_.ledger().PointAt(step));
  point.set_plan(log_.plan());
  if (point.rows().size() > kLongestPoint) {
    reply.set_error("the position of the feed " + feed_ + " has " + std::to_string(point.rows().size()) +
                    " bytes; the limit is " + std::to_string(kLongestPoint) + ": use a smaller `shuffle`");
  } else {
    reply.set_point(point.SerializeAsString());
  }
  owner_.Reply(call.first, reply);
}

// --- suppliers ---

void FeedSources::OnSupply(const CallId& call, const std::string& name) {
  wire::FeedReply reply;
  reply.set_id(call.second);
  if (log_.ledger().progress().over) {
    SetEnd(reply);
    return owner_.Reply(call.first, reply);
  }
  if (suppliers_.size() >= kMostSuppliers) {
    reply.set_error("the feed " + feed_ + " has " + std::to_string(kMostSuppliers) + " suppliers, which is the limit");
    return owner_.Reply(call.first, reply);
  }
  suppliers_[call] = name;
  if (log_.supplier() != name) log_.SetSupplier(name);
  owner_.Step(feed::SourceConnected{name});
}

void FeedSources::EndSupply(const CallId& call) {
  const auto found = suppliers_.find(call);
  if (found == suppliers_.end()) return;
  const std::string name = found->second;
  suppliers_.erase(found);
  if (files_.Forget(call.first, /*lost=*/false)) RecheckAll();
  NoteNoSupplier(name);
}

void FeedSources::NoteNoSupplier(const std::string& name) {
  if (!log_.supplier()) return;
  if (!suppliers_.empty()) {
    const auto is_named = [this](const auto& supplier) { return supplier.second == *log_.supplier(); };
    if (std::any_of(suppliers_.begin(), suppliers_.end(), is_named)) return;
    // Messages name a supplier that is connected.
    log_.SetSupplier(suppliers_.begin()->second);
    return owner_.Step(feed::SourceConnected{suppliers_.begin()->second});
  }
  log_.SetSupplier(std::nullopt);
  owner_.Step(feed::SourceLost{name});
}

void FeedSources::Resume() {
  if (log_.supplier()) NoteNoSupplier(*log_.supplier());
}

void FeedSources::Forget(const ContainerId& from) {
  for (auto ask = asks_.begin(); ask != asks_.end();) ask = ask->second.from == from ? Remove(ask) : std::next(ask);
  if (files_.Forget(from, /*lost=*/true)) RecheckAll();
  std::string name;
  const auto is_lost = [&](const auto& supplier) {
    if (supplier.first.first != from) return false;
    name = supplier.second;
    return true;
  };
  if (std::erase_if(suppliers_, is_lost) > 0) NoteNoSupplier(name);
}

void FeedSources::Request(const feed::RequestRows& request) {
  wire::FeedReply reply;
  reply.set_pass(request.pass);
  reply.set_plan(log_.restored_plan());
  for (const feed::Rows& partitions : request.partitions) {
    wire::FeedRows& rows = *reply.add_requested();
    rows.set_from(partitions.from);
    rows.set_to(partitions.to);
  }
  for (const auto& [call, name] : suppliers_) {
    reply.set_id(call.second);
    owner_.Reply(call.first, reply);
  }
}

void FeedSources::SetEnd(wire::FeedReply& reply) const {
  reply.set_over(!failed_);
  reply.set_failed(failed_.value_or(""));
  reply.set_job_ends(job_ends_);
}

void FeedSources::End(const std::optional<std::string>& failed) {
  if (failed) failed_ = failed;
  wire::FeedReply reply;
  SetEnd(reply);
  const std::map<CallId, std::string> all = std::exchange(suppliers_, {});
  for (const auto& [call, name] : all) {
    reply.set_id(call.second);
    owner_.Reply(call.first, reply);
  }
  // The ranks may restart from a commit before the end, and then miss the source.
  if (!all.empty()) NoteNoSupplier(all.begin()->second);
}

// --- sends ---

void FeedSources::OnSend(const CallId& call, const std::string& key) {
  wire::FeedReply reply;
  reply.set_id(call.second);
  reply.set_partition(-1);
  // A repeated call without a key has the same id. The first byte keeps both kinds of keys apart.
  const std::string unique = key.empty() ? "c" + call.first.text + " " + std::to_string(call.second) : "k" + key;
  const auto before = log_.FindSend(unique);
  if (key.size() > kLongestKey) {
    reply.set_error("the key of a send to the feed " + feed_ + " has " + std::to_string(key.size()) +
                    " bytes; the limit is " + std::to_string(kLongestKey));
  } else if (failed_) {
    reply.set_error("the feed " + feed_ + " has failed: " + *failed_);
  } else if (log_.ledger().progress().over) {
    // No rows are wanted: the send ends successfully.
  } else if (before) {
    const bool arrived = log_.ledger().Ask(0, *before).what == feed::Answer::What::kDone;
    if (!arrived) reply.set_partition(*before);
  } else if (log_.source_ended() || log_.sends() >= feed::kMostPartitions) {
    reply.set_error("the feed " + feed_ + " is closed; send before close()");
  } else {
    reply.set_partition(log_.AddSend(unique));
  }
  owner_.Reply(call.first, reply);
}

Status FeedSources::Close() {
  if (log_.source_ended() || log_.ledger().progress().over) return {};
  if (log_.sends() < most_partitions_) {
    return Failed("the feed " + feed_ +
                  " has a source that ends it; only a feed that is written by send() can be closed");
  }
  owner_.Step(feed::SourceEnded{log_.sends()});
  return {};
}

// --- FeedMeter ---

FeedMeter::Sums FeedMeter::SumsAt(Instant now) const {
  Sums sums = sums_;
  const double passed = Seconds(std::max(Duration::zero(), Duration(now - since_)));
  sums.readers_waited += passed * readers_waiting_;
  if (sources_wait_) sums.sources_waited += passed;
  return sums;
}

void FeedMeter::Advance(Instant now) {
  sums_ = SumsAt(now);
  since_ = std::max(since_, now);
  if (since_ - samples_.back().first < kSampleInterval) return;
  samples_.emplace_back(since_, sums_);
  while (samples_.size() > 1 && since_ - samples_[1].first >= kWindow) samples_.pop_front();
}

void FeedMeter::HandedOut(Instant now, const feed::RowsHandedOut& event) {
  Advance(now);
  Reader& reader = readers_[event.reader.rank];
  if (reader.incarnation != event.reader.incarnation || reader.pass != event.pass) {
    reader.incarnation = event.reader.incarnation;
    reader.pass = event.pass;
    reader.rows = 0;
  }
  sums_.rows += std::max<int64_t>(0, event.rows - reader.rows);
  reader.rows = std::max(reader.rows, event.rows);
  Waits(now, event.reader.rank, event.waiting);
}

void FeedMeter::Answered(Instant now, int64_t rows) {
  Advance(now);
  sums_.rows += rows;
}

void FeedMeter::Waits(Instant now, int rank, bool waits) {
  Advance(now);
  Reader& reader = readers_[rank];
  readers_waiting_ += static_cast<int>(waits) - static_cast<int>(reader.waits);
  reader.waits = waits;
}

void FeedMeter::NoReaderWaits(Instant now) {
  Advance(now);
  readers_.clear();
  readers_waiting_ = 0;
}

void FeedMeter::SourcesWait(Instant now, bool wait) {
  if (wait == sources_wait_) return;
  Advance(now);
  sources_wait_ = wait;
}

journal::FeedView FeedMeter::View(Instant now, int readers, const std::string& supplier) const {
  // The oldest sample of the last minute. While nothing happens, samples are older.
  auto from = samples_.begin();
  while (std::next(from) != samples_.end() && now - std::next(from)->first >= kWindow) ++from;
  const Sums sums = SumsAt(now);
  const double passed = Seconds(now - from->first);
  journal::FeedView view;
  view.bytes = bytes_;
  view.unix_bytes = unix_bytes_;
  view.tls_bytes = tls_bytes_;
  view.left_out = left_out_;
  view.repeated = repeated_;
  if (passed <= 0) return view;
  view.rows_per_second = static_cast<double>(sums.rows - from->second.rows) / passed;
  view.readers_waited =
      std::min(1.0, (sums.readers_waited - from->second.readers_waited) / passed / std::max(1, readers));
  view.sources_waited = std::min(1.0, (sums.sources_waited - from->second.sources_waited) / passed);
  if (view.readers_waited >= kNoticed && view.readers_waited >= view.sources_waited) {
    view.bottleneck = "ranks waited " + Percent(view.readers_waited) + " of the time for " + supplier;
  } else if (view.sources_waited >= kNoticed) {
    view.bottleneck = "sources waited " + Percent(view.sources_waited) + " of the time for the ranks";
  }
  return view;
}

}  // namespace howdah::am
