#include "howdah/hadoop/fileserver/serve.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "frame.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/open.h"
#include "howdah/os/files/fd.h"

namespace howdah::hadoop::fileserver {
namespace {

using nlohmann::json;
using os::files::Fd;
using ::testing::HasSubstr;

std::unique_ptr<hdfs::FileSystem> OpenLocal() {
  const conf::Environment environment{[](const std::string&) { return std::optional<std::string>(); }, "ann", "/"};
  auto opened = hdfs::Open(conf::Configuration(environment), "file:///", {.user = "ann"});
  EXPECT_TRUE(opened.ok());
  return std::move(*opened);
}

// Local files, except that a NameNode rejects to delete a file, and that no directory can be made before `allow`.
class Restricted : public hdfs::FileSystem {
 public:
  explicit Restricted(std::mutex& blocked) : local_(OpenLocal()), blocked_(blocked) {}
  std::string uri() const override { return "hdfs://ns1"; }
  std::string home_directory() const override { return "/user/ann"; }
  std::string server_security() const override { return ""; }
  std::string transfer_protection() const override { return ""; }
  std::string encryption() const override { return ""; }
  Result<hdfs::FileStatus> Stat(const std::string& path) override { return local_->Stat(path); }
  Result<std::vector<hdfs::FileStatus>> List(const std::string& path) override { return local_->List(path); }
  Status MakeDirectories(const std::string& path, uint32_t permission) override {
    const std::lock_guard lock(blocked_);
    return local_->MakeDirectories(path, permission);
  }
  Status Rename(const std::string& from, const std::string& to, bool overwrite) override {
    return local_->Rename(from, to, overwrite);
  }
  Status Delete(const std::string& path, bool) override {
    return Error{ErrorCode::kFailed, "removing " + path + ": permission denied \xff", "org.apache.X"};
  }
  Status SetPermission(const std::string&, uint32_t) override { return {}; }
  Status SetTimes(const std::string&, int64_t) override { return {}; }
  Result<std::unique_ptr<hdfs::Writer>> Create(const std::string& path, const hdfs::CreateOptions& options) override {
    return local_->Create(path, options);
  }
  Result<std::unique_ptr<hdfs::Reader>> Open(const std::string& path) override { return local_->Open(path); }

