// Fuzzes the requests of sources, and the answers to them. An input is the type of an action, a space, and its body.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "howdah/feed/messages.h"
#include "source_actions.h"

namespace howdah::feed::server {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find(' ');
  if (end == std::string_view::npos) return 0;
  std::optional<wire::FeedCall> sent;
  FeedCalls calls([&sent](const wire::FromExecutor& message) {
    if (!sent) sent = message.feed_call();
  });
  SourceActions actions(calls, {[](const std::string&) { return 1; }, [](const auto&, auto, auto, int) {}});
  int finished = 0;
  actions.OnAction(7, std::string(text.substr(0, end)), std::string(text.substr(end + 1)),
                   {[](const std::string& reply) {
                      if (!nlohmann::json::accept(reply)) __builtin_trap();
                    },
                    [&finished](const Status&) { ++finished; }});
  if (sent.has_value() != (finished == 0)) __builtin_trap();
  if (!sent) return 0;
  // The AM must understand each call.
  if (sent->has_event() && !DecodeEvent(sent->event()).ok()) __builtin_trap();
  wire::FeedReply reply;
  reply.set_id(sent->id());
  reply.set_answer(EncodeAnswer({.what = Answer::What::kSend, .missing = {{0, kMostRows}}, .rank = 1}));
  reply.set_plan(std::string(text));
  calls.OnMessage(reply);
  actions.OnCancelled(7);
  if (calls.open() != 0 || finished > 1) __builtin_trap();
  return 0;
}

}  // namespace howdah::feed::server
