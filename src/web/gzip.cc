#include "gzip.h"

#include <zlib.h>

#include <array>
#include <cstdlib>

namespace howdah::web {
namespace {

constexpr int kGzipFormat = 15 + 16;  // the largest window; 16 selects gzip's header
constexpr int kLevel = 4;             // beyond it, time grows faster than the body of a typical answer shrinks

template <typename Run>
int Pump(z_stream& stream, std::string& output, size_t limit, const Run& run) {
  std::array<char, 32 << 10> piece;
  int state = Z_OK;
  while (state == Z_OK && output.size() <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    state = run(&stream);
    output.append(piece.data(), piece.size() - stream.avail_out);
  }
  return state;
}

void SetInput(z_stream& stream, std::string_view bytes) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

}  // namespace

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipFormat, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  SetInput(stream, bytes);
  std::string output;
  Pump(stream, output, std::string::npos - 1, [](z_stream* s) { return deflate(s, Z_FINISH); });
  deflateEnd(&stream);
  return output;
}

std::optional<std::string> Gunzip(std::string_view bytes, size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipFormat) != Z_OK) std::abort();
  SetInput(stream, bytes);
  std::string output;
  const int state = Pump(stream, output, limit, [](z_stream* s) { return inflate(s, Z_NO_FLUSH); });
  inflateEnd(&stream);
  if (state != Z_STREAM_END || output.size() > limit) return std::nullopt;
  return output;
}

}  // namespace howdah::web
