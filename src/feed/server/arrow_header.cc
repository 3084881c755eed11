#include "arrow_header.h"

#include <concepts>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "howdah/base/bytes.h"
#include "howdah/base/json_depth.h"
#include "howdah/feed/ledger.h"
#include "howdah/feed/row_ranges.h"
#include "howdah/wire/flight.pb.h"

namespace howdah::feed::server {
namespace {

namespace flight = arrow::flight::protocol;
using Json = nlohmann::json;

constexpr size_t kJsonBytes = size_t{1} << 20;
constexpr int kJsonDepth = 16;
constexpr std::string_view kBodyDigest = "body";  // in place of a digest

// The fields of the tables Message and RecordBatch that are read, by their numbers in Arrow's schema.
enum MessageField : size_t { kHeaderType = 1, kHeader = 2, kBodyLength = 3 };
enum RecordBatchField : size_t { kLength = 0 };
// The values of the union MessageHeader.
enum HeaderType : uint8_t { kSchemaHeader = 1, kDictionaryBatchHeader = 2, kRecordBatchHeader = 3 };

// Reads a number in little-endian order, at any alignment. Returns nullopt if it is not within the bytes.
template <std::integral Number>
std::optional<Number> At(std::string_view bytes, size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Number)) return std::nullopt;
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// A table of a flatbuffer: a signed offset back to its vtable, then its fields. The vtable has its own size, the size
// of the table, and the offset of each field in the table (0: the field has its default value, 0).
class Table {
 public:
  static std::optional<Table> Read(std::string_view bytes, size_t start) {
    const auto back = At<int32_t>(bytes, start);
    if (!back) return std::nullopt;
    const int64_t vtable = static_cast<int64_t>(start) - *back;
    if (vtable < 0) return std::nullopt;
    const auto size = At<uint16_t>(bytes, static_cast<size_t>(vtable));
    if (!size || *size < 2 * sizeof(uint16_t) || bytes.size() - static_cast<size_t>(vtable) < *size) {
      return std::nullopt;
    }
    return Table(bytes, start, bytes.substr(static_cast<size_t>(vtable), *size));
  }

  // Returns the position of a field. 0 if it is absent.
  size_t PositionOf(size_t field) const {
    const uint16_t offset = At<uint16_t>(vtable_, (2 + field) * sizeof(uint16_t)).value_or(0);
    return offset == 0 ? 0 : start_ + offset;
  }
  // Returns nullopt if the field is not within the bytes.
  template <std::integral Number>
  std::optional<Number> Value(size_t field) const {
    const size_t at = PositionOf(field);
    return at == 0 ? std::optional<Number>(0) : At<Number>(bytes_, at);
  }
  // The table to which a field refers. Returns nullopt if there is none.
  std::optional<Table> Child(size_t field) const {
    const size_t at = PositionOf(field);
    const auto forward = At<uint32_t>(bytes_, at);
    return at == 0 || !forward ? std::nullopt : Read(bytes_, at + *forward);
  }

 private:
  Table(std::string_view bytes, size_t start, std::string_view vtable)
      : bytes_(bytes), start_(start), vtable_(vtable) {}

