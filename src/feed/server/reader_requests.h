// The messages between the readers in a task's processes and their executor, over the unix socket that HOWDAH_FEED
// names (reader_socket.h). Every message is a JSON object of at most kMessageBytes. Pure.
//
//   request                                                        reply
//   {"open": feed, "local_rank": k, "attempt": a}                  {"feed", "reader", "readers", "passes", "pass",
//                                                                   "split", "remainder"}; "passes" is null for a
//                                                                   stream. The feed null is the job's only feed. And
//                                                                   "source", if the process must read the files of the
//                                                                   feed for this reader: one connection of each reader
//   {"next": {"pass", "rows", "batches", "returned",               {"blocks", "schemas", "slices"} or {"end"}
//             "waiting"}}
//   {"returned": {"pass", "rows"}}                                 {}
//   {"release": [block, ...], "after": id}                         {}
//   {"step": {"step", "pass", "rows", "wait"}}                     {}
//   {"checkpointed": step}                                         {}
//   {"found": step, "bytes": n}                                    {"pass"}: where reading begins. With n > 0 the
//                                                                   message carries the descriptor of a memory file,
//                                                                   whose first n bytes are the point of this step
//   {"point": step}                                                {"bytes": n}: the rows that a checkpoint of this
//                                                                   step covers, as the first n bytes of a memory
//                                                                   file, whose descriptor the message carries
//   {"commit": {"pass", "rows"}}                                   {}
//   {"stop": true}                                                 {}: no reader reads further rows
//   {"leave": true}                                                {}: this reader needs no further rows. It must
//                                                                   read on until all have left
//   {"source_failed": {"message", "changed"}}                      {}: the files cannot be read, so the feed fails
//
// A feed with answers has other requests:
//
//   {"serve": feed, "local_rank": k, "attempt": a}                 {"feed"}. The feed null is the only one with
//                                                                   answers.
//   {"take": true}                                                 {"blocks", "schemas", "question", "exchange",
//                                                                   "block"}: a question, as soon as there is one
//   {"answer": question, "bytes": n}                               {}. The message carries the descriptor of a memory
//                                                                   file whose first n bytes are the answer. With n = 0
//                                                                   it carries none.
//   {"refuse": question, "message": text}                          {}. The client gets this text.
//
// A question is one block. It is leased until its answer or refusal is sent. "exchange" numbers the calls of clients to
// this executor, and "block" the blocks of a call. `take` has the error FeedStopped when no question will follow.
//
// Every request may have the reply {"error": {"kind", "message"}} instead.
//
// A request may have a number, "id", which its reply repeats. Replies to `next` come in the order of the requests.
// Other replies may come before them, because a mark must not wait until a batch is there. So a process that sends
// several requests ahead numbers them from 1.
//
// Unless the pass has ended, the reply to `next` has as many batches as are there: at least one, and at most `batches`
// (default 1). Each has `rows` rows. Only the last batch of a pass may be shorter.
//
// The rows of a reply:
//   "blocks"   [{"id", "offset", "bytes", "schema", "rows"}, ...]: the blocks that this connection does not hold
//              yet. The message carries one file descriptor for each of them, in this order. At `offset` of the file
//              is an encapsulated Arrow message of `bytes` bytes.
//   "schemas"  [{"id", "bytes"}, ...]: the schemas that the connection has not received yet: encapsulated Arrow
//              messages in base64
//   "slices"   [[block, first row in the block, rows], ...]: the rows, in their order
//
// A block that a reply names is leased to the connection until it sends `release`. `after` is the id of the last `next`
// whose reply it has received: the release has no effect on a block that a later reply names.
//
// A large reply is divided into several messages: all except the last have {"more": true}. Their arrays continue each
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
#include "howdah/feed/server/hub.h"
#include "howdah/os/files/fd.h"
#include "question_queue.h"

