#include "transfer_codec.h"

#include <utility>

#include "aes_ctr.h"

namespace howdah::hadoop::hdfs {
namespace {

constexpr size_t kLengthSize = 4;
// A DataNode wraps what it sends at once, at most a packet (dfs.data.transfer.max.packet.size, 16 MiB).
constexpr size_t kMaxRecord = size_t{17} << 20;

class RecordCodec : public TransferCodec {
 public:
  explicit RecordCodec(std::unique_ptr<sasl::Mechanism> mechanism) : mechanism_(std::move(mechanism)) {}

  Status Encode(std::string_view plain, std::string& wire) override {
    while (!plain.empty()) {
      const std::string_view chunk = plain.substr(0, mechanism_->wrap_size());
      plain.remove_prefix(chunk.size());
      HOWDAH_TRY(const auto record, mechanism_->Wrap(chunk));
      for (const int shift : {24, 16, 8, 0}) wire += static_cast<char>(record.size() >> shift);
      wire += record;
    }
    return {};
  }

  Status Decode(std::string_view wire, std::string& plain) override {
    received_ += wire;
    std::string_view left = received_;
    while (left.size() >= kLengthSize) {
      size_t size = 0;
      for (size_t i = 0; i < kLengthSize; ++i) size = size << 8 | static_cast<unsigned char>(left[i]);
      if (size > kMaxRecord) {
        return Failed("a protected record of " + std::to_string(size) + " bytes was announced; no DataNode sends that");
      }
      if (left.size() < kLengthSize + size) break;
      HOWDAH_TRY(const auto bytes, mechanism_->Unwrap(left.substr(kLengthSize, size)));
      plain += bytes;
      left.remove_prefix(kLengthSize + size);
    }
    received_.erase(0, received_.size() - left.size());
    return {};
  }

 private:
  std::unique_ptr<sasl::Mechanism> mechanism_;
  std::string received_;  // the beginning of a record
};

class AesCodec : public TransferCodec {
 public:
  AesCodec(AesCtr out, AesCtr in) : out_(std::move(out)), in_(std::move(in)) {}

  Status Encode(std::string_view plain, std::string& wire) override { return Append(out_, plain, wire); }
  Status Decode(std::string_view wire, std::string& plain) override { return Append(in_, wire, plain); }

 private:
  static Status Append(AesCtr& stream, std::string_view from, std::string& to) {
    const size_t before = to.size();
    to.resize(before + from.size());
    return stream.Run(from.data(), from.size(), to.data() + before);
  }

  AesCtr out_, in_;
};

}  // namespace

std::unique_ptr<TransferCodec> MakeRecordCodec(std::unique_ptr<sasl::Mechanism> mechanism) {
  return std::make_unique<RecordCodec>(std::move(mechanism));
}

Result<std::unique_ptr<TransferCodec>> MakeAesCodec(const ::hadoop::hdfs::CipherOptionProto& option,
                                                    sasl::Mechanism& mechanism) {
  if (option.suite() != ::hadoop::hdfs::AES_CTR_NOPADDING) {
    return Failed("the DataNode chose a cipher that was not offered");
  }
  HOWDAH_TRY(const auto to_server, mechanism.Unwrap(option.inkey()));
  HOWDAH_TRY(const auto from_server, mechanism.Unwrap(option.outkey()));
  HOWDAH_TRY(auto out, AesCtr::Make(to_server, option.iniv()));
  HOWDAH_TRY(auto in, AesCtr::Make(from_server, option.outiv()));
  return std::unique_ptr<TransferCodec>(std::make_unique<AesCodec>(std::move(out), std::move(in)));
}

}  // namespace howdah::hadoop::hdfs
