#include "howdah/hadoop/sasl/digest_md5.h"

#include <algorithm>

namespace howdah::hadoop::sasl {
namespace {

using principals::Protection;

constexpr size_t kMacSize = 10, kTailSize = 6;  // a record ends with the MAC, then version 0001 and sequence number
constexpr size_t kBlock = 8;

std::string Number(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

bool Offers(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string Mac(std::string_view key, uint32_t number, std::string_view message) {
  return HmacMd5(key, Number(number).append(message)).substr(0, kMacSize);
}

}  // namespace

DigestSecret SecretOf(std::string_view identifier, std::string_view password) {
  return {Base64(identifier), Base64(password)};
}

DigestMd5::DigestMd5(DigestSecret secret, std::string service, std::string cnonce, Accepted accepted)
    : secret_(std::move(secret)),
      service_(std::move(service)),
      cnonce_(std::move(cnonce)),
      accepted_(std::move(accepted)) {}
DigestMd5::~DigestMd5() = default;

Result<std::string> DigestMd5::Start(const std::optional<std::string>& challenge) {
  // If the server's list has no challenge for this mechanism, the challenge follows later. The first token is then
  // empty.
  if (!challenge) return std::string();
  return Step(*challenge);
}

Status DigestMd5::Choose() {
  struct {
    const char* qop;
    Protection protection;
  } constexpr kStrongestFirst[] = {
      {"auth-conf", Protection::kPrivacy}, {"auth-int", Protection::kIntegrity}, {"auth", Protection::kAuthentication}};
  int offered = 0;
  for (const auto& [qop, protection] : kStrongestFirst) {
    if (!Offers(challenge_.qops, qop)) continue;
    if (protection == Protection::kPrivacy && !Offers(challenge_.ciphers, "3des")) continue;
    offered |= static_cast<int>(protection);
    if (!qop_.empty() || (accepted_.mask & static_cast<int>(protection)) == 0) continue;
    qop_ = qop;
    protection_ = protection;
  }
  if (offered == 0) {
    return Failed("the server's DIGEST-MD5 challenge offers no supported protection (the cipher 3des is needed)");
  }
  if (qop_.empty()) {
    return Failed("the server offers only the protection " + principals::OffersText(offered) + ", but " +
                  accepted_.from + " allows only " + principals::OffersText(accepted_.mask));
  }
  if (protection_ != Protection::kAuthentication && challenge_.max_buffer < 256) {
    return Failed("the server's DIGEST-MD5 challenge limits records to " + std::to_string(challenge_.max_buffer) +
                  " bytes");
  }
  return {};
}

std::string DigestMd5::Response(std::string_view a2_prefix) const {
  std::string a2 = std::string(a2_prefix) + service_;
  if (protection_ != Protection::kAuthentication) a2 += ":00000000000000000000000000000000";
  return Hex(Md5(Hex(ha1_) + ":" + challenge_.nonce + ":00000001:" + cnonce_ + ":" + qop_ + ":" + Hex(Md5(a2))));
}

Result<std::string> DigestMd5::Step(std::string_view challenge) {
  if (answered_) return Failed("the server sent a second challenge");
  HOWDAH_TRY(challenge_, ParseDigestChallenge(challenge));
  HOWDAH_TRY_STATUS(Choose());
  const std::string secret = Md5(secret_.user + ":" + challenge_.realm + ":" + secret_.password);
  if (secret.empty()) {
    return Failed("tokens of Hadoop need MD5, which OpenSSL refuses on this machine (FIPS mode)");
  }
  ha1_ = Md5(secret + ":" + challenge_.nonce + ":" + cnonce_);
  answered_ = true;
  return "charset=utf-8,username=" + Quote(secret_.user) + ",realm=" + Quote(challenge_.realm) +
         ",nonce=" + Quote(challenge_.nonce) + ",nc=00000001,cnonce=" + Quote(cnonce_) +
         ",digest-uri=" + Quote(service_) + ",maxbuf=65536,response=" + Response("AUTHENTICATE:") + ",qop=" + qop_ +
         (protection_ == Protection::kPrivacy ? ",cipher=\"3des\"" : "");
}

Status DigestMd5::Finish(const std::optional<std::string>& token) {
  if (!answered_) return Failed("the server sent SUCCESS before a challenge");
  if (FindDirective(token.value_or(""), "rspauth") != Response(":")) {
    return Failed("the server does not know the token's secret: another server issued the token");
  }
  if (protection_ == Protection::kAuthentication) return {};
  const std::string magic = " signing key magic constant";
  send_key_ = Md5(ha1_ + "Digest session key to client-to-server" + magic);
  receive_key_ = Md5(ha1_ + "Digest session key to server-to-client" + magic);
  if (protection_ == Protection::kPrivacy) {
    const std::string up = Md5(ha1_ + "Digest H(A1) to client-to-server sealing key magic constant");
    const std::string down = Md5(ha1_ + "Digest H(A1) to server-to-client sealing key magic constant");
    seal_ = std::make_unique<TripleDes>(TripleDes::Direction::kEncrypt, up);
    unseal_ = std::make_unique<TripleDes>(TripleDes::Direction::kDecrypt, down);
  }
  return {};
}

size_t DigestMd5::wrap_size() const {
  const size_t most = std::min<size_t>(challenge_.max_buffer, 65536);
  switch (protection_) {
    case Protection::kAuthentication:
      return 0;
    case Protection::kIntegrity:
      return most - kMacSize - kTailSize;
    case Protection::kPrivacy:
      return most - kMacSize - kTailSize - kBlock - 2;  // reserve as much for padding as the JDK's client
  }
  return 0;
}

Result<std::string> DigestMd5::Wrap(std::string_view bytes) {
  const std::string mac = Mac(send_key_, sent_, bytes);
  std::string record(bytes);
  if (protection_ == Protection::kPrivacy) {
    const size_t padding = kBlock - (bytes.size() + kMacSize) % kBlock;
    HOWDAH_TRY(record, seal_->Run(record.append(padding, static_cast<char>(padding)) + mac));
  } else {
    record += mac;
  }
  return record.append("\0\1", 2).append(Number(sent_++));
}

Result<std::string> DigestMd5::Unwrap(std::string_view token) {
  const Error forged = Failed("the integrity check of the server's message failed; the connection is not trustworthy");
  if (token.size() < kMacSize + kTailSize) return forged;
  const std::string_view tail = token.substr(token.size() - kTailSize);
  if (tail != std::string("\0\1", 2) + Number(received_)) return forged;
  std::string message(token.substr(0, token.size() - kTailSize));
  size_t padding = 0;
  if (protection_ == Protection::kPrivacy) {
    if (message.size() % kBlock != 0) return forged;
    HOWDAH_TRY(message, unseal_->Run(message));
    if (message.size() <= kMacSize) return forged;
    padding = static_cast<unsigned char>(message[message.size() - kMacSize - 1]);
    if (padding == 0 || padding > kBlock || padding + kMacSize > message.size()) return forged;
  }
  const std::string mac = message.substr(message.size() - kMacSize);
  message.resize(message.size() - kMacSize - padding);
  if (Mac(receive_key_, received_++, message) != mac) return forged;
  return message;
}

}  // namespace howdah::hadoop::sasl