namespace howdah::feed::server {

inline constexpr size_t kMessageBytes = size_t{128} << 10;
// The number of descriptors in one message. The kernel accepts 253.
inline constexpr size_t kMostFiles = 200;
inline constexpr int64_t kMostBatches = 1024;  // of one reply

struct OpenRequest {
  std::string feed;  // empty: the job's only feed
  int local_rank = 0;
  int attempt = 0;
};
struct NextRequest {
  int64_t pass = 0;
  int64_t rows = 0;  // of each batch
  int64_t batches = 1;
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
  int64_t bytes = 0;  // of the point; 0: there is none
};
struct PointRequest {
  int64_t step = 0;
};
struct CommitRequest {
  int64_t pass = 0;
  int64_t rows = 0;
};
struct StopRequest {};
struct LeaveRequest {};
struct SourceFailedRequest {
  std::string message;
  bool changed = false;
};
struct ServeRequest {
  std::string feed;  // empty: the job's only feed with answers
  int local_rank = 0;
  int attempt = 0;
};
struct TakeRequest {};
struct AnswerRequest {
  QuestionId question = 0;
  int64_t bytes = 0;
};
struct RefuseRequest {
  QuestionId question = 0;
  std::string message;
};
using ReaderRequest =
    std::variant<OpenRequest, NextRequest, ReturnedRequest, ReleaseRequest, StepRequest, CheckpointedRequest,
                 FoundRequest, CommitRequest, StopRequest, ServeRequest, TakeRequest, AnswerRequest, RefuseRequest,
                 SourceFailedRequest, PointRequest, LeaveRequest>;

struct NumberedRequest {
  int64_t id = 0;  // 0: not numbered
  // An error is for the author of the reader.
  Result<ReaderRequest> request = ReaderRequest(StopRequest());
};

// Accepts numbers from 0 to 2^53, and batches of 1 … kMostRows rows. Unknown fields have no effect.
NumberedRequest ParseReaderRequest(std::string_view text);

// An error that the reader raises.
struct ReaderError {
  enum class Kind { kLost, kChanged, kMisuse, kEmpty, kStopped, kFailed };
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

// The files that a process reads, and where it sends their rows as a source.
struct FileSource {
  struct Address {
    std::string location;  // URI of this executor
    std::string ca;        // for other executors: the certificate of the job's authority, and the name in theirs
    std::string server_name;
  };
  FeedFiles files;
  bool shuffled = false;
  uint64_t seed = 0;
  std::string token;
  Address address;
};
struct OpenedReader {
  std::string feed;
  int reader = 0;
  int readers = 0;
  std::optional<int64_t> passes;
  int64_t pass = 0;
  Split split = Split::kEqual;
  Remainder remainder = Remainder::kDrop;
  std::optional<FileSource> source = {};
};
struct ReaderBatch {
  std::vector<std::pair<BlockId, BlockStore::Place>> blocks;
  std::vector<std::shared_ptr<const BlockSchema>> schemas;
  std::vector<Slice> slices;
};

// The reply to `take`.
struct TakenQuestion {
  QuestionId id = 0;
  uint64_t exchange = 0;
  int64_t block = 0;
  BlockStore::Place place;
  bool is_new_schema = false;  // the connection has not received the schema yet
};

// Makes the reply that of a numbered request; no effect if id is 0.
ReaderReply WithId(int64_t id, ReaderReply reply);

ReaderReply EmptyReply();
ReaderReply ErrorReply(const ReaderError& error);
ReaderReply OpenReply(const OpenedReader& opened);
ReaderReply FoundReply(int64_t pass);
// An error if the memory file cannot be created.
ReaderReply PointReply(const std::string& point);
ReaderReply EndReply(const ClosePass& end);
ReaderReply BatchReply(const ReaderBatch& batch);
ReaderReply ServeReply(const std::string& feed);
ReaderReply TakeReply(const TakenQuestion& question);

}  // namespace howdah::feed::server
