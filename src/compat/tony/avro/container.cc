#include "howdah/compat/tony/avro/container.h"

#include <zlib.h>

#include <array>
#include <map>

#include "decoder.h"
#include "encoder.h"
#include "schema.h"

namespace howdah::compat::tony::avro {
namespace {

constexpr std::string_view kMagic("Obj\1", 4);
constexpr int64_t kSyncSize = 16;
constexpr size_t kMostInflated = size_t{64} << 20;
constexpr char kSchemaKey[] = "avro.schema", kCodecKey[] = "avro.codec";

Result<std::map<std::string, std::string>> ReadMetadata(Decoder& file) {
  std::map<std::string, std::string> metadata;
  for (;;) {
    HOWDAH_TRY(const auto count, file.Long());
    if (count == 0) return metadata;
    if (count < 0) {
      if (const auto size = file.Long(); !size.ok()) return size.error();
    }
    const uint64_t pairs = count < 0 ? 0 - static_cast<uint64_t>(count) : static_cast<uint64_t>(count);
    for (uint64_t i = 0; i < pairs; ++i) {
      HOWDAH_TRY(const auto key, file.Bytes());
      HOWDAH_TRY(const auto value, file.Bytes());
      metadata[std::string(key)] = value;
    }
  }
}

// Avro uses deflate streams without zlib's header.
Result<std::string> Inflate(std::string_view bytes, size_t most) {
  z_stream stream = {};
  constexpr int kRaw = -15;
  if (inflateInit2(&stream, kRaw) != Z_OK) return Failed("zlib failed to initialize");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), UINT_MAX));
  std::string inflated;
  std::array<char, 1 << 14> piece;
  int state = Z_OK;
  while (state == Z_OK && inflated.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    inflated.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (inflated.size() > most) return Failed("the file inflates to more than 64 MiB");
  if (state != Z_STREAM_END) return Failed("a block cannot be inflated");
  return inflated;
}

struct Block {
  int64_t count = 0;
  std::string_view bytes;
};

Result<Block> ReadBlock(Decoder& file, std::string_view sync) {
  HOWDAH_TRY(const auto count, file.Long());
  HOWDAH_TRY(const auto bytes, file.Bytes());
  HOWDAH_TRY(const auto end, file.Take(kSyncSize));
  if (count < 0 || end != sync) return Failed("a block does not end where it should");
  return Block{count, bytes};
}

Status ReadValues(const Block& block, std::string_view bytes, const Schema& schema, Budget& budget,
                  const OnValue& on_value) {
  budget.Grow(bytes.size());
  Decoder decoder(bytes, budget);
  for (int64_t i = 0; i < block.count; ++i) {
    budget.BeginValue();
    HOWDAH_TRY(auto value, decoder.Value(schema, schema.root));
    HOWDAH_TRY_STATUS(on_value(value));
  }
  return decoder.AtEnd() ? Status() : Status(Failed("a block is longer than its values"));
}

// Computes the sync marker from the content, so that output is deterministic. The marker has no bytes that occur in
// text.
std::string SyncOf(std::string_view bytes) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  std::string sync;
  for (int half = 0; half < 2; ++half) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    for (int i = 0; i < 8; ++i) sync += static_cast<char>(0x80 | ((hash >> (8 * i)) & 0xFF));
  }
  return sync;
}

// Reads all blocks. The error is the reason why the rest cannot be read.
Status ReadBlocks(Decoder& file, std::string_view sync, bool deflated, const Schema& schema, const OnValue& on_value) {
  Budget budget;
  size_t left = kMostInflated;
  while (!file.AtEnd()) {
    HOWDAH_TRY(const auto block, ReadBlock(file, sync));
    std::string inflated;
    if (deflated) {
      HOWDAH_TRY(inflated, Inflate(block.bytes, left));
      left -= inflated.size();
    }
    HOWDAH_TRY_STATUS(ReadValues(block, deflated ? inflated : block.bytes, schema, budget, on_value));
  }
  return {};
}

}  // namespace

Result<std::string> ReadContainer(std::string_view bytes, const OnValue& on_value) {
  const auto wrong = [](const Error& error) { return error.While("reading an Avro file"); };
  if (!bytes.starts_with(kMagic)) return wrong(Failed(bytes.empty() ? "the file is empty" : "not an Avro file"));
  Budget of_header;
  Decoder file(bytes.substr(kMagic.size()), of_header);
  const auto metadata = ReadMetadata(file);
  if (!metadata.ok()) return wrong(metadata.error());
  const auto sync = file.Take(kSyncSize);
  if (!sync.ok()) return wrong(sync.error());
  const auto text = metadata->find(kSchemaKey);
  if (text == metadata->end()) return wrong(Failed("the file has no schema"));
  const auto schema = ParseSchema(text->second);
  if (!schema.ok()) return wrong(schema.error());
  const auto codec = metadata->find(kCodecKey);
  const bool deflated = codec != metadata->end() && codec->second == "deflate";
  if (codec != metadata->end() && !deflated && codec->second != "null") {
    return wrong(Failed("unsupported codec '" + codec->second + "'; null and deflate are supported"));
  }
  const Status read = ReadBlocks(file, *sync, deflated, *schema, on_value);
  return read.ok() ? "" : read.error().message;
}

Result<std::string> WriteContainer(const std::string& schema, const std::vector<Json>& values) {
  HOWDAH_TRY(const auto parsed, ParseSchema(schema));
  std::string block;
  for (const Json& value : values) {
    HOWDAH_TRY_STATUS(AppendValue(block, parsed, parsed.root, value));
  }
  const std::string sync = SyncOf(block);
  std::string file(kMagic);
  AppendLong(file, 2);
  AppendBytes(file, kCodecKey);
  AppendBytes(file, "null");
  AppendBytes(file, kSchemaKey);
  AppendBytes(file, schema);
  AppendLong(file, 0);
  file += sync;
  if (values.empty()) return file;
  AppendLong(file, static_cast<int64_t>(values.size()));
  AppendBytes(file, block);
  return file + sync;
}

}  // namespace howdah::compat::tony::avro
