#include "transfer_handshake.h"

#include "howdah/base/text.h"
#include "howdah/hadoop/rpc/writable.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

constexpr std::string_view kMagic("\xDE\xAD\xBE\xEF", 4);
constexpr const char* kService = "hdfs/0";  // protocol "hdfs", server id "0"
constexpr int kPrivacy = static_cast<int>(principals::Protection::kPrivacy);

// Reads the 4 bytes of a length and a text (WritableUtils.readString). Length -1 stands for null.
bool SkipString(std::string_view& bytes) {
  if (bytes.size() < 4) return false;
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(4);
  if (size == UINT32_MAX) size = 0;
  if (size > bytes.size()) return false;
  bytes.remove_prefix(size);
  return true;
}

std::optional<int32_t> TakeVInt(std::string_view& bytes) {
  rpc::WritableReader reader(bytes);
  const auto value = reader.VInt();
  if (value) bytes.remove_prefix(reader.position());
  return value;
}

// Skips a list of values of an enumeration (with a VInt in front of each) or of texts (with 4 bytes in front).
bool SkipList(std::string_view& bytes, bool of_strings) {
  const auto count = TakeVInt(bytes);
  if (!count || *count < 0) return false;
  for (int32_t i = 0; i < *count; ++i) {
    if (of_strings) {
      if (!SkipString(bytes)) return false;
      continue;
    }
    rpc::WritableReader reader(bytes);
    if (!reader.Text()) return false;
    bytes.remove_prefix(reader.position());
  }
  return true;
}

// BlockTokenIdentifier.readFieldsLegacy: expiry, key, user, pool, block, modes, storage types, storage ids, message.
std::string LegacyMessage(std::string_view bytes) {
  rpc::WritableReader head(bytes);
  if (!head.VLong() || !head.VInt()) return {};
  bytes.remove_prefix(head.position());
  if (!SkipString(bytes) || !SkipString(bytes)) return {};
  rpc::WritableReader block(bytes);
  if (!block.VLong()) return {};
  bytes.remove_prefix(block.position());
  if (!SkipList(bytes, false) || !SkipList(bytes, false) || !SkipList(bytes, true)) return {};
  return rpc::WritableReader(bytes).Text().value_or("");
}

std::string QopMessageOf(const std::string& identifier) {
  if (identifier.empty()) return {};
  if (static_cast<signed char>(identifier.front()) <= 0) return LegacyMessage(identifier);
  pb::BlockTokenSecretProto secret;
  return ParseMessage(identifier, secret) ? secret.handshakesecret() : std::string();
}

}  // namespace

HandshakeLogin LoginWithToken(const ::hadoop::common::TokenProto& token, const std::string& block_pool,
                              sasl::Accepted accepted) {
  return {sasl::SecretOf(token.identifier(), token.password()), std::move(accepted), QopMessageOf(token.identifier()),
          block_pool};
}

HandshakeLogin LoginWithKey(const pb::DataEncryptionKeyProto& key) {
  const std::string user = std::to_string(key.keyid()) + " " + key.blockpoolid() + " " + sasl::Base64(key.nonce());
  return {{user, sasl::Base64(key.encryptionkey())}, {kPrivacy, "dfs.encrypt.data.transfer"}, "", ""};
}

TransferHandshake::TransferHandshake(HandshakeLogin login, std::string cnonce)
    : login_(std::move(login)),
      digest_(std::make_unique<sasl::DigestMd5>(login_.secret, kService, std::move(cnonce), login_.accepted)) {}

std::string TransferHandshake::Begin() const {
  Message first;
  first.set_status(Message::SUCCESS);
  first.set_payload("");
  if (!login_.qop_message.empty()) {
    first.mutable_handshakesecret()->set_secret(login_.qop_message);
    first.mutable_handshakesecret()->set_bpid(login_.block_pool);
  }
  return std::string(kMagic) + EncodeDelimited(first);
}

Result<std::optional<std::string>> TransferHandshake::Receive(const Message& message) {
  if (message.status() != Message::SUCCESS) {
    key_unknown_ = message.status() == Message::ERROR_UNKNOWN_KEY;
    return Failed("it refused the authentication of the connection: " +
                  (message.message().empty() ? Message::DataTransferEncryptorStatus_Name(message.status())
                                             : OneLine(message.message(), 300)));
  }
  if (answered_) {
    HOWDAH_TRY_STATUS(Finish(message));
    return std::optional<std::string>();
  }
  Message answer;
  HOWDAH_TRY(*answer.mutable_payload(), digest_->Step(message.payload()));
  answered_ = true;
  answer.set_status(Message::SUCCESS);
  if (digest_->protection() == principals::Protection::kPrivacy) {
    answer.add_cipheroption()->set_suite(pb::AES_CTR_NOPADDING);
  }
  return std::optional(EncodeDelimited(answer));
}

std::string TransferHandshake::protection() const {
  switch (agreed_) {
    case principals::Protection::kAuthentication:
      return "authenticated";
    case principals::Protection::kIntegrity:
      return "authenticated, with integrity";
    case principals::Protection::kPrivacy:
      break;
  }
  return aes_ ? "encrypted (AES/CTR)" : "encrypted (triple DES)";
}

Status TransferHandshake::Finish(const Message& message) {
  HOWDAH_TRY_STATUS(digest_->Finish(message.payload()));
  agreed_ = digest_->protection();
  if (digest_->wrap_size() == 0) return {};
  aes_ = message.cipheroption_size() > 0 && agreed_ == principals::Protection::kPrivacy;
  if (aes_) {
    HOWDAH_TRY(codec_, MakeAesCodec(message.cipheroption(0), *digest_));
    return {};
  }
  codec_ = MakeRecordCodec(std::move(digest_));
  return {};
}

}  // namespace howdah::hadoop::hdfs
