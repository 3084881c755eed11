#include "request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::hadoop::fileserver {
namespace {

using ::testing::HasSubstr;

TEST(Request, AllKeysAreRead) {
  const auto request = ParseRequest(
      R"({"id": 7, "op": "rename", "fs": "hdfs://ns1", "path": "/\u00e4", "to": "/b", "file": 16, "offset": 1,
          "length": 2, "until": 4, "memory": 8192,
          "overwrite": true, "recursive": true, "replication": 3, "block_size": 1048576, "later": []})");
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(*request, (Request{.id = 7,
                               .op = "rename",
                               .fs = "hdfs://ns1",
                               .path = "/ä",
                               .to = "/b",
                               .file = 16,
                               .offset = 1,
                               .length = 2,
                               .until = 4,
                               .memory = 8192,
                               .in_memory = true,
                               .overwrite = true,
                               .recursive = true,
                               .replication = 3,
                               .block_size = 1048576}));
}

TEST(Request, AbsentKeysHaveTheirDefaults) {
  EXPECT_EQ(*ParseRequest(R"({"id": 0, "op": "stat"})"), (Request{.id = 0, .op = "stat"}));
}

TEST(Request, InvalidHeadersAreErrors) {
  for (const auto& [header, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "not a JSON object"},
           {"[1]", "not a JSON object"},
           {"{\"id\": 1", "not a JSON object"},
           {"\xff\xfe", "not a JSON object"},
           {R"({"op": "stat"})", "lacks `id` or `op`"},
           {R"({"id": 1})", "lacks `id` or `op`"},
           {R"({"id": "1", "op": "stat"})", "id is not a whole number"},
           {R"({"id": 1, "op": "read", "file": 1, "offset": -1})", "offset is not a whole number"},
           {R"({"id": 1, "op": "read", "length": 1.5})", "length is not a whole number"},
           {R"({"id": 1, "op": "read", "length": 18446744073709551615})", "length is not a whole number"},
           {R"({"id": 1, "op": "read", "memory": -1})", "memory is not a whole number"},
           {R"({"id": 1, "op": "stat", "path": ["/a"]})", "path is not a string"},
           {R"({"id": 1, "op": "stat", "path": "/a\u0000b"})", "path has a zero byte"},
           {R"({"id": 1, "op": "stat", "path": "/\ud800"})", "not a JSON object"},
           {R"({"id": 1, "op": "create", "overwrite": 1})", "overwrite is not true or false"},
           {std::string(100'000, '['), "nested too deeply"}}) {
    const auto request = ParseRequest(header);
    ASSERT_FALSE(request.ok()) << header;
    EXPECT_THAT(request.error().message, HasSubstr("invalid request: ")) << header;
    EXPECT_THAT(request.error().message, HasSubstr(why)) << header;
  }
}

}  // namespace
}  // namespace howdah::hadoop::fileserver
