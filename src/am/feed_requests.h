// Answers clients' requests about the feeds of the job (wire::FeedRequest).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/wire/control.pb.h"

namespace howdah::am {

// Call it only on the thread of the AM's loop.
class FeedRequests {
 public:
  struct Ports {
    // Returns the URIs at which executors accept rows of the feed ("grpc+unix:///…", "grpc+tls://host:port"). Returns
    // none while no executor listens, and an error, for people, if none will listen because the feed is over.
    std::function<Result<std::vector<std::string>>(const std::string& feed)> locations;
    // Returns the feed's token (feed_token.h).
    std::function<std::string(const std::string& feed)> token;
    // Closes the feed: it has the partitions that were sent so far. Calls `done` once, when this is in the log.
    std::function<void(const std::string& feed, std::function<void(Status)> done)> close;
  };
  using Reply = std::function<void(wire::ControlReply)>;

  // spec must live longer than this object. The ports are used only for feeds of the job file. limit: the longest time
  // that a request for an address waits.
  FeedRequests(boost::asio::io_context& loop, const jobspec::JobSpec& spec, Ports ports,
               Duration limit = std::chrono::seconds(60))
      : loop_(loop), spec_(spec), ports_(std::move(ports)), limit_(limit) {}

  // Calls `reply` once, immediately or later, but not after the destructor has begun.
  void Answer(const wire::FeedRequest& request, Reply reply);

  // To be called when an executor has begun to listen, and when a feed has ended: answers the requests that waited for
  // it.
  void OnLocationsChanged();

 private:
  struct Waiting {
    std::string feed;
    Reply reply;
    boost::asio::steady_timer limit;
  };
  void AnswerAddress(const std::string& feed, Reply reply);
  // Replies if the locations are known, or never will be. Returns false if the request must wait.
  bool TryAddress(const std::string& feed, const Reply& reply) const;

  boost::asio::io_context& loop_;
  const jobspec::JobSpec& spec_;
  const Ports ports_;
  const Duration limit_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, Waiting> waiting_;  // in the order of arrival
};

}  // namespace howdah::am
