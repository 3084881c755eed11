#include "text.h"

#include <variant>

namespace howdah::testing::feed_sim {
namespace {

std::string Of(const feed::ReaderId& reader) {
  return " rank " + std::to_string(reader.rank) + "/" + std::to_string(reader.incarnation);
}
std::string Of(const char* name, int64_t value) { return std::string(" ") + name + " " + std::to_string(value); }
std::string Of(const feed::Rows& rows) { return "[" + std::to_string(rows.from) + "," + std::to_string(rows.to) + ")"; }

// The fields that several types have.
template <typename T>
std::string Common(const char* name, const T& value) {
  std::string text = name;
  if constexpr (requires { value.reader; }) text += Of(value.reader);
  if constexpr (requires { value.pass; }) text += Of("pass", value.pass);
  if constexpr (requires { value.partition; }) text += Of("partition", value.partition);
  if constexpr (requires { value.at; }) text += Of("at", value.at);
  if constexpr (requires { value.from; }) text += Of("from", value.from);
  if constexpr (requires { value.rows.from; }) {
    text += " " + Of(value.rows);
  } else if constexpr (requires { value.rows; }) {
    text += Of("rows", value.rows);
  }
  if constexpr (requires { value.step; }) text += Of("step", value.step);
  if constexpr (requires { value.call; }) text += Of("call", value.call);
  if constexpr (requires { value.generation; }) text += Of("generation", value.generation);
  if constexpr (requires { value.ranks; }) text += Of("ranks", value.ranks);
  if constexpr (requires { value.rank; }) text += Of("rank", value.rank);
  if constexpr (requires { value.batch; }) text += Of("batch", value.batch);
  if constexpr (requires { value.bytes; }) text += Of("bytes", value.bytes);
  if constexpr (requires { value.waiting; }) text += value.waiting ? " waiting" : "";
  if constexpr (requires { value.left_out; }) text += Of("left out", value.left_out) + Of("repeated", value.repeated);
  if constexpr (requires { value.message; }) text += " " + value.message;
  return text;
}

struct Names {
  std::string operator()(const feed::GenerationFormed& e) const { return Common("GenerationFormed", e); }
  std::string operator()(const feed::RankLost& e) const {
    return Common("RankLost", e) + (e.returns ? "" : " for good");
  }
  std::string operator()(const feed::RankStarted& e) const { return Common("RankStarted", e); }
  std::string operator()(const feed::CheckpointFound& e) const { return Common("CheckpointFound", e); }
  std::string operator()(const feed::ReadingStopped& e) const { return Common("ReadingStopped", e); }
  std::string operator()(const feed::ReaderSynced& e) const { return Common("ReaderSynced", e); }
  std::string operator()(const feed::ReaderOpened& e) const { return Common("ReaderOpened", e); }
  std::string operator()(const feed::KeptRowsOffered& e) const { return Common("KeptRowsOffered", e); }
  std::string operator()(const feed::RowsReceived& e) const { return Common("RowsReceived", e); }
  std::string operator()(const feed::RowsMoved& e) const { return Common("RowsMoved", e); }
  std::string operator()(const feed::RowsHandedOut& e) const { return Common("RowsHandedOut", e); }
  std::string operator()(const feed::StepReported& e) const { return Common("StepReported", e); }
  std::string operator()(const feed::CheckpointReported& e) const { return Common("CheckpointReported", e); }
  std::string operator()(const feed::CommitCalled& e) const { return Common("CommitCalled", e); }
  std::string operator()(const feed::PartitionEnded& e) const { return Common("PartitionEnded", e); }
  std::string operator()(const feed::SourceEnded& e) const { return "SourceEnded" + Of("partitions", e.partitions); }
  std::string operator()(const feed::SourceConnected& e) const { return Common("SourceConnected", e); }
  std::string operator()(const feed::SourceLost& e) const { return Common("SourceLost", e); }
  std::string operator()(const feed::AmResumed& e) const { return Common("AmResumed", e); }
  std::string operator()(const feed::Ticked& e) const { return Common("Ticked", e); }
  std::string operator()(const feed::SourceFailed& e) const { return Common("SourceFailed", e); }
  std::string operator()(const feed::PointFound& e) const { return Common("PointFound", e); }
  std::string operator()(const feed::ReaderLeft& e) const { return Common("ReaderLeft", e); }
  std::string operator()(const feed::TermBegun& e) const { return Common("TermBegun", e); }

  std::string operator()(const feed::OpenPass& a) const { return Common("OpenPass", a); }
  std::string operator()(const feed::AcceptRows& a) const {
    std::string text = Common("AcceptRows", a) + " of " + Of(a.offered);
    for (const auto& placed : a.placed) text += " " + Of(placed.rows) + "@" + std::to_string(placed.at);
    return text;
  }
  std::string operator()(const feed::GrantCredit& a) const { return Common("GrantCredit", a); }
  std::string operator()(const feed::Seal& a) const { return Common("Seal", a) + (a.short_batch ? " short" : ""); }
  std::string operator()(const feed::Reassign& a) const { return Common("Reassign", a) + (a.repeat ? " repeat" : ""); }
  std::string operator()(const feed::ClosePass& a) const { return Common("ClosePass", a); }
  std::string operator()(const feed::Committed& a) const { return Common("Committed", a); }
  std::string operator()(const feed::RequestRows& a) const {
    std::string text = Common("RequestRows", a);
    for (const feed::Rows& rows : a.partitions) text += " " + Of(rows);
    return text;
  }
  std::string operator()(const feed::EndFeed& a) const { return Common("EndFeed", a); }
  std::string operator()(const feed::FailFeed& a) const { return Common("FailFeed", a); }
};

}  // namespace

std::string ToText(const feed::Event& event) { return std::visit(Names{}, event); }
std::string ToText(const feed::Action& action) { return std::visit(Names{}, action); }

}  // namespace howdah::testing::feed_sim
