#include "howdah/backend/yarn/layout.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

TEST(StoredName, HasNoColonAndCanBeReversed) {
  for (const std::string name : {"", "model.pt", ":", "a:b::c/12:00:00.log", "a%3Ab"}) {
    EXPECT_EQ(StoredName(name).find(':'), std::string::npos) << name;
    EXPECT_EQ(OriginalName(StoredName(name)), name);
  }
  EXPECT_EQ(StoredName("out/a%3Ab"), "out/a%3Ab");
}

}  // namespace
}  // namespace howdah::backend::yarn
