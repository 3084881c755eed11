// For tests: a process that reads a feed.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "howdah/os/files/fd.h"

namespace howdah::feed::server {

// Runs the loop until a condition holds. Returns false if it does not hold within a minute.
inline bool RunUntil(boost::asio::io_context& loop, const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    loop.restart();
    loop.run_one_for(std::chrono::milliseconds(20));
  }
  return true;
}

class TestProcess {
 public:
  struct Message {
    nlohmann::json json;
    std::vector<os::files::Fd> files;
  };

  explicit TestProcess(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }

  void Send(const std::string& text, const std::vector<int>& files = {}) {
    iovec part{const_cast<char*>(text.data()), text.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {};
    if (!files.empty()) {
      header.msg_control = control;
      header.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
      cmsghdr* const rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
      std::memcpy(CMSG_DATA(rights), files.data(), files.size() * sizeof(int));
    }
    EXPECT_EQ(::sendmsg(socket_.get(), &header, MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // Returns nullopt if there is no message now.
  std::optional<Message> Receive() {
    std::string text(128 << 10, '\0');
    alignas(cmsghdr) char control[CMSG_SPACE(253 * sizeof(int))];
    iovec part{text.data(), text.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    closed_ = size == 0;
    if (size <= 0) return std::nullopt;
    Message message{nlohmann::json::parse(text.substr(0, static_cast<size_t>(size))), {}};
    for (cmsghdr* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
      for (size_t i = 0; i < (one->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(one) + i * sizeof fd, sizeof fd);
        message.files.emplace_back(fd);
      }
    }
    return message;
  }
  // Runs the loop until a message comes. Returns null if the connection is closed instead.
  Message Await(boost::asio::io_context& loop) {
    std::optional<Message> message;
    EXPECT_TRUE(RunUntil(loop, [&] {
      message = Receive();
      return message || closed_;
    })) << "no message";
    return message ? std::move(*message) : Message{};
  }
  void Close() { socket_.Close(); }

 private:
  os::files::Fd socket_;
  bool closed_ = false;
};

}  // namespace howdah::feed::server
