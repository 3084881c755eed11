// The requests of sources (DoAction of Flight), which the AM answers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "feed_calls.h"
#include "flight_server.h"

namespace howdah::feed::server {

// Translates between the JSON texts of sources and FeedCalls:
//
//   type              body                                   results
//   ask               {"feed", "pass", "partition"}, and     {"what": "send", "missing": [[from, to], ...], "reader",
//                     below                                  "locations": [URI, ...]}, or {"what": "wait"},
//                                                            {"what": "done"}, {"what": "over"}. The last `to` is null
//                                                            if the end of the partition is not known. "limit": the
//                                                            rows after which the source asks again
//   partition-ended   {"feed", "pass", "partition", "rows"}  {}. "digest": the sum, modulo 2^64, of the digests of all
//                                                            blocks of the partition
//   source-ended      {"feed", "partitions"}                 {}
//   supply            {"feed", "name"}                       {"request": {"pass", "partitions": [[from, to], ...]}}
//                                                            whenever rows are wanted, and then {"over": true} or
//                                                            {"failed": text}. With "over", "job_ends": true if the
//                                                            job has begun to end
//                                                            With "request", "restored": the plan of the checkpoint
//                                                            that the job continues, if it may be another one
//   send              {"feed", "key"}                        {"partition"}: a number, or null: the key was sent before
//   close             {"feed"}                               {}
//   plan              {"feed", "plan"}: a text, or null      {"plan": text}: the first text that a source has sent; or
//                                                            {"plan": null}: ask again; or
//                                                            {"plan": null, "make": true}: there is none, and this
//                                                            source must make it
//
// Processes that read files ask with further fields. "reader": the only reader that gets the rows (feed::Ledger::Ask).
// "near": the reader to prefer; null: none. "claim": a number above 0, of this process among those of its executor:
// only one process may send the partition, and the others get {"what": "busy"}; with "patient": true they wait.
//
// Used on the owner's loop only.
class SourceActions {
 public:
  struct Ports {
    // The reader with which this executor can exchange data fastest; -1 if it has none.
    std::function<int(const std::string& feed)> near;
    // The answer to a source names the reader to which it sends the rows of a partition.
    std::function<void(const std::string& feed, int64_t pass, PartitionId partition, int reader)> on_wanted;
  };
  // calls must live longer than this object.
  SourceActions(FeedCalls& calls, Ports ports) : calls_(calls), ports_(std::move(ports)) {}

  // As FlightServer::Handlers::on_action and on_cancelled.
  void OnAction(uint64_t id, const std::string& type, const std::string& body, FlightServer::Handlers::Call call);
  void OnCancelled(uint64_t id);

 private:
  // Sends a call. answer: the results for a reply.
  void Begin(uint64_t id, wire::FeedCall message, FlightServer::Handlers::Call call,
             std::function<Result<std::string>(const wire::FeedReply&)> answer);
  Result<std::string> AskAnswer(const wire::FeedCall& asked, const wire::FeedReply& reply) const;

  FeedCalls& calls_;
  Ports ports_;
  std::map<uint64_t, uint64_t> open_;  // the ids of the FeedCalls by those of the actions
};

}  // namespace howdah::feed::server
