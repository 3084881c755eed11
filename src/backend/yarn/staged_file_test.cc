#include "howdah/backend/yarn/staged_file.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

TEST(StagedFile, UriIsSplitIntoTheFieldsOfTheMessage) {
  struct Row {
    const char *uri, *scheme, *user, *host;
    int port;
    const char* file;
  };
  for (const Row& row :
       {Row{"hdfs://ns1/user/ann/a b#%41.py", "hdfs", "", "ns1", -1, "/user/ann/a b#%41.py"},
        Row{"hdfs://nn.example.com:8020/x", "hdfs", "", "nn.example.com", 8020, "/x"},
        Row{"hdfs://[::1]:8020/x", "hdfs", "", "[::1]", 8020, "/x"},
        Row{"hdfs://[::1]/x", "hdfs", "", "[::1]", -1, "/x"}, Row{"file:///nfs/x", "file", "", "", -1, "/nfs/x"},
        Row{"file:/nfs/x", "file", "", "", -1, "/nfs/x"},
        Row{"abfss://box@account.example.com/x", "abfss", "box", "account.example.com", -1, "/x"},
        Row{"/plain:path", "", "", "", -1, "/plain:path"}}) {
    const auto proto = ToProto(StagedFile{.uri = row.uri});
    EXPECT_EQ(proto.resource().scheme(), row.scheme) << row.uri;
    EXPECT_EQ(proto.resource().userinfo(), row.user) << row.uri;
    EXPECT_EQ(proto.resource().host(), row.host) << row.uri;
    EXPECT_TRUE(proto.resource().has_port()) << row.uri;
    EXPECT_EQ(proto.resource().port(), row.port) << row.uri;
    EXPECT_EQ(proto.resource().file(), row.file) << row.uri;
  }
}

TEST(StagedFile, TypeAndVisibilityAreConverted) {
  const auto proto = ToProto(StagedFile{.uri = "hdfs://n/x",
                                        .size = 7,
                                        .modified_millis = 1700000000123,
                                        .type = StagedFile::Type::kArchive,
                                        .visibility = StagedFile::Visibility::kApplication});
  EXPECT_EQ(proto.size(), 7);
  EXPECT_EQ(proto.timestamp(), 1700000000123);
  EXPECT_EQ(proto.type(), ::hadoop::yarn::ARCHIVE);
  EXPECT_EQ(proto.visibility(), ::hadoop::yarn::APPLICATION);
  EXPECT_EQ(ToProto(StagedFile{}).type(), ::hadoop::yarn::FILE);
  EXPECT_EQ(ToProto(StagedFile{}).visibility(), ::hadoop::yarn::PRIVATE);
  EXPECT_EQ(ToProto(StagedFile{.visibility = StagedFile::Visibility::kPublic}).visibility(), ::hadoop::yarn::PUBLIC);
}

}  // namespace
}  // namespace howdah::backend::yarn
