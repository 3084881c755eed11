// Fuzzes the messages of a feed: decodes them, encodes them again, and lets a receiver carry out the orders.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/feed/messages.h"
#include "howdah/feed/receiver.h"

namespace howdah::feed {
namespace {

template <typename Value>
void RequireSame(const Result<Value>& value, std::string (*encode)(const Value&),
                 Result<Value> (*decode)(std::string_view)) {
  if (!value.ok()) return;
  const std::string bytes = encode(*value);
  if (const auto again = decode(bytes); !again.ok() || encode(*again) != bytes) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  Options options{.split = static_cast<Split>(data[0] % 3), .remainder = static_cast<Remainder>(data[1] % 3)};
  options.passes = 1 + data[0] % 4;
  options.shuffle = data[1] % 8;
  options.recompute = data[1] % 16 >= 8;
  Receiver receiver(options, 0);
  // Messages with their length in front. Between them, the program and a source act.
  std::string_view rest(reinterpret_cast<const char*>(data + 2), size - 2);
  int64_t fetched = 0;
  for (BlockId block = 1; !rest.empty(); ++block) {
    const size_t length = static_cast<unsigned char>(rest.front());
    const std::string_view message = rest.substr(1, length);
    rest.remove_prefix(std::min(rest.size(), length + 1));
    RequireSame(DecodeEvent(message), EncodeEvent, DecodeEvent);
    RequireSame(DecodeAnswer(message), EncodeAnswer, DecodeAnswer);
    const auto action = DecodeAction(message);
    RequireSame(action, EncodeAction, DecodeAction);
    if (action.ok()) {
      for (const Reassign& move : receiver.Do(*action).fetch) {
        receiver.Fetched(move, {{.id = -block, .partition = move.partition, .rows = move.rows, .bytes = 1}});
      }
    }
    const int64_t pass = static_cast<int64_t>(length) % options.passes;
    receiver.Take(block, pass, 0, {4 * block, 4 * block + 4}, 10, 1);
    if (receiver.Fetch({.pass = pass, .rows = 2, .waiting = true}).first.what == Receiver::Next::What::kBatch)
      receiver.Returned(pass, fetched += 2);
    if (length % 16 == 5) receiver.Lost(block / 2);
    receiver.Resync();
  }
  return 0;
}

}  // namespace howdah::feed
