// For tests: an AM and executors that record their messages.
#pragma once

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "howdah/rpc/am_server.h"
#include "howdah/rpc/executor_link.h"
#include "test_loop.h"

namespace howdah::rpc {

inline wire::FromExecutor Registering(const std::string& container) {
  wire::FromExecutor message;
  message.mutable_register_()->set_container(container);
  return message;
}

inline wire::FromExecutor StartedAttempt(int attempt) {
  wire::FromExecutor message;
  message.mutable_started()->set_attempt(attempt);
  return message;
}

inline wire::ToExecutor Starting(int attempt) {
  wire::ToExecutor message;
  message.mutable_start()->set_attempt(attempt);
  return message;
}

// An AM that records all messages.
struct ServedAm {
  explicit ServedAm(const Identity& identity, TestLoop& loop, const std::string& host = "127.0.0.1") {
    AmServer::Handlers handlers;
    handlers.on_message = [this](ConnectionId id, wire::FromExecutor message) {
      if (message.has_register_()) ids[message.register_().container()] = id;
      messages[id].push_back(message);
      if (on_message) on_message(id, message);
    };
    handlers.on_closed = [this](ConnectionId id) {
      closed.push_back(id);
      if (on_closed) on_closed(id);
    };
    handlers.on_control = [this](wire::ControlRequest request, std::function<void(wire::ControlReply)> reply) {
      requests.push_back(request);
      if (on_control) return on_control(request, reply);
      wire::ControlReply answer;
      answer.set_status_json("{}");
      reply(answer);
    };
    auto started = AmServer::Start(host, identity, loop.post(), handlers);
    EXPECT_TRUE(started.ok()) << started.error().message;
    if (started.ok()) server = std::move(*started);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server->port()); }

  std::map<std::string, ConnectionId> ids;
  std::map<ConnectionId, std::vector<wire::FromExecutor>> messages;
  std::vector<ConnectionId> closed;
  std::vector<wire::ControlRequest> requests;
  std::function<void(ConnectionId, const wire::FromExecutor&)> on_message;
  std::function<void(ConnectionId)> on_closed;
  std::function<void(const wire::ControlRequest&, std::function<void(wire::ControlReply)>)> on_control;
  std::unique_ptr<AmServer> server;
};

struct Executor {
  Executor(const std::string& address, const Identity& identity, TestLoop& loop)
      : link(ExecutorLink::Connect(address, identity, loop.post(), handlers())) {}
  // Over a socket pair.
  Executor(ServedAm& am, TestLoop& loop) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    am.server->AddExecutor(os::files::Fd(ends[0]));
    link = ExecutorLink::Over(os::files::Fd(ends[1]), am.address(), loop.post(), handlers());
  }
  ExecutorLink::Handlers handlers() {
    return {.on_message = [this](wire::ToExecutor message) { messages.push_back(std::move(message)); },
            .on_closed = [this](std::string why) { closed.push_back(std::move(why)); },
            .on_sent = nullptr};
  }
  std::vector<wire::ToExecutor> messages;
  std::vector<std::string> closed;
  std::unique_ptr<ExecutorLink> link;
};

}  // namespace howdah::rpc