  std::string_view bytes_;
  size_t start_;
  std::string_view vtable_;
};

std::string TextOf(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Result<Json> ReadObject(std::string_view text, std::string_view of) {
  const Error damaged{ErrorCode::kUsage, std::string(of) + " is not a JSON object"};
  if (text.size() > kJsonBytes || NestsDeeper(text, kJsonDepth)) return damaged;
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return damaged;
  return json;
}

// Returns the number of a field, from 0 to `most`.
Result<int64_t> ReadNumber(const Json& json, const char* field, int64_t most) {
  const auto value = json.find(field);
  if (value == json.end() || !value->is_number_unsigned() || value->get<uint64_t>() > static_cast<uint64_t>(most)) {
    return Error{ErrorCode::kUsage, std::string("'") + field + "' is not a number from 0 to " + std::to_string(most)};
  }
  return value->get<int64_t>();
}

Result<std::string> ReadFeed(const Json& json) {
  const auto value = json.find("feed");
  if (value == json.end() || !value->is_string()) return Error{ErrorCode::kUsage, "'feed' is not the name of a feed"};
  return value->get<std::string>();
}

Result<PutTarget> ReadTarget(const Json& json) {
  PutTarget target;
  HOWDAH_TRY(target.feed, ReadFeed(json));
  HOWDAH_TRY(target.pass, ReadNumber(json, "pass", kMostRows));
  HOWDAH_TRY(target.partition, ReadNumber(json, "partition", kMostPartitions - 1));
  return target;
}

}  // namespace

Result<ArrowHeader> ReadArrowHeader(std::string_view message) {
  const Error damaged = Failed("the header is not an Arrow IPC message");
  const auto root = At<uint32_t>(message, 0);
  const auto table = root ? Table::Read(message, *root) : std::nullopt;
  if (!table) return damaged;
  const auto type = table->Value<uint8_t>(kHeaderType);
  const auto body = table->Value<int64_t>(kBodyLength);
  const auto content = table->Child(kHeader);
  if (!type || !body || *body < 0 || !content) return damaged;
  ArrowHeader header;
  header.body_bytes = *body;
  switch (*type) {
    case kSchemaHeader:
      header.kind = ArrowHeader::Kind::kSchema;
      break;
    case kDictionaryBatchHeader:
      header.kind = ArrowHeader::Kind::kDictionaryBatch;
      break;
    case kRecordBatchHeader: {
      const auto rows = content->Value<int64_t>(kLength);
      if (!rows || *rows < 0) return damaged;
      header.kind = ArrowHeader::Kind::kRecordBatch;
      header.rows = *rows;
      break;
    }
    default:
      break;
  }
  return header;
}

namespace {

// Sets the fields that the metadata contain. number: the field with the number of the block.
Status ReadMetadata(std::string_view text, const char* number, ArrowBlock& block) {
  HOWDAH_TRY(const Json metadata, ReadObject(text, "the metadata of the block"));
  HOWDAH_TRY(block.first_row, ReadNumber(metadata, number, kMostRows));
  const auto digest = metadata.find("digest");
  if (digest == metadata.end() || digest->is_null()) return {};
  block.digest_of_body = *digest == kBodyDigest;
  if (block.digest_of_body) return {};
  if (!digest->is_number_unsigned()) return Error{ErrorCode::kUsage, "'digest' is not a number of 64 bits"};
  block.digest = digest->get<uint64_t>();
  return {};
}

// The texts that a source sends beside the body of a block.
struct BlockText {
  std::string_view header, metadata;
  const char* number = nullptr;  // the field of the metadata with the number of the block. nullptr: they are not read
};

// Returns a block without header and body.
Result<ArrowBlock> CheckRows(const BlockText& text, int64_t bytes, int64_t first_row = 0) {
  const auto refused = [](const std::string& why, const std::string& remedy) {
    return Error::WithRemedy(ErrorCode::kUsage, "the block is refused: " + why, remedy);
  };
  const auto header = ReadArrowHeader(text.header);
  if (!header) return refused(header.error().message, "send one record batch in each message");
  if (header->kind == ArrowHeader::Kind::kDictionaryBatch) {
    return refused("a column has a dictionary, which feeds do not support", "cast the column to its value type");
  }
  if (header->kind != ArrowHeader::Kind::kRecordBatch || header->rows == 0) {
    return refused("the message has no rows", "send one record batch in each message, and no empty ones");
  }
  ArrowBlock block;
  block.first_row = first_row;
  if (text.number != nullptr) HOWDAH_TRY_STATUS(ReadMetadata(text.metadata, text.number, block));
  block.rows = header->rows;
  if (block.rows > kMostRows - block.first_row) {
    return refused("it ends after row " + std::to_string(kMostRows), "divide the data into more partitions");
  }
  if (header->body_bytes != bytes) {
    return refused(
        "it has " + std::to_string(bytes) + " bytes, and its header says " + std::to_string(header->body_bytes),
        "check the program that wrote it");
  }
  if (bytes > kBlockBytes && block.rows > 1) {
    return refused("it has " + FormatBytes(bytes), "send at most 8 MiB in each batch");
  }
  return block;
}

Result<ArrowBlock> TakeRows(flight::FlightData& message, BlockBody body, const char* number, int64_t first_row = 0) {
  HOWDAH_TRY(ArrowBlock block, CheckRows({message.data_header(), message.app_metadata(), number},
                                         static_cast<int64_t>(body.size()), first_row));
  block.header = std::move(*message.mutable_data_header());
  block.body = std::move(body);
  return block;
}

}  // namespace

Result<ArrowBlock> ReadBlock(std::string header, int64_t body_bytes, std::string_view metadata) {
  HOWDAH_TRY(ArrowBlock block, CheckRows({header, metadata, "from"}, body_bytes));
  block.header = std::move(header);
  return block;
}

Result<ArrowBlock> TakeBlock(flight::FlightData& message, BlockBody body) {
  return TakeRows(message, std::move(body), "from");
}
Result<ArrowBlock> TakeQuestion(flight::FlightData& message, BlockBody body) {
  return TakeRows(message, std::move(body), "block");
}
Result<ArrowBlock> TakeBlockAt(flight::FlightData& message, BlockBody body, int64_t first_row) {
  return TakeRows(message, std::move(body), nullptr, first_row);
}

bool HasNoRows(const flight::FlightData& message) {
  if (message.data_header().empty()) return true;
  const auto header = ReadArrowHeader(message.data_header());
  return header.ok() && header->kind == ArrowHeader::Kind::kRecordBatch && header->rows == 0;
}

std::string EncodeBegin(const ArrowBlock& block) {
  flight::FlightData message;
  message.set_data_header(block.header);
  message.set_app_metadata(PutMetadata(block));
  // The tag of data_body (field 1000, bytes), and its length. It has the greatest number, so it comes last.
  std::string begin = message.SerializeAsString() + "\xc2\x3e";
  for (size_t rest = block.body.size();; rest >>= 7) {
    begin += static_cast<char>(rest < 0x80 ? rest : 0x80 | (rest & 0x7f));
    if (rest < 0x80) return begin;
  }
}

Result<PutTarget> ReadPutTarget(std::string_view json) {
  HOWDAH_TRY(const Json command, ReadObject(json, "the command of the descriptor"));
  HOWDAH_TRY(PutTarget target, ReadTarget(command));
  if (command.contains("reader")) {
    HOWDAH_TRY(const int64_t reader, ReadNumber(command, "reader", kMostRanks - 1));
    target.reader = static_cast<int>(reader);
  }
  return target;
}

Result<PutTarget> ReadPutPath(const flight::FlightDescriptor& descriptor) {
  if (descriptor.path_size() != 1) {
    return Error::WithRemedy(ErrorCode::kUsage,
                             "the path of the descriptor has " + std::to_string(descriptor.path_size()) + " parts",
                             "give the name of the feed, as in FlightDescriptor.for_path(\"live\")");
  }
  PutTarget target;
  target.feed = descriptor.path(0);
  return target;
}

Result<PutTarget> ReadExchangeTarget(std::string_view json) {
  HOWDAH_TRY(const Json command, ReadObject(json, "the command of the descriptor"));
  PutTarget target;
  HOWDAH_TRY(target.feed, ReadFeed(command));
  return target;
}

Result<GetTarget> ReadTicket(std::string_view json) {
  HOWDAH_TRY(const Json ticket, ReadObject(json, "the ticket"));
  HOWDAH_TRY(PutTarget target, ReadTarget(ticket));
  Rows rows;
  HOWDAH_TRY(rows.from, ReadNumber(ticket, "from", kMostRows));
  HOWDAH_TRY(rows.to, ReadNumber(ticket, "to", kMostRows));
  if (rows.from >= rows.to) return Error{ErrorCode::kUsage, "'from' of the ticket is not less than 'to'"};
  return GetTarget{std::move(target.feed), target.pass, target.partition, rows};
}

std::string TicketText(const GetTarget& get) {
  return TextOf({{"feed", get.feed},
                 {"pass", get.pass},
                 {"partition", get.partition},
                 {"from", get.rows.from},
                 {"to", get.rows.to}});
}

Result<std::string> ReadFeedName(std::string_view json) {
  HOWDAH_TRY(const Json body, ReadObject(json, "the body of the action"));
  return ReadFeed(body);
}

std::string PutMetadata(const ArrowBlock& block) {
  Json metadata = {{"from", block.first_row}};
  if (block.digest) metadata["digest"] = *block.digest;
  return TextOf(metadata);
}

std::string PutCommand(const PutTarget& target) {
  Json command = {{"feed", target.feed}, {"pass", target.pass}, {"partition", target.partition}};
  if (target.reader) command["reader"] = *target.reader;
  return TextOf(command);
}

Result<PutAnswer> ReadPutResult(std::string_view json) {
  HOWDAH_TRY(const Json answer, ReadObject(json, "the answer to a block"));
  if (const auto failed = answer.find("failed"); failed != answer.end()) return Failed(TextOf(*failed));
  if (answer.contains("refused")) return PutAnswer::kRefused;
  if (!answer.contains("acknowledged")) return Failed("the answer to a block is unknown");
  const auto credit = answer.find("credit");
  return credit != answer.end() && *credit == true ? PutAnswer::kAcknowledged : PutAnswer::kAcknowledgedNoCredit;
}

std::string PutResultText(const Result<PutAnswer>& answer, Rows rows, std::optional<uint64_t> digest) {
  const Json range = {rows.from, rows.to};
  if (!answer) return TextOf({{"failed", answer.error().message}});
  if (*answer == PutAnswer::kRefused) return TextOf({{"refused", range}});
  Json text = {{"acknowledged", range}, {"credit", *answer == PutAnswer::kAcknowledged}};
  if (digest) text["digest"] = *digest;
  return TextOf(text);
}

std::string RowsText(int64_t rows) { return TextOf({{"rows", rows}}); }

std::string AnswerLine(int64_t block, QuestionEnd end, std::string_view text) {
  Json line = {{"block", block}};
  if (end == QuestionEnd::kRefused) line["error"] = text;
  if (end == QuestionEnd::kLost) line["lost"] = text;
  return TextOf(line) + "\n";
}

}  // namespace howdah::feed::server
