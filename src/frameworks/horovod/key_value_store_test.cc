#include "howdah/frameworks/horovod/key_value_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::frameworks::horovod {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Answer = KeyValueStore::Answer;

const Instant kNow{Duration(1'000'000)};

TEST(KeyValueStore, ValueIsReturnedUntilDeleted) {
  KeyValueStore store(1000);
  const std::string value("\0 any\xff", 6);
  EXPECT_THAT(store.OnRequest(1, {"PUT", "/global/0", value}, kNow), ElementsAre(Answer{1, 200, ""}));
  EXPECT_THAT(store.OnRequest(2, {"GET", "/global/0", ""}, kNow), ElementsAre(Answer{2, 200, value}));
  EXPECT_THAT(store.OnRequest(3, {"PUT", "/global/0", "new"}, kNow), ElementsAre(Answer{3, 200, ""}));
  EXPECT_THAT(store.OnRequest(4, {"GET", "/global/0", ""}, kNow), ElementsAre(Answer{4, 200, "new"}));
  EXPECT_THAT(store.OnRequest(5, {"DELETE", "/global/0", ""}, kNow), ElementsAre(Answer{5, 200, ""}));
  EXPECT_THAT(store.OnRequest(6, {"DELETE", "/global/0", ""}, kNow), ElementsAre(Answer{6, 200, ""}));
  EXPECT_THAT(store.OnRequest(7, {"GET", "/global/0", ""}, kNow), IsEmpty());
}

TEST(KeyValueStore, PutAnswersHeldGets) {
  KeyValueStore store(1000);
  EXPECT_THAT(store.OnRequest(1, {"GET", "/s/a", ""}, kNow), IsEmpty());
  EXPECT_THAT(store.OnRequest(2, {"GET", "/s/b", ""}, kNow), IsEmpty());
  EXPECT_THAT(store.OnRequest(3, {"GET", "/s/a", ""}, kNow + milliseconds(100)), IsEmpty());
  EXPECT_THAT(store.OnRequest(4, {"PUT", "/s/a", "x"}, kNow + milliseconds(200)),
              ElementsAre(Answer{4, 200, ""}, Answer{1, 200, "x"}, Answer{3, 200, "x"}));
  EXPECT_EQ(store.NextDeadline(), kNow + milliseconds(500));
  EXPECT_THAT(store.OnTime(kNow + milliseconds(499)), IsEmpty());
  EXPECT_THAT(store.OnTime(kNow + milliseconds(500)), ElementsAre(Answer{2, 404, ""}));
  EXPECT_EQ(store.NextDeadline(), std::nullopt);
}

TEST(KeyValueStore, HeldGetWithoutLimitHasNoDeadline) {
  KeyValueStore store(1000, std::nullopt);
  EXPECT_THAT(store.OnRequest(1, {"GET", "/s/a", ""}, kNow), IsEmpty());
  EXPECT_EQ(store.NextDeadline(), std::nullopt);
  EXPECT_THAT(store.OnRequest(2, {"PUT", "/s/b", "x"}, kNow), ElementsAre(Answer{2, 200, ""}));
  EXPECT_THAT(store.Clear(), ElementsAre(Answer{1, 404, ""}));
  EXPECT_THAT(store.OnRequest(3, {"GET", "/s/b", ""}, kNow), IsEmpty());
}

TEST(KeyValueStore, InvalidRequestIsRejected) {
  KeyValueStore store(10);
  for (const char* path : {"", "/", "/scope", "/scope/", "//key", "scope/key"}) {
    EXPECT_THAT(store.OnRequest(1, {"PUT", path, ""}, kNow), ElementsAre(Answer{1, 400, ""})) << path;
  }
  EXPECT_THAT(store.OnRequest(1, {"POST", "/s/a", ""}, kNow), ElementsAre(Answer{1, 405, ""}));
}

TEST(KeyValueStore, PutBeyondSizeLimitIsRejected) {
  KeyValueStore store(10);
  EXPECT_THAT(store.OnRequest(1, {"PUT", "/s/a", "123456"}, kNow), ElementsAre(Answer{1, 200, ""}));
  EXPECT_THAT(store.OnRequest(2, {"PUT", "/s/b", ""}, kNow), ElementsAre(Answer{2, 507, ""}));
  EXPECT_THAT(store.OnRequest(3, {"PUT", "/s/a", "654321"}, kNow), ElementsAre(Answer{3, 200, ""}));
  EXPECT_THAT(store.OnRequest(4, {"DELETE", "/s/a", ""}, kNow), ElementsAre(Answer{4, 200, ""}));
  EXPECT_THAT(store.OnRequest(5, {"PUT", "/s/b", ""}, kNow), ElementsAre(Answer{5, 200, ""}));
}

}  // namespace
}  // namespace howdah::frameworks::horovod
