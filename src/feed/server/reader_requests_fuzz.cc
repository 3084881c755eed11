// Fuzzes the requests of a task's processes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "answer_file.h"
#include "reader_requests.h"

namespace howdah::feed::server {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const NumberedRequest numbered = ParseReaderRequest({reinterpret_cast<const char*>(data), size});
  if (numbered.id < 0) __builtin_trap();
  if (!numbered.request.ok()) return 0;
  if (const auto* next = std::get_if<NextRequest>(&*numbered.request)) {
    if (next->rows < 1 || next->rows > kMostRows || next->pass < 0 || next->returned < 0) __builtin_trap();
    if (next->batches < 1 || next->batches > kMostBatches) __builtin_trap();
  }
  if (const auto* answer = std::get_if<AnswerRequest>(&*numbered.request)) {
    if (answer->question < 0 || answer->bytes < 0 || answer->bytes > kMostAnswerBytes) __builtin_trap();
  }
  if (const auto* serve = std::get_if<ServeRequest>(&*numbered.request)) {
    if (serve->local_rank < 0 || serve->attempt < 0) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::feed::server