 private:
  std::unique_ptr<hdfs::FileSystem> local_;
  std::mutex& blocked_;
};

// A client of a server that runs on a thread of its own.
class Served : public testing::Test {
 protected:
  Served() {
    int requests[2], answers[2];
    EXPECT_EQ(::pipe2(requests, O_CLOEXEC) + ::pipe2(answers, O_CLOEXEC), 0);
    server_in_ = Fd(requests[0]);
    in_ = Fd(requests[1]);
    out_ = Fd(answers[0]);
    server_out_ = Fd(answers[1]);
    folder_ = testing::TempDir() + "/fileserver-" + std::to_string(::getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    source_.open = [this](const std::string& uri) -> Result<Mounted> {
      ++opened_;
      if (uri == "hdfs://restricted") return Mounted{std::make_unique<Restricted>(blocked_)};
      if (uri != "file:///") return Error{ErrorCode::kUnavailable, "cannot reach '" + uri + "'"};
      return Mounted{OpenLocal(), 027};
    };
    source_.version = [this] { return version_.load(); };
    EXPECT_EQ(::ftruncate(memory_.get(), kMemory), 0);
    EXPECT_EQ(::fcntl(memory_.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    server_ = std::thread([this] {
      end_ = Serve({server_in_.get(), server_out_.get(), memory_.get()}, source_);
      server_out_.Close();
    });
  }
  ~Served() override {
    if (server_.joinable()) static_cast<void>(End());
    std::filesystem::remove_all(folder_);
  }

  void Send(json request, const std::string& payload = "") {
    request["id"] = ++id_;
    ASSERT_TRUE(WriteFrame(in_.get(), request.dump(), payload).ok());
  }
  struct Received {
    json header;
    std::string payload;
  };
  Received Receive() {
    auto frame = ReadFrame(out_.get());
    EXPECT_TRUE(frame.ok() && *frame) << "the server has ended";
    if (!frame.ok() || !*frame) return {};
    return {json::parse((*frame)->header), (*frame)->payload};
  }
  // Sends a request and returns its answer, which must be the next one.
  Received Ask(const json& request, const std::string& payload = "") {
    Send(request, payload);
    Received received = Receive();
    EXPECT_EQ(received.header.value("id", 0), id_);
    return received;
  }
  json Local(const std::string& op, const std::string& name) {
    return {{"op", op}, {"fs", "file:///"}, {"path", folder_ + "/" + name}};
  }
  Status End() {
    in_.Close();
    server_.join();
    return end_;
  }

  static constexpr int64_t kMemory = 1 << 20;
  std::string MemoryAt(int64_t offset, size_t size) const {
    std::string bytes(size, '\0');
    EXPECT_EQ(::pread(memory_.get(), bytes.data(), size, offset), static_cast<ssize_t>(size));
    return bytes;
  }

  std::string folder_;
  const Fd memory_{::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  Source source_;
  std::atomic<int> opened_ = 0;
  std::atomic<int64_t> version_ = 0;
  std::mutex blocked_;
  Fd in_, out_, server_in_, server_out_;
  int id_ = 0;
  Status end_;
  std::thread server_;
};

TEST_F(Served, WrittenFileIsReadAtAnyOffset) {
  const int64_t writer = Ask(Local("create", "dir/a")).header.at("file");
  EXPECT_FALSE(Ask({{"op", "write"}, {"file", writer}}, "0123").header.contains("error"));
  EXPECT_FALSE(Ask({{"op", "write"}, {"file", writer}}, "456789").header.contains("error"));
  EXPECT_FALSE(Ask({{"op", "close"}, {"file", writer}}).header.contains("error"));
  const json opened = Ask(Local("open", "dir/a")).header;
  EXPECT_EQ(opened.at("size"), 10);
  for (const auto& [offset, length, bytes] : std::vector<std::tuple<int64_t, int64_t, std::string>>{
           {4, 3, "456"}, {0, 2, "01"}, {8, 100, "89"}, {10, 1, ""}, {INT64_MAX, 1, ""}, {3, 0, ""}}) {
    EXPECT_EQ(Ask({{"op", "read"}, {"file", opened.at("file")}, {"offset", offset}, {"length", length}}).payload,
              bytes);
  }
  const json status = Ask(Local("stat", "dir/a")).header;
  EXPECT_EQ(status.at("length"), 10);
  EXPECT_EQ(status.at("permission"), 0640);
  EXPECT_FALSE(status.at("directory"));
  EXPECT_FALSE(Ask({{"op", "close"}, {"file", opened.at("file")}}).header.contains("error"));
  EXPECT_TRUE(End().ok());
}

TEST_F(Served, BytesAreReadIntoSharedMemory) {
  const int64_t writer = Ask(Local("create", "a")).header.at("file");
  EXPECT_FALSE(Ask({{"op", "write"}, {"file", writer}}, "0123456789").header.contains("error"));
  EXPECT_FALSE(Ask({{"op", "close"}, {"file", writer}}).header.contains("error"));
  const int64_t file = Ask(Local("open", "a")).header.at("file");
  const auto read = [&](int64_t offset, int64_t length, int64_t memory) {
    return Ask({{"op", "read"}, {"file", file}, {"offset", offset}, {"length", length}, {"memory", memory}});
  };
  const Received received = read(2, 3, 100);
  EXPECT_EQ(received.header.at("read"), 3);
  EXPECT_EQ(received.payload, "");
  EXPECT_EQ(MemoryAt(99, 5), std::string("\0"
                                         "234\0",
                                         5));
  EXPECT_EQ(read(8, 100, kMemory - 100).header.at("read"), 2);  // the end of the file
  EXPECT_EQ(MemoryAt(kMemory - 100, 3), std::string("89\0", 3));
  EXPECT_EQ(read(10, 1, 0).header.at("read"), 0);
  for (const auto& [length, memory] :
       std::vector<std::pair<int64_t, int64_t>>{{101, kMemory - 100}, {1, kMemory}, {1, INT64_MAX}, {kMaxPayload, 1}}) {
    EXPECT_THAT(read(0, length, memory).header.at("error").at("message"), HasSubstr("not within the shared memory"));
  }
}

TEST_F(Served, DirectoriesAreMadeListedRenamedAndRemoved) {
  EXPECT_FALSE(Ask(Local("mkdirs", "a/b")).header.contains("error"));
  const json listed = json::parse(Ask(Local("list", "a")).payload);
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].at("name"), "b");
  EXPECT_EQ(listed[0].at("permission"), 0750);
  json rename = Local("rename", "a/b");
  rename["to"] = folder_ + "/c";
  EXPECT_FALSE(Ask(rename).header.contains("error"));
  EXPECT_EQ(Ask(rename).header.at("error").at("code"), "not_found");
  json remove = Local("delete", "c");
  EXPECT_TRUE(Ask(remove).header.at("directory"));
  EXPECT_EQ(Ask(remove).header.at("error").at("code"), "not_found");
}

TEST_F(Served, FilesThatAreNotClosedAreDeleted) {
  const int64_t discarded = Ask(Local("create", "a")).header.at("file");
  EXPECT_FALSE(Ask({{"op", "write"}, {"file", discarded}}, "x").header.contains("error"));
  EXPECT_FALSE(Ask({{"op", "discard"}, {"file", discarded}}).header.contains("error"));
  EXPECT_THAT(Ask({{"op", "write"}, {"file", discarded}}, "x").header.at("error").at("message"),
              HasSubstr("is not open"));
  const int64_t unfinished = Ask(Local("create", "b")).header.at("file");
  EXPECT_FALSE(Ask({{"op", "write"}, {"file", unfinished}}, "x").header.contains("error"));
  EXPECT_FALSE(std::filesystem::is_empty(folder_));
  EXPECT_TRUE(End().ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Served, ErrorsHaveCodeMessageAndClass) {
  const auto error_of = [this](const json& request) { return Ask(request).header.at("error"); };
  EXPECT_EQ(error_of(Local("open", "none")).at("code"), "not_found");
  EXPECT_EQ(error_of({{"op", "stat"}, {"path", "/"}}).at("code"), "unavailable");
  EXPECT_THAT(error_of({{"op", "chmod"}}).at("message"), HasSubstr("unknown operation 'chmod'"));
  for (const char* op : {"read", "write", "close", "discard"}) {
    EXPECT_EQ(error_of({{"op", op}, {"file", 999}}).at("message"), "the file 999 is not open");
    EXPECT_EQ(error_of({{"op", op}}).at("message"), "the file 0 is not open");
  }
  const json removed = error_of({{"op", "delete"}, {"fs", "hdfs://restricted"}, {"path", folder_}});
  EXPECT_EQ(removed.at("class"), "org.apache.X");
  EXPECT_EQ(removed.at("message"), "removing " + folder_ + ": permission denied \xEF\xBF\xBD");  // was no UTF-8
  const int64_t file = Ask(Local("create", "a")).header.at("file");
  EXPECT_FALSE(Ask({{"op", "close"}, {"file", file}}).header.contains("error"));
  const json opened = Ask(Local("open", "a")).header;
  EXPECT_THAT(error_of({{"op", "read"}, {"file", opened.at("file")}, {"length", kMaxPayload + 1}}).at("message"),
              HasSubstr(opened.at("size") == 0 ? "the limit is 16777216" : ""));
}

TEST_F(Served, SlowRequestDoesNotDelayOthers) {
  std::unique_lock lock(blocked_);
  Send({{"op", "mkdirs"}, {"fs", "hdfs://restricted"}, {"path", folder_ + "/slow"}});
  const int slow = id_;
  for (size_t i = 0; i < kMaxThreads; ++i) EXPECT_FALSE(Ask(Local("stat", "")).header.contains("error"));
  lock.unlock();
  EXPECT_EQ(Receive().header.at("id"), slow);
  EXPECT_LE(opened_, 3);  // idle threads are used again
}

TEST_F(Served, ManyOpenFilesShareTheThreads) {
  std::vector<int64_t> files;
  for (size_t i = 0; i < 3 * kMaxThreads; ++i) {
    files.push_back(Ask(Local("create", std::to_string(i))).header.at("file"));
  }
  for (const int64_t file : files) Send({{"op", "write"}, {"file", file}}, std::to_string(file));
  for (const int64_t file : files) Send({{"op", "close"}, {"file", file}});
  for (size_t i = 0; i < 2 * files.size(); ++i) EXPECT_FALSE(Receive().header.contains("error"));
  for (size_t i = 0; i < files.size(); ++i) {
    const json opened = Ask(Local("open", std::to_string(i))).header;
    EXPECT_EQ(Ask({{"op", "read"}, {"file", opened.at("file")}, {"length", 100}}).payload, std::to_string(files[i]));
  }
  EXPECT_EQ(opened_, static_cast<int>(kMaxThreads));
}

TEST_F(Served, NewerCredentialsOpenTheFileSystemAgain) {
  EXPECT_FALSE(Ask(Local("stat", "")).header.contains("error"));
  EXPECT_FALSE(Ask(Local("stat", "")).header.contains("error"));
  EXPECT_EQ(opened_, 1);
  ++version_;
  EXPECT_FALSE(Ask(Local("stat", "")).header.contains("error"));
  EXPECT_EQ(opened_, 2);
}

TEST(Memory, FileThatCanShrinkIsRefused) {
  const Fd file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(file.get(), 4096), 0);
  EXPECT_EQ(Serve({-1, -1, file.get()}, {}).error().message, "the shared memory is not sealed against shrinking");
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_THAT(Serve({-1, -1, null.get()}, {}).error().message, HasSubstr("examining the shared memory"));
}

TEST_F(Served, InvalidFrameEndsTheServer) {
  ASSERT_TRUE(WriteFrame(in_.get(), "{}", "").ok());
  EXPECT_FALSE(ReadFrame(out_.get())->has_value());
  EXPECT_EQ(End().error().message, "invalid request: it lacks `id` or `op`");
}

}  // namespace
}  // namespace howdah::hadoop::fileserver
