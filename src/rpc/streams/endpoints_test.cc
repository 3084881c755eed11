// Tests both ends of a frame stream in one loop. They are connected directly, without a network.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <deque>

#include "channel_io.h"
#include "howdah/os/process/testing.h"
#include "howdah/rpc/streams/remote_endpoint.h"
#include "socket_endpoint.h"

namespace howdah::rpc::streams {
namespace {

namespace asio = boost::asio;
using os::files::Fd;
using testing::ElementsAre;

class SocketEndpointTest : public testing::Test {
 protected:
  bool RunUntil(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    loop_.restart();
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      loop_.run_one_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  static std::pair<Fd, Fd> Pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    return {Fd(ends[0]), Fd(ends[1])};
  }
  // Appends all bytes that can be read now. Returns false at the end of the file.
  static bool Read(const Fd& fd, std::string& to) {
    char bytes[65536];
    const ssize_t size = read(fd.get(), bytes, sizeof bytes);
    if (size > 0) to.append(bytes, static_cast<size_t>(size));
    return size != 0;
  }
  asio::io_context loop_{1};
};

// A local and a remote socket with their endpoints.
struct Joined {
  explicit Joined(asio::io_context& loop, std::pair<Fd, Fd> a, std::pair<Fd, Fd> b)
      : client(std::move(a.first)), server(std::move(b.first)) {
    client_end =
        std::make_unique<SocketEnd>(loop, std::move(a.second), SocketEnd::Side::kClient,
                                    SocketEnd::Handlers{[&, this](const wire::Frame& f) {
                                                          asio::post(loop, [this, f] {
                                                            if (remote_end) remote_end->OnFrame(f);
                                                          });
                                                        },
                                                        [this](bool broken) { client_over.push_back(broken); }});
    remote_end =
        std::make_unique<SocketEnd>(loop, std::move(b.second), SocketEnd::Side::kRemote,
                                    SocketEnd::Handlers{[&, this](const wire::Frame& f) {
                                                          asio::post(loop, [this, f] {
                                                            if (client_end) client_end->OnFrame(f);
                                                          });
                                                        },
                                                        [this](bool broken) { remote_over.push_back(broken); }});
    client_end->Start();
    remote_end->Start();
  }
  Fd client, server;
  std::unique_ptr<SocketEnd> client_end, remote_end;
  std::vector<bool> client_over, remote_over;
};

TEST_F(SocketEndpointTest, DirectionsEndSeparately) {
  Joined joined(loop_, Pair(), Pair());
  ASSERT_EQ(write(joined.client.get(), "question", 8), 8);
  shutdown(joined.client.get(), SHUT_WR);
  std::string asked, answer;
  ASSERT_TRUE(RunUntil([&] { return !Read(joined.server, asked); }));
  EXPECT_EQ(asked, "question");
  EXPECT_TRUE(joined.client_over.empty());
  ASSERT_EQ(write(joined.server.get(), "answer", 6), 6);
  joined.server.Close();
  ASSERT_TRUE(RunUntil([&] { return !Read(joined.client, answer); }));
  EXPECT_EQ(answer, "answer");
  ASSERT_TRUE(RunUntil([&] { return !joined.client_over.empty() && !joined.remote_over.empty(); }));
  EXPECT_THAT(joined.client_over, ElementsAre(false));
  EXPECT_THAT(joined.remote_over, ElementsAre(false));
}

TEST_F(SocketEndpointTest, StoppedReaderReceivesOneWindow) {
  Joined joined(loop_, Pair(), Pair());
  const std::string block(kBlock, 'x');
  size_t written = 0;
  std::string asked;
  const auto write_some = [&] {
    const ssize_t size = write(joined.client.get(), block.data(), block.size());
    if (size > 0) written += static_cast<size_t>(size);
    return size > 0;
  };
  // Continue until the loop is idle and the socket accepts no more bytes.
  do {
    while (write_some()) {
    }
  } while (loop_.run_for(std::chrono::milliseconds(100)) > 0 || write_some());
  EXPECT_GE(written, kWindow);
  EXPECT_LT(written, 4 * kWindow);                   // one window plus the socket buffers
  ASSERT_EQ(write(joined.server.get(), "!", 1), 1);  // the other direction is not blocked
  std::string back;
  ASSERT_TRUE(RunUntil([&] {
    Read(joined.client, back);
    return back == "!";
  }));
  ASSERT_TRUE(RunUntil([&] {
    Read(joined.server, asked);
    return asked.size() == written;
  }));
}

TEST_F(SocketEndpointTest, BrokenStreamIsNotEndOfFile) {
  Joined joined(loop_, Pair(), Pair());
  joined.client_end->OnClosed();
  EXPECT_THAT(joined.client_over, ElementsAre(true));
  Joined half(loop_, Pair(), Pair());
  shutdown(half.client.get(), SHUT_WR);
  std::string asked;
  ASSERT_TRUE(RunUntil([&] { return !Read(half.server, asked); }));
  half.client_end->OnClosed();  // too early, because the other direction has not ended
  EXPECT_THAT(half.client_over, ElementsAre(true));
}

TEST_F(SocketEndpointTest, ExceedingTheWindowClosesTheEndpoint) {
  Joined joined(loop_, Pair(), Pair());
  wire::Frame frame;
  frame.mutable_data()->set_bytes(std::string(kBlock, 'x'));
  for (size_t i = 0; i < 2 * kWindow / kBlock; ++i) joined.remote_end->OnFrame(frame);
  EXPECT_THAT(joined.remote_over, ElementsAre(true));
}

TEST_F(SocketEndpointTest, BytesAfterBrokenPipeAreAcknowledged) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  signal(SIGPIPE, SIG_IGN);
  close(ends[0]);
  uint64_t taken = 0;
  int broken = 0;
  const auto in =
      std::make_shared<ChannelWriter>(loop_, std::make_shared<Fd>(ends[1]), ChannelWriter::Options{},
                                      ChannelWriter::Handlers{[&](const wire::Frame& f) { taken += f.taken().bytes(); },
                                                              [] {}, [&](const Error&) { ++broken; }});
  ASSERT_TRUE(in->Add("x"));
  ASSERT_TRUE(RunUntil([&] { return broken == 1; }));
  for (size_t i = 0; i < 100; ++i) ASSERT_TRUE(in->Add(std::string(kBlock, 'y')));
  EXPECT_GE(taken, 95 * kBlock);
}

// The frames sent by a remote endpoint.
struct SentFrames {
  RemoteEndpoint::Handlers handlers() {
    return {[this](const wire::Frame& f) {
              if (f.has_data()) (f.data().channel() == wire::ERRORS ? err : out) += f.data().bytes();
              if (f.has_exited()) exited = f.exited();
              if (f.kind_case() == wire::Frame::kFailed) failed = f.failed();
              opened |= f.has_opened();
            },
            [this](bool broken) { over.push_back(broken); }};
  }
  std::string out, err, failed;
  bool opened = false;
  std::optional<wire::Exited> exited;
  std::vector<bool> over;
};

class RemoteProcessTest : public SocketEndpointTest {
 protected:
  void Start(const std::string& script, const RemoteProcess::Terminal* terminal = nullptr) {
    auto started = RemoteProcess::Start(loop_, os::process::Bash(script, scratch_.path()), terminal, sent_.handlers());
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<RemoteProcess>>(started));
    process_ = std::get<std::unique_ptr<RemoteProcess>>(std::move(started));
  }
  void Send(const std::string& bytes) {
    wire::Frame frame;
    frame.mutable_data()->set_bytes(bytes);
    process_->OnFrame(frame);
  }
  void SendEnd() {
    wire::Frame frame;
    frame.set_end(wire::INPUT);
    process_->OnFrame(frame);
  }
  // Reaps the process, as an executor does.
  bool RunToEnd() {
    return RunUntil([&] {
      if (const auto status = reaped_ ? std::nullopt : os::process::Reap(process_->pid())) {
        reaped_ = true;
        process_->OnExited(*status);
      }
      return !sent_.over.empty();
    });
  }
  os::files::Scratch scratch_;
  SentFrames sent_;
  std::unique_ptr<RemoteProcess> process_;
  bool reaped_ = false;
};

