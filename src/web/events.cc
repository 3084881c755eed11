#include "howdah/web/events.h"

#include <algorithm>

namespace howdah::web {
namespace {

// A field ends at CR, LF or CRLF; a NUL makes a browser ignore the id.
std::string OnOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return text;
}

}  // namespace

std::string FormatEvent(const Event& event) {
  std::string bytes;
  if (!event.id.empty()) bytes += "id: " + OnOneLine(event.id) + "\n";
  if (!event.name.empty()) bytes += "event: " + OnOneLine(event.name) + "\n";
  std::string_view rest = event.data;
  for (;;) {
    const size_t end = rest.find_first_of("\r\n");
    bytes += "data: ";
    bytes += rest.substr(0, end);
    bytes += '\n';
    if (end == std::string_view::npos) break;
    rest.remove_prefix(rest.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  return bytes + "\n";
}

Response EventStream(std::function<void(std::shared_ptr<BodyWriter>)> produce) {
  return {200,
          {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
          StreamedBody{std::move(produce), ":\n\n"}};
}

}  // namespace howdah::web
