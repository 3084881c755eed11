// The protection of the bytes of a connection to a DataNode, after its handshake.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "howdah/hadoop/sasl/mechanism.h"

namespace howdah::hadoop::hdfs {

// Pure; one object per connection. The functions must get all bytes, in order.
class TransferCodec {
 public:
  virtual ~TransferCodec() = default;
  // Appends the protected form of `plain` to `wire`.
  virtual Status Encode(std::string_view plain, std::string& wire) = 0;
  // Appends the plain form of received bytes to `plain`. Keeps an incomplete record until the rest is received. Any
  // bytes are safe.
  virtual Status Decode(std::string_view wire, std::string& plain) = 0;
};

// Records with their length in front, each wrapped by a mechanism: qop auth-int and auth-conf
// (org.apache.hadoop.security.SaslOutputStream). The mechanism has finished, and its wrap_size is not 0.
std::unique_ptr<TransferCodec> MakeRecordCodec(std::unique_ptr<sasl::Mechanism> mechanism);

// One stream of AES/CTR in each direction. `option`: the DataNode's answer, whose keys are wrapped by `mechanism`
// (DataTransferSaslUtil.unwrap). inKey belongs to the direction from the client to the server.
Result<std::unique_ptr<TransferCodec>> MakeAesCodec(const ::hadoop::hdfs::CipherOptionProto& option,
                                                    sasl::Mechanism& mechanism);

}  // namespace howdah::hadoop::hdfs
