#include "name_node_errors.h"

#include <gmock/gmock.h>

#include <string>

namespace howdah::hadoop::hdfs {
namespace {

using ::testing::HasSubstr;

// Messages sent by a NameNode of Hadoop 3.3.6.
TEST(Explain, NameNodeExceptionGivesReasonAndRemedy) {
  struct Case {
    std::string remote_class, message, expected;
    ErrorCode code = ErrorCode::kFailed;
  };
  const std::string nn = "org.apache.hadoop.hdfs.server.namenode.", protocol = "org.apache.hadoop.hdfs.protocol.";
  const Case cases[] = {
      {nn + "SafeModeException",
       "Cannot create directory /x. Name node is in safe mode.\nIt was turned on manually. Use \"hdfs dfsadmin "
       "-safemode leave\" to turn safe mode off. NamenodeHostName:localhost",
       "HDFS is in safe mode and rejects changes (it was turned on by hand); wait until it leaves safe mode, or ask "
       "its "
       "administrator: hdfs dfsadmin -safemode leave",
       ErrorCode::kUnavailable},
      {nn + "SafeModeException",
       "Cannot create file/x. Name node is in safe mode.\nThe reported blocks 0 needs additional 17 blocks to reach "
       "the "
       "threshold 0.9990 of total blocks 18. ",
       "HDFS is in safe mode and rejects changes (The reported blocks 0 needs additional 17 blocks to reach the "
       "threshold 0.9990 of total blocks 18); wait",
       ErrorCode::kUnavailable},
      {protocol + "NSQuotaExceededException",
       "The NameSpace quota (directories and files) of directory /q is exceeded: quota=3 file count=4",
       "the directory /q may hold 3 files and directories (its name quota), and this would make 4; remove files there, "
       "or ask for more: hdfs dfsadmin -setQuota",
       ErrorCode::kUnavailable},
      {protocol + "DSQuotaExceededException",
       "The DiskSpace quota of /a b/q is exceeded: quota = 1048576 B = 1 MB but diskspace consumed = 268435456 B = 256 "
       "MB",
       "the directory /a b/q may hold 1 MiB, replicas included (its space quota), and this would make 256 MiB; remove "
       "files there, or ask for more: hdfs dfsadmin -setSpaceQuota",
       ErrorCode::kUnavailable},
      {protocol + "DSQuotaExceededException", "Something new\nand more", "Something new", ErrorCode::kUnavailable},
      {"java.io.FileNotFoundException", "File does not exist: /x", "File does not exist: /x", ErrorCode::kNotFound},
      {"org.apache.hadoop.security.AccessControlException",
       "Permission denied: user=ann, access=WRITE, inode=\"/\":root:supergroup:drwxr-xr-x",
       "Permission denied: user=ann, access=WRITE, inode=\"/\":root:supergroup:drwxr-xr-x"},
      {"", "no answer", "no answer"},
  };
  for (const Case& c : cases) {
    const Error error = Explain({ErrorCode::kFailed, c.message, c.remote_class});
    EXPECT_THAT(error.message, HasSubstr(c.expected));
    EXPECT_EQ(error.remote_class, c.remote_class);
    EXPECT_EQ(error.code, c.code) << c.message;
  }
}

TEST(Explain, RetriableExceptionsAreRecognised) {
  EXPECT_TRUE(
      IsNotReplicatedYet({ErrorCode::kFailed, "", "org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException"}));
  EXPECT_FALSE(IsNotReplicatedYet(Failed("NotReplicatedYetException")));
  const std::string full =
      "File /x could only be written to 0 of the 1 minReplication nodes. There are 1 datanode(s) running and 1 node(s) "
      "are excluded in this operation.";
  EXPECT_TRUE(IsWithoutDataNodes({ErrorCode::kFailed, full, "java.io.IOException"}));
  EXPECT_FALSE(IsWithoutDataNodes(Failed(full)));
  const ClusterSpace space{10LL << 30, 9LL << 30, 40 << 20};
  const Error explained = ExplainWithoutDataNodes({ErrorCode::kFailed, full, "java.io.IOException"}, &space);
  EXPECT_EQ(
      explained.message,
      "HDFS has no DataNode that can take a block: it has 10 GiB in total, uses 9 GiB, and has 40 MiB left (there are "
      "1 datanode(s) running and 1 node(s) are excluded in this operation); its DataNodes are full, down, or cannot be "
      "reached from here: hdfs dfsadmin -report");
  EXPECT_EQ(explained.remote_class, "java.io.IOException");
  const ClusterSpace none;
  EXPECT_THAT(ExplainWithoutDataNodes(Failed("x could only be written to 0"), &none).message,
              HasSubstr("can take a block; its DataNodes are full"));
}

TEST(Explain, MalformedMessagesAreSafe) {
  const std::string seeds[] = {"of directory  is exceeded: quota=",
                               "quota of x is exceeded: quota = consumed =",
                               "quota of x is exceeded: quota = 99999999999999999999 consumed = 1",
                               "\n",
                               "",
                               "\n\n."};
  for (const char* name : {"protocol.NSQuotaExceededException", "protocol.DSQuotaExceededException",
                           "server.namenode.SafeModeException"}) {
    for (const std::string& seed : seeds) {
      for (size_t cut = 0; cut <= seed.size(); ++cut) {
        const Error error =
            Explain({ErrorCode::kFailed, seed.substr(cut), "org.apache.hadoop.hdfs." + std::string(name)});
        EXPECT_EQ(error.code, ErrorCode::kUnavailable);
      }
    }
  }
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
