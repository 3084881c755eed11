// Fuzzed input: texts of requests to the portal. The first byte selects the text: the body of an action (several
// kinds), Last-Event-ID, a topic of the stream of events, a task, a search in a log, the field Authorization, or the
// file of tokens.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "action_bodies.h"
#include "hub.h"
#include "live_logs.h"
#include "log_reader.h"
#include "tokens.h"

namespace howdah::portal {
namespace {

void CheckTopic(const std::string& text) {
  const auto topic = ParseLogTopic(text);
  if (!topic) return;
  // Backends use the role in paths.
  const backend::LogSource& source = topic->source;
  if (source.role.find_first_of("/.") != std::string::npos) __builtin_trap();
  if (source.index < 0 || source.attempt < 0 || source.local_rank < 0) __builtin_trap();
}

// The first line is the query, and the rest is the log.
void Search(std::string_view text) {
  const size_t end = std::min(text.find('\n'), text.size());
  for (const bool is_expression : {false, true}) {
    const auto matcher = LineMatcher::Make(std::string(text.substr(0, end)), is_expression);
    if (matcher.ok()) matcher->Matches(text.substr(std::min(end + 1, text.size())));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (static_cast<unsigned>(data[0] - '0') % 12) {
    case 0:
      static_cast<void>(GraceOf(text));
      break;
    case 1:
      if (const auto order = ScaleOrderOf(text); order.ok() && (order->instances < 0 || order->role.empty())) {
        __builtin_trap();
      }
      break;
    case 2:
      if (const auto position = ParseEventPosition(text)) {
        if (ParseEventPosition(ToText(*position)) != position) __builtin_trap();
      }
      break;
    case 3:
      CheckTopic(text);
      break;
    case 4:
      if (const auto task = ParseTask(text); task && task->second < 0) __builtin_trap();
      break;
    case 5:
      Search(text);
      break;
    case 6:
      if (const auto order = StackOrderOf(text); order.ok() && order->task.empty()) __builtin_trap();
      break;
    case 7:
      if (const auto token = BearerOf(text); token && token->empty()) __builtin_trap();
      break;
    case 8:
      if (const auto tokens = ParseTokens(text); tokens.ok()) {
        const std::string written = WriteTokens(*tokens);
        const auto again = ParseTokens(written);
        if (!again.ok() || WriteTokens(*again) != written) __builtin_trap();
      }
      break;
    case 9:
      if (const auto order = OpenOrderOf(text); order.ok() && order->what == OpenOrder::What::kPort && order->port == 0)
        __builtin_trap();
      break;
    case 10:
      if (const auto jobs = TensorBoardJobsOf(text); jobs.ok() && jobs->empty()) __builtin_trap();
      break;
    default:
      if (const auto order = NotebookOrderOf(text); order.ok() && order->job.quick.gpus.value_or(0) < 0)
        __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::portal
