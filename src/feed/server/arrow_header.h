// The messages of DoPut and DoGet: record batches in Arrow's IPC format, and the JSON beside them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/feed/row_ranges.h"

namespace arrow::flight::protocol {
class FlightData;
}

namespace howdah::feed::server {

// One record batch.
struct ArrowBlock {
  std::string header;  // the flatbuffer Message
  std::string body;    // as long as the header says
  int64_t first_row = 0;
  int64_t rows = 0;  // at least 1
};

// The partition to which the blocks of one DoPut call belong.
struct PutTarget {
  std::string feed;
  int64_t pass = 0;
  PartitionId partition = 0;
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

// Moves the block out of a message. Returns a kUsage error for a message that is not a block of a feed. It names the
// remedy for dictionaries and for blocks that are too large. Pure.
Result<ArrowBlock> TakeBlock(arrow::flight::protocol::FlightData& message);
// Encodes a message up to the content of its last field, the body of the block. Pure.
std::string EncodeBegin(const ArrowBlock& block);

// The JSON texts. The functions that read return kUsage errors for all other texts, and for numbers outside of their
// ranges. Pure.
Result<PutTarget> ReadPutTarget(std::string_view json);  // the command of a FlightDescriptor
Result<GetTarget> ReadTicket(std::string_view json);     // the ticket of a DoGet
std::string TicketText(const GetTarget& get);
Result<std::string> ReadFeedName(std::string_view json);  // the feed of an action
std::string PutResultText(const Result<PutAnswer>& answer, Rows rows);

}  // namespace howdah::feed::server
