// The messages of DoPut, DoGet and DoExchange: record batches in Arrow's IPC format, and the JSON beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "block_body.h"
#include "howdah/base/result.h"
#include "howdah/feed/receiver.h"
#include "howdah/feed/row_ranges.h"

namespace arrow::flight::protocol {
class FlightData;
class FlightDescriptor;
}  // namespace arrow::flight::protocol

namespace howdah::feed::server {

// One record batch.
struct ArrowBlock {
  std::string header;  // the flatbuffer Message
  BlockBody body;      // as long as the header says
  int64_t first_row = 0;
  int64_t rows = 0;                     // at least 1
  std::optional<uint64_t> digest = {};  // as in RowsReceived
  bool digest_of_body = false;          // the executor computes the digest (block_digest.h), and returns it
  bool unix_socket = false;             // it has arrived over a unix socket
  // The source has written the body to the feed's BlockStore itself, or will do so. `body` is then empty.
  struct Stored {
    BlockId id = 0;
    int64_t bytes = 0;
  };
  std::optional<Stored> stored = {};
};

// The partition to which the blocks of one DoPut call belong.
struct PutTarget {
  std::string feed;
  int64_t pass = 0;
  PartitionId partition = 0;
  std::optional<int> reader = {};  // the only one that may take the blocks
  friend bool operator==(const PutTarget&, const PutTarget&) = default;
};

// The rows that a DoGet call asks for.
struct GetTarget {
  std::string feed;
  int64_t pass = 0;
  PartitionId partition = 0;
  Rows rows;
  friend bool operator==(const GetTarget&, const GetTarget&) = default;
};

// kAcknowledged: the ledger has answered the offer, and the source may send the next block to this reader.
// kAcknowledgedNoCredit: the same, but the source must ask again. kRefused: the block was not taken; ask again.
enum class PutAnswer { kAcknowledged, kAcknowledgedNoCredit, kRefused };

// The greatest body of a block with more than one row. Senders limit blocks to 8 MiB of values, and Arrow's format adds
// padding to the values of each column. A block with one row has no limit here.
inline constexpr int64_t kBlockBytes = int64_t{16} << 20;

// The header of an Arrow IPC message: the flatbuffer `Message` (org.apache.arrow.flatbuf, Message.fbs), which Flight
// sends as data_header.
struct ArrowHeader {
  enum class Kind { kSchema, kRecordBatch, kDictionaryBatch, kOther };
  Kind kind = Kind::kOther;
  int64_t rows = 0;        // of a record batch; 0 for other kinds
  int64_t body_bytes = 0;  // the length of the body that follows the header
};

// Reads the header of a message, without its length prefix and body. Reads only the fields above: the reader of a block
// checks the others. Returns an error for bytes that are not such a message, and for negative numbers. Pure.
Result<ArrowHeader> ReadArrowHeader(std::string_view message);

// Moves the block out of a message and its body; data_body of the message is not read. Returns a kUsage error for a
// message that is not a block of a feed. It names the remedy for dictionaries and for blocks that are too large. Pure.
Result<ArrowBlock> TakeBlock(arrow::flight::protocol::FlightData& message, BlockBody body);
// The same for a question of a feed with answers: first_row is the number of the block in its call.
Result<ArrowBlock> TakeQuestion(arrow::flight::protocol::FlightData& message, BlockBody body);
// The same for a client that numbers no rows: the metadata are not read.
Result<ArrowBlock> TakeBlockAt(arrow::flight::protocol::FlightData& message, BlockBody body, int64_t first_row);
// A block of which this header and these metadata were received, and whose body has so many bytes. Makes the same
// checks as TakeBlock. `body` is not set. Pure.
Result<ArrowBlock> ReadBlock(std::string header, int64_t body_bytes, std::string_view metadata);
// Whether such a client's message has nothing to take: an empty record batch, or only metadata. Pure.
bool HasNoRows(const arrow::flight::protocol::FlightData& message);
// Encodes a message up to the content of its last field, the body of the block. Pure.
std::string EncodeBegin(const ArrowBlock& block);

// The JSON texts. The functions that read return kUsage errors for all other texts, and for numbers outside of their
// ranges. Pure.
Result<PutTarget> ReadPutTarget(std::string_view json);  // the command of a FlightDescriptor
// The descriptor of a client that numbers no rows. Only the feed is set.
Result<PutTarget> ReadPutPath(const arrow::flight::protocol::FlightDescriptor& descriptor);
// The command of a DoExchange. Only the feed is set.
Result<PutTarget> ReadExchangeTarget(std::string_view json);
Result<GetTarget> ReadTicket(std::string_view json);  // the ticket of a DoGet
std::string TicketText(const GetTarget& get);
Result<std::string> ReadFeedName(std::string_view json);  // the feed of an action
std::string PutCommand(const PutTarget& target);
std::string PutMetadata(const ArrowBlock& block);
// digest: of a block whose digest the executor has computed.
std::string PutResultText(const Result<PutAnswer>& answer, Rows rows, std::optional<uint64_t> digest = {});
Result<PutAnswer> ReadPutResult(std::string_view json);
// The metadata for a client that numbers no rows: of its rows, the job has accepted so many.
std::string RowsText(int64_t rows);

// How a question was settled. kRefused: the program of the rank refuses it. kLost: no rank of this executor answers it.
enum class QuestionEnd { kAnswered, kRefused, kLost };
// The line before the payload of an answer, with its newline. text: the reason if it is not kAnswered.
std::string AnswerLine(int64_t block, QuestionEnd end, std::string_view text = "");

}  // namespace howdah::feed::server
