// Fuzzes the JSON texts of sources and of other executors.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "arrow_header.h"

namespace howdah::feed::server {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ReadFeedName(text).ok();
  if (const auto target = ReadPutTarget(text); target && (target->pass < 0 || target->partition < 0)) {
    __builtin_trap();
  }
  (void)ReadExchangeTarget(text).ok();
  // The program of a rank chooses the text, and the client must find the end of the line.
  const std::string line = AnswerLine(7, QuestionEnd::kRefused, text);
  if (line.find('\n') != line.size() - 1) __builtin_trap();
  if (const auto get = ReadTicket(text)) {
    if (get->rows.count() <= 0) __builtin_trap();
    const auto same = ReadTicket(TicketText(*get));
    if (!same || !(*same == *get)) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::feed::server
