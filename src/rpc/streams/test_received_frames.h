// For fuzz targets: a stream whose peer sends the frames of the fuzzed input.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/rpc/frames.h"

namespace howdah::rpc::streams {

// Returns the frames of an input. Two bytes before each frame contain its length (little-endian).
inline std::vector<wire::Frame> FramesOf(std::string_view text) {
  std::vector<wire::Frame> frames;
  while (text.size() >= 2) {
    const size_t length = static_cast<size_t>(static_cast<unsigned char>(text[0])) |
                          static_cast<size_t>(static_cast<unsigned char>(text[1])) << 8;
    const std::string_view bytes = text.substr(2, length);
    text.remove_prefix(2 + bytes.size());
    wire::Frame frame;
    if (frame.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) frames.push_back(std::move(frame));
  }
  return frames;
}

// Ends after the last frame.
class ReceivedFrames final : public rpc::FrameStream {
 public:
  ReceivedFrames(const std::vector<wire::Frame>& frames, Handlers handlers, const rpc::Post& post)
      : handlers_(std::make_shared<Handlers>(std::move(handlers))) {
    const std::weak_ptr<Handlers> alive = handlers_;
    for (const wire::Frame& frame : frames) {
      post([alive, frame] {
        if (const auto handlers = alive.lock()) handlers->on_frame(frame);
      });
    }
    post([alive] {
      if (const auto handlers = alive.lock()) handlers->on_closed("the end of the input");
    });
  }
  void Send(const wire::Frame&) override {}
  void Finish() override {}

 private:
  std::shared_ptr<Handlers> handlers_;
};

}  // namespace howdah::rpc::streams
