// The messages between the readers in a task's processes and their executor, over the unix socket that HOWDAH_FEED
// names (reader_socket.h). Every message is a JSON object of at most kMessageBytes. Pure.
//
//   request                                                        reply
//   {"open": feed, "local_rank": k, "attempt": a}                  {"feed", "reader", "readers", "passes", "pass",
//                                                                   "split", "remainder"}; "passes" is null for a
//                                                                   stream. The feed null is the job's only feed.
//   {"next": {"pass", "rows", "returned", "waiting"}}              {"blocks", "schemas", "slices"} or {"end"}
//   {"returned": {"pass", "rows"}}                                 {}
//   {"release": [block, ...], "after": id}                         {}
//   {"step": {"step", "pass", "rows", "wait"}}                     {}
//   {"checkpointed": step}                                         {}
//   {"found": step}                                                {"pass"}: where reading begins
//   {"commit": {"pass", "rows"}}                                   {}
//   {"stop": true}                                                 {}
//
// Every request may have the reply {"error": {"kind", "message"}} instead.
//
// A request may have a number, "id", which its reply repeats. Replies to `next` come in the order of the requests.
// Other replies may come before them, because a mark must not wait until a batch is there. So a process that sends
// several requests ahead numbers them from 1.
//
// A batch:
//   "blocks"   [{"id", "offset", "bytes", "schema", "rows"}, ...]: the blocks that this connection does not hold yet.
//   The
//              message carries one file descriptor for each of them, in this order. At `offset` of the file is an
//              encapsulated Arrow message of `bytes` bytes.
//   "schemas"  [{"id", "bytes"}, ...]: the schemas that the connection has not received yet: encapsulated Arrow
//   messages
//              in base64
//   "slices"   [[block, first row in the block, rows], ...]: the rows of the batch, in their order
//
// A block that a reply names is leased to the connection until it sends `release`. `after` is the id of the last `next`
// whose reply it has received: the release has no effect on a block that a later reply names.
//
// A large batch is divided into several messages: all except the last have {"more": true}. Their arrays continue each
// other. A schema may continue in the next entry, which then has the same id: each part is decoded by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "block_store.h"
#include "howdah/base/result.h"
#include "howdah/feed/action.h"
#include "howdah/feed/ledger.h"
#include "howdah/feed/receiver.h"
#include "howdah/os/files/fd.h"

namespace howdah::feed::server {

inline constexpr size_t kMessageBytes = size_t{128} << 10;
// The number of descriptors in one message. The kernel accepts 253.
inline constexpr size_t kMostFiles = 200;

struct OpenRequest {
  std::string feed;  // empty: the job's only feed
  int local_rank = 0;
  int attempt = 0;
};
struct NextRequest {
  int64_t pass = 0;
  int64_t rows = 0;
  int64_t returned = 0;  // rows of the pass that the program has got
  bool waiting = false;  // the program waits for the reply to the oldest `next` that has none
};
struct ReturnedRequest {
  int64_t pass = 0;
  int64_t rows = 0;
};
struct ReleaseRequest {
  std::vector<BlockId> blocks;
  std::optional<int64_t> after;  // nullopt: all replies were received
};
struct StepRequest {
  int64_t step = 0;
  int64_t pass = 0;
  int64_t rows = 0;
  bool wait = false;
};
struct CheckpointedRequest {
  int64_t step = 0;
};
struct FoundRequest {
  int64_t step = 0;
};
struct CommitRequest {
  int64_t pass = 0;
  int64_t rows = 0;
};
struct StopRequest {};
using ReaderRequest = std::variant<OpenRequest, NextRequest, ReturnedRequest, ReleaseRequest, StepRequest,
                                   CheckpointedRequest, FoundRequest, CommitRequest, StopRequest>;

struct NumberedRequest {
  int64_t id = 0;  // 0: not numbered
  // An error is for the author of the reader.
  Result<ReaderRequest> request = ReaderRequest(StopRequest());
};

// Accepts numbers from 0 to 2^53, and batches of 1 … kMostRows rows. Unknown fields have no effect.
NumberedRequest ParseReaderRequest(std::string_view text);

// An error that the reader raises.
struct ReaderError {
  enum class Kind { kLost, kChanged, kMisuse, kEmpty, kStopped };
  Kind kind = Kind::kMisuse;
  std::string message;
};
ReaderError ToReaderError(const FailFeed& failed);

// One message to a reader, with file descriptors.
struct ReaderMessage {
  std::string text;
  std::vector<std::shared_ptr<const os::files::Fd>> files = {};
};
// The reply to one request: one or more messages.
using ReaderReply = std::vector<ReaderMessage>;

struct OpenedReader {
  std::string feed;
  int reader = 0;
  int readers = 0;
  std::optional<int64_t> passes;
  int64_t pass = 0;
  Split split = Split::kEqual;
  Remainder remainder = Remainder::kDrop;
};
struct ReaderBatch {
  std::vector<std::pair<BlockId, BlockStore::Place>> blocks;
  std::vector<std::shared_ptr<const BlockSchema>> schemas;
  std::vector<Slice> slices;
};

// Makes the reply that of a numbered request; no effect if id is 0.
ReaderReply WithId(int64_t id, ReaderReply reply);

ReaderReply EmptyReply();
ReaderReply ErrorReply(const ReaderError& error);
ReaderReply OpenReply(const OpenedReader& opened);
ReaderReply FoundReply(int64_t pass);
ReaderReply EndReply(const ClosePass& end);
ReaderReply BatchReply(const ReaderBatch& batch);

}  // namespace howdah::feed::server