TEST_F(RemoteProcessTest, AcknowledgementOfUnknownChannelIsIgnored) {
  Start("cat");
  for (const int channel : {INT_MIN, -1, static_cast<int>(wire::INPUT), 3, INT_MAX}) {
    wire::Frame frame;
    frame.mutable_taken()->set_channel(static_cast<wire::Channel>(channel));
    process_->OnFrame(frame);
  }
  Send("abc");
  SendEnd();
  ASSERT_TRUE(RunToEnd());
  EXPECT_EQ(sent_.out, "abc");
}

TEST_F(RemoteProcessTest, StreamsAreSeparateAndExitCodeIsLast) {
  Start("cat; echo bad >&2; exit 3");
  EXPECT_TRUE(sent_.opened);
  Send("one\n");
  Send("two\n");
  SendEnd();
  ASSERT_TRUE(RunToEnd());
  EXPECT_EQ(sent_.out, "one\ntwo\n");
  EXPECT_EQ(sent_.err, "bad\n");
  EXPECT_EQ(sent_.exited->code(), 3);
  EXPECT_THAT(sent_.over, ElementsAre(false));
}

TEST_F(RemoteProcessTest, SignalsReachProcessGroup) {
  Start("sleep 600 & echo ready; wait");
  ASSERT_TRUE(RunUntil([&] { return sent_.out == "ready\n"; }));
  wire::Frame frame;
  frame.set_signal(SIGTERM);
  process_->OnFrame(frame);
  ASSERT_TRUE(RunToEnd());
  EXPECT_EQ(sent_.exited->signal(), SIGTERM);
}

