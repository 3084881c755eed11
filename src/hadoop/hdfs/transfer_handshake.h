// The client's side of the handshake that protects a connection to a DataNode, without I/O: DIGEST-MD5 with the block's
// token, or with a key of the NameNode. Source: org.apache.hadoop.hdfs.protocol.datatransfer.sasl
// .SaslDataTransferClient.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/datatransfer.pb.h"
#include "howdah/hadoop/messages/security.pb.h"
#include "howdah/hadoop/principals/protection.h"
#include "howdah/hadoop/sasl/digest_md5.h"
#include "transfer_codec.h"

namespace howdah::hadoop::hdfs {

struct HandshakeLogin {
  sasl::DigestSecret secret;
  sasl::Accepted accepted;
  // The message for the DataNode with which the NameNode has determined the protection of this client
  // (dfs.namenode.send.qop.enabled), and the block's pool. Empty: there is none.
  std::string qop_message, block_pool;
};

// The login with a block's token. Any bytes of the token are safe.
HandshakeLogin LoginWithToken(const ::hadoop::common::TokenProto& token, const std::string& block_pool,
                              sasl::Accepted accepted);
// The login with a key of the NameNode (dfs.encrypt.data.transfer). Everything is encrypted.
HandshakeLogin LoginWithKey(const ::hadoop::hdfs::DataEncryptionKeyProto& key);

class TransferHandshake {
 public:
  using Message = ::hadoop::hdfs::DataTransferEncryptorMessageProto;

  // `cnonce`: see sasl::DigestMd5.
  TransferHandshake(HandshakeLogin login, std::string cnonce);

  // The first bytes to send.
  std::string Begin() const;
  // Processes an answer. Returns the next bytes to send, or nullopt at the end of the handshake.
  Result<std::optional<std::string>> Receive(const Message& message);
  // Whether the DataNode does not know the key (any more).
  bool key_unknown() const { return key_unknown_; }
  // How all further bytes are protected: "encrypted (AES/CTR)", "authenticated, with integrity". Valid after the end.
  std::string protection() const;
  // The codec of all further bytes; null if they are not protected. Call once, after the end.
  std::unique_ptr<TransferCodec> TakeCodec() { return std::move(codec_); }

 private:
  Status Finish(const Message& message);

  const HandshakeLogin login_;
  std::unique_ptr<sasl::DigestMd5> digest_;
  bool answered_ = false, key_unknown_ = false, aes_ = false;
  principals::Protection agreed_ = principals::Protection::kAuthentication;
  std::unique_ptr<TransferCodec> codec_;
};

}  // namespace howdah::hadoop::hdfs
