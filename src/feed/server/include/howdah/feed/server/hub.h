// The feeds of one task: connects the processes that read rows, the sources that send them, the executors of other
// tasks, and the AM.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/feed/ledger.h"
#include "howdah/rpc/identity.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::feed::server {

// The files that a feed reads.
struct FeedFiles {
  std::vector<std::string> from;     // URIs and absolute paths; empty: other sources send the rows
  std::string format;                // empty: that of the files' names
  std::vector<std::string> columns;  // empty: all
};

// One feed of the job.
struct FeedPlan {
  std::string name;
  Options options;
  int64_t spool = 0;  // bytes on the disk of the task for rows that are read again
  // The feed has questions and answers. Only name and options.buffer then have an effect.
  bool answers = false;
  FeedFiles files = {};
};

// One per executor. Has a unix socket for the processes of the task (reader_socket.h), and an Arrow Flight server for
// sources and other executors (flight_server.h).
//
// Used on the loop only. Starts no thread; gRPC has its own.
class Hub {
 public:
  struct Settings {
    std::vector<FeedPlan> feeds;
    int processes = 1;                                // of the task
    Duration longest_wait = std::chrono::minutes(5);  // of a question until a process serves its feed
    // For the sockets: created with mode 0700, and removed by the destructor. It must not exist, and has at most 90
    // bytes, because the paths of unix sockets are short.
    std::string socket_directory;
    std::string spool_directory;  // on the disk of the task; must exist when an attempt runs
    std::string tls_host;         // an IP address of this machine, at which Flight is served with TLS. Empty: it is not
    rpc::Identity identity;       // of the executor

    // The unix socket of the Flight server.
    std::string flight_path() const { return socket_directory + "/flight"; }
    // The unix socket for sources on this machine, which find it beside that of the Flight server.
    std::string source_path() const { return socket_directory + "/put"; }
  };
  struct Handlers {
    // Sends a message to the AM, or drops it if no AM is connected. Must not call the Hub.
    std::function<void(const wire::FromExecutor&)> send;
    std::function<void(const std::string& line)> log;  // for the log of the executor
  };

  static Result<std::unique_ptr<Hub>> Start(boost::asio::io_context& loop, Settings settings, Handlers handlers);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  // The value of HOWDAH_FEED.
  const std::string& reader_path() const;

  // A Register was sent to an AM, perhaps to another one than before: sends FeedServes, and everything that an AM may
  // not have received.
  void OnRegistered();
  // Carries out feed_places, feed_orders and feed_reply, in this order. Other fields have no effect.
  void OnMessage(const wire::ToExecutor& message);
  // An attempt is about to start. Call it before OnMessage for the same message, and before its processes start.
  void OnStart(const wire::Start& start);
  // No process of the attempt is left: their leases end.
  void OnAttemptEnded();
  // A process has written `step N` or `checkpoint N` to HOWDAH_PROGRESS. Has no effect if its reader reports steps
  // itself. Otherwise the step is the mark of the rows that the process has got so far.
  void OnStepLine(int local_rank, int64_t step);
  void OnCheckpointLine(int local_rank, int64_t step);

 private:
  class Impl;
  explicit Hub(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::feed::server
