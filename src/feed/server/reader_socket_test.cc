#include "reader_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "howdah/os/files/testing.h"
#include "test_reader.h"

namespace howdah::feed::server {
namespace {

class ReaderSocketTest : public testing::Test {
 protected:
  struct Request {
    ConnectionId connection = 0;
    std::string text;
    std::function<void(ReaderReply)> reply;
  };
  ReaderSocketTest() {
    auto listening = ReaderSocket::Listen(
        loop, path,
        {.on_request =
             [this](ConnectionId connection, std::string_view text, os::files::Fd file, auto reply) {
               files.push_back(std::move(file));
               requests.push_back({connection, std::string(text), std::move(reply)});
             },
         .on_closed = [this](ConnectionId connection) { closed.push_back(connection); },
         .log = [this](const std::string& line) { log.push_back(line); }});
    if (!listening.ok()) std::abort();
    socket = std::move(*listening);
  }
  bool AwaitRequests(size_t count) {
    return RunUntil(loop, [&] { return requests.size() >= count; });
  }
  static ReaderReply Text(const std::string& text) { return {{text}}; }

  os::files::Scratch scratch;
  std::string path = scratch / "read";
  boost::asio::io_context loop;
  std::vector<Request> requests;
  std::vector<os::files::Fd> files;  // of the requests
  std::vector<ConnectionId> closed;
  std::vector<std::string> log;
  std::unique_ptr<ReaderSocket> socket;
};

TEST_F(ReaderSocketTest, EachReplyIsSentWhenItIsThere) {
  TestProcess process(path);
  process.Send("{\"id\":1}");
  process.Send("{\"id\":2}");
  ASSERT_TRUE(AwaitRequests(2));
  EXPECT_EQ(requests[0].text, "{\"id\":1}");
  requests[1].reply(Text("{\"of\":2}"));
  EXPECT_EQ(process.Await(loop).json["of"], 2) << "the first request waits";
  requests[0].reply({{"{\"of\":1,\"more\":true}"}, {"{\"of\":1}"}});
  EXPECT_TRUE(process.Await(loop).json.contains("more"));
  EXPECT_EQ(process.Await(loop).json["of"], 1);
}

TEST_F(ReaderSocketTest, ProcessReceivesFiles) {
  const auto file = std::make_shared<os::files::Fd>(::memfd_create("block", MFD_CLOEXEC));
  ASSERT_EQ(::write(file->get(), "rows", 4), 4);
  TestProcess process(path);
  process.Send("{}");
  ASSERT_TRUE(AwaitRequests(1));
  requests[0].reply({{"{}", std::vector<std::shared_ptr<const os::files::Fd>>(kMostFiles, file)}});
  const auto message = process.Await(loop);
  ASSERT_EQ(message.files.size(), kMostFiles);
  char bytes[4];
  ASSERT_EQ(::pread(message.files.back().get(), bytes, sizeof bytes, 0), 4);
  EXPECT_EQ(std::string(bytes, 4), "rows");
}

TEST_F(ReaderSocketTest, FirstFileOfARequestIsReceived) {
  TestProcess process(path);
  process.Send("{}");
  const auto open_files = [] {
    size_t count = 0;
    for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
  };
  ASSERT_TRUE(AwaitRequests(1));
  const size_t before = open_files();
  const os::files::Fd file(::memfd_create("answer", MFD_CLOEXEC));
  ASSERT_EQ(::write(file.get(), "answer", 6), 6);
  process.Send("{}", {file.get()});
  process.Send("{}", {file.get(), file.get(), file.get()});
  ASSERT_TRUE(AwaitRequests(3));
  EXPECT_FALSE(files[0].valid());
  for (size_t i = 1; i < 3; ++i) {
    char bytes[6];
    ASSERT_EQ(::pread(files[i].get(), bytes, sizeof bytes, 0), 6) << i;
    EXPECT_EQ(std::string(bytes, 6), "answer");
    EXPECT_NE(::fcntl(files[i].get(), F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_EQ(open_files(), before + 3) << "the file of this test, and one per request";
}

TEST_F(ReaderSocketTest, SeveralProcessesAreServed) {
  TestProcess first(path), second(path);
  first.Send("1");
  second.Send("2");
  ASSERT_TRUE(AwaitRequests(2));
  EXPECT_NE(requests[0].connection, requests[1].connection);
  for (const Request& request : requests) request.reply(Text("{\"to\":" + request.text + "}"));
  EXPECT_EQ(first.Await(loop).json["to"], 1);
  EXPECT_EQ(second.Await(loop).json["to"], 2);
}

TEST_F(ReaderSocketTest, EndOfAProcessIsReported) {
  const pid_t child = ::fork();
  if (child == 0) {
    TestProcess process(path);
    process.Send("last words");
    ::_exit(0);
  }
  ASSERT_TRUE(RunUntil(loop, [&] { return closed.size() == 1; }));
  ASSERT_EQ(requests.size(), 1U) << "the requests before the end count";
  EXPECT_EQ(closed[0], requests[0].connection);
  requests[0].reply(Text("{}"));  // has no effect
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(socket->connections(), 0U);
}

TEST_F(ReaderSocketTest, EndOfAProcessIsReportedWhileItsRequestsWait) {
  auto process = std::make_unique<TestProcess>(path);
  for (size_t i = 0; i < ReaderSocket::kMostOpen; ++i) {
    process->Send("{}");
    loop.poll();
  }
  ASSERT_TRUE(AwaitRequests(ReaderSocket::kMostOpen));
  process.reset();
  EXPECT_TRUE(RunUntil(loop, [&] { return closed.size() == 1; }));
}

// A process that does not receive its replies must not make the executor store them without a limit.
TEST_F(ReaderSocketTest, NothingIsReadWhileRepliesAreNotReceived) {
  TestProcess process(path);
  const std::string large(100'000, ' ');
  size_t sent = 0;
  const auto answer_all = [&] {
    for (Request& request : std::exchange(requests, {})) {
      request.reply(Text("{\"number\":" + std::to_string(sent++) + large + "}"));
    }
  };
  for (int i = 0; i < 20; ++i) {
    process.Send("{}");
    for (int turn = 0; turn < 10; ++turn) loop.poll(), answer_all();
  }
  EXPECT_LT(sent, 10U);
  for (size_t i = 0; i < 20; ++i) {
    std::optional<TestProcess::Message> message;
    ASSERT_TRUE(RunUntil(loop, [&] {
      answer_all();
      message = process.Receive();
      return message.has_value();
    }));
    EXPECT_EQ(message->json["number"], i);
  }
}

TEST_F(ReaderSocketTest, TooLargeRequestEndsTheConnection) {
  TestProcess process(path);
  process.Send(std::string(kMessageBytes, 'x'));
  ASSERT_TRUE(AwaitRequests(1));
  process.Send(std::string(kMessageBytes + 1, 'x'));
  EXPECT_TRUE(RunUntil(loop, [&] { return closed.size() == 1; }));
}

TEST_F(ReaderSocketTest, CloseAllEndsConnections) {
  TestProcess process(path);
  process.Send("{}");
  ASSERT_TRUE(AwaitRequests(1));
  socket->CloseAll();
  EXPECT_EQ(closed.size(), 1U);
  EXPECT_TRUE(process.Await(loop).json.is_null());
}

TEST_F(ReaderSocketTest, ErrorsNameThePath) {
  const auto again = ReaderSocket::Listen(loop, path, {});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "listening on " + path + ": Address already in use");
  const std::string long_path = scratch / std::string(120, 'x');
  const auto too_long = ReaderSocket::Listen(loop, long_path, {});
  ASSERT_FALSE(too_long.ok());
  EXPECT_EQ(too_long.error().message,
            "listening on " + long_path + ": the path of a unix socket has at most 107 bytes");
}

}  // namespace
}  // namespace howdah::feed::server
