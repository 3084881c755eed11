// Shared by the tests of FlightServer and FlightClient: a loop, Arrow messages, and the owner of a server.
#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "flight_server.h"

namespace howdah::feed::server {

// The thread of the test runs the posted closures until a condition holds.
class TestLoop {
 public:
  rpc::Post post() {
    return [this](std::function<void()> closure) {
      std::lock_guard lock(mutex_);
      closures_.push_back(std::move(closure));
      filled_.notify_one();
    };
  }
  // Returns false if the limit was reached.
  bool RunUntil(const std::function<bool()>& done) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      std::function<void()> closure;
      {
        std::unique_lock lock(mutex_);
        if (!filled_.wait_until(lock, limit, [&] { return !closures_.empty(); })) return false;
        closure = std::move(closures_.front());
        closures_.pop_front();
      }
      closure();
    }
    return true;
  }
  // Runs `blocking` on another thread, and the loop meanwhile. Returns false if the limit was reached.
  bool Run(const std::function<void()>& blocking) {
    bool done = false;
    std::thread thread([&] {
      blocking();
      post()([&done] { done = true; });
    });
    const bool in_time = RunUntil([&] { return done; });
    thread.join();
    return in_time;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::function<void()>> closures_;
};

// The values of Arrow's union MessageHeader.
enum class TestHeader : uint8_t { kSchema = 1, kDictionaryBatch = 2, kRecordBatch = 3, kTensor = 4 };

// A flatbuffer Message with the fields that ReadArrowHeader reads.
inline std::string TestMessage(TestHeader type, int64_t rows, int64_t body_bytes) {
  std::string bytes;
  const auto add = [&bytes](auto number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  add(uint32_t{16});  // the position of the Message
  // The vtable: its size, that of the table, and the positions of version, type of the header, header, body length.
  for (const uint16_t number : {12, 20, 16, 18, 4, 8}) add(number);
  add(int32_t{12});                                         // back to the vtable
  add(uint32_t{24});                                        // forward to the header, at 44
  add(body_bytes);                                          // at 24
  add(int16_t{4});                                          // version 5
  add(static_cast<uint8_t>(type));                          // at 34
  add(uint8_t{0});                                          // padding
  for (const uint16_t number : {6, 12, 4, 0}) add(number);  // the vtable of the header, and padding
  add(int32_t{8});
  add(rows);
  return bytes;
}

inline ArrowBlock TestBlock(int64_t first_row, int64_t rows, const std::string& body) {
  const auto bytes = static_cast<int64_t>(body.size());
  return {TestMessage(TestHeader::kRecordBatch, rows, bytes), body, first_row, rows};
}
inline std::string TestSchema() { return TestMessage(TestHeader::kSchema, 0, 0); }

inline constexpr char kTestToken[] = "0123abcd";

// The client's side of one call, which has the token.
struct TestCallContext : grpc::ClientContext {
  explicit TestCallContext(const std::string& token = kTestToken) {
    if (!token.empty()) AddMetadata("authorization", "Bearer " + token);
    set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  }
};

// The owner of a server of the feed "train". It records what the handlers receive.
struct TestHub {
  struct Block {
    PutTarget target;
    std::string schema;
    ArrowBlock block;
    std::function<void(Result<PutAnswer>)> answer;
  };
  struct Action {
    uint64_t id;
    std::string type, body;
    FlightServer::Handlers::Call call;
  };
  struct Get {
    GetTarget target;
    FlightServer::Handlers::Get call;
  };

  FlightServer::Handlers handlers() {
    FlightServer::Handlers handlers;
    handlers.authorize = [](const std::string& feed, std::string_view token) {
      return feed == "train" && token == kTestToken;
    };
    handlers.is_token = [](std::string_view token) { return token == kTestToken || token == "of another feed"; };
    handlers.on_block = [this](const PutTarget& target, const std::string& schema, ArrowBlock block, auto answer) {
      blocks.push_back({target, schema, std::move(block), std::move(answer)});
      if (on_block) on_block();
    };
    handlers.on_action = [this](uint64_t id, const std::string& type, const std::string& body, auto call) {
      actions.push_back({id, type, body, std::move(call)});
    };
    handlers.on_cancelled = [this](uint64_t id) { cancelled.push_back(id); };
    handlers.on_get = [this](const GetTarget& target, const FlightServer::Handlers::Get& call) {
      gets.push_back({target, call});
    };
    return handlers;
  }

  std::vector<Block> blocks;
  std::function<void()> on_block;
  std::vector<Action> actions;
  std::vector<uint64_t> cancelled;
  std::vector<Get> gets;
};

}  // namespace howdah::feed::server
