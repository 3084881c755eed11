// Fuzzed input: frames of a client of a tunnel. One byte before each frame contains its length.
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/rpc/streams/remote_endpoint.h"

namespace howdah::rpc::streams {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using boost::asio::ip::tcp;
  static boost::asio::io_context loop;
  static tcp::acceptor server(loop, {boost::asio::ip::address_v4::loopback(), 0});
  const std::string text(reinterpret_cast<const char*>(data), size);
  loop.restart();
  tcp::socket peer(loop);
  server.async_accept(peer, [](const auto&) {});
  bool opened = false, over = false;
  const auto endpoint = ConnectLoopback(loop, server.local_endpoint().port(),
                                        {[&](const wire::Frame&) { opened = true; }, [&](bool) { over = true; }});
  while (!opened || !peer.is_open()) loop.run_one();
  for (std::string_view left = text; !left.empty() && !over;) {
    const std::string_view bytes = left.substr(1, static_cast<unsigned char>(left.front()));
    left.remove_prefix(1 + bytes.size());
    wire::Frame frame;
    if (frame.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) endpoint->OnFrame(frame);
    loop.poll();
  }
  peer.close();
  if (!over) endpoint->OnClosed();
  while (!over) loop.run_one();
  loop.poll();
  return 0;
}

}  // namespace howdah::rpc::streams
