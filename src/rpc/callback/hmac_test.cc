#include "howdah/rpc/callback/hmac.h"

#include <gtest/gtest.h>

#include <string>

#include "howdah/base/text.h"

namespace howdah::rpc::callback {
namespace {

// Cases 2 and 3 of RFC 4231.
TEST(HmacSha256, ValuesAreThoseOfTheStandard) {
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Hex(HmacSha256(std::string(20, '\xaa'), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
}

}  // namespace
}  // namespace howdah::rpc::callback