TEST_F(RemoteProcessTest, ProcessThatClosesItsInputStillReportsItsExitCode) {
  Start("exec <&-; exit 4");
  for (size_t i = 0; i < kWindow / kBlock / 2; ++i) Send(std::string(kBlock, 'x'));
  ASSERT_TRUE(RunToEnd());
  EXPECT_EQ(sent_.exited->code(), 4);
}

TEST_F(RemoteProcessTest, EndOfStreamSendsHangup) {
  Start("trap 'echo sent > sent; exit' HUP; echo ready; while :; do sleep 600 & wait; done");
  ASSERT_TRUE(RunUntil([&] { return sent_.out == "ready\n"; }));
  process_->OnClosed();
  ASSERT_TRUE(RunToEnd());
  EXPECT_THAT(sent_.over, ElementsAre(true));
  EXPECT_EQ(os::files::Content(scratch_ / "sent"), "sent\n");
}

TEST_F(RemoteProcessTest, TerminalHasSizeAndEndOfFile) {
  const RemoteProcess::Terminal terminal{"vt100", 33, 121};
  Start("stty -echo; stty size; read a; echo got $a; cat; exit 5", &terminal);
  ASSERT_TRUE(RunUntil([&] { return sent_.out.find("33 121") != std::string::npos; }));
  Send("x\n");
  SendEnd();
  ASSERT_TRUE(RunToEnd());
  EXPECT_THAT(sent_.out, testing::HasSubstr("got x\r\n"));
  EXPECT_EQ(sent_.exited->code(), 5);
}

TEST_F(SocketEndpointTest, ServerIsReachedByIpv4AndIpv6) {
  for (const int family : {AF_INET, AF_INET6}) {
    const Fd server(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = family == AF_INET ? reinterpret_cast<sockaddr*>(&v4) : reinterpret_cast<sockaddr*>(&v6);
    socklen_t size = family == AF_INET ? sizeof v4 : sizeof v6;
    if (bind(server.get(), address, size) != 0) continue;  // this machine has no IPv6
    ASSERT_EQ(listen(server.get(), 1), 0);
    getsockname(server.get(), address, &size);
    SentFrames sent;
    const auto end = ConnectLoopback(loop_, ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port), sent.handlers());
    ASSERT_TRUE(RunUntil([&] { return sent.opened; }));
    const Fd accepted(accept(server.get(), nullptr, nullptr));
    ASSERT_EQ(write(accepted.get(), "hi", 2), 2);
    ASSERT_TRUE(RunUntil([&] { return sent.out == "hi"; }));
  }
}

TEST_F(SocketEndpointTest, RefusedConnectionIsReported) {
  SentFrames sent;
  const auto end = ConnectLoopback(loop_, 1, sent.handlers());
  ASSERT_TRUE(RunUntil([&] { return !sent.over.empty(); }));
  EXPECT_EQ(sent.failed, "port 1 of the task's machine: nothing listens on it");
  EXPECT_FALSE(sent.opened);
}

}  // namespace
}  // namespace howdah::rpc::streams
