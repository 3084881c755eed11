// Converts Hadoop's message for tokens.
#pragma once

#include "howdah/hadoop/messages/security.pb.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::hadoop::rpc {

inline Token FromProto(const ::hadoop::common::TokenProto& proto) {
  return {proto.identifier(), proto.password(), proto.kind(), proto.service()};
}

inline ::hadoop::common::TokenProto ToProto(const Token& token) {
  ::hadoop::common::TokenProto proto;
  proto.set_identifier(token.identifier);
  proto.set_password(token.password);
  proto.set_kind(token.kind);
  proto.set_service(token.service);
  return proto;
}

}  // namespace howdah::hadoop::rpc
