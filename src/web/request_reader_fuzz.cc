// Requests on one connection: whole, and in pieces, which must give the same requests.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "request_reader.h"

namespace howdah::web {
namespace {

// The requests as text, and the status of the error that ends them.
std::vector<std::string> RequestsOf(const std::string& bytes, size_t piece) {
  Limits limits;
  limits.header_bytes = 2000;
  limits.body_bytes = 2000;
  std::vector<std::string> requests;
  RequestReader* reader = nullptr;
  std::unique_ptr<RequestReader> owner;
  std::string input;
  for (size_t at = 0; at < bytes.size();) {
    input += bytes.substr(at, piece);
    at += piece;
    for (;;) {
      if (!owner) owner = std::make_unique<RequestReader>(limits);
      reader = owner.get();
      const auto state = reader->Feed(input);
      if (state == RequestReader::State::kMore) break;
      if (state == RequestReader::State::kHead) continue;
      if (state == RequestReader::State::kFailed) {
        requests.push_back("error " + std::to_string(reader->problem().status));
        return requests;
      }
      const Request& request = reader->request();
      if (!request.path.starts_with('/') || (request.path + "/").find("/../") != std::string::npos) __builtin_trap();
      requests.push_back(request.method + " " + request.path + " " + request.host + " " + request.body);
      owner.reset();
    }
  }
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = RequestsOf(bytes, std::max<size_t>(bytes.size(), 1));
  const auto pieces = RequestsOf(bytes, 1);
  // If the reader sees more bytes at once, it may detect a defect earlier, or another one first.
  for (size_t i = 0; i < std::max(whole.size(), pieces.size()); ++i) {
    const std::string a = i < whole.size() ? whole[i] : "error", b = i < pieces.size() ? pieces[i] : "error";
    if (a != b && (!a.starts_with("error") || !b.starts_with("error"))) __builtin_trap();
  }
  return 0;
}

}  // namespace howdah::web
