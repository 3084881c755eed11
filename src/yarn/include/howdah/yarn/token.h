// Tokens as YARN sends them.
#pragma once

#include "howdah/hadoop/security.pb.h"
#include "howdah/hadooprpc/token.h"

namespace howdah::yarn {

inline hadooprpc::Token FromProto(const hadoop::common::TokenProto& proto) {
  return {proto.identifier(), proto.password(), proto.kind(), proto.service()};
}

}  // namespace howdah::yarn
