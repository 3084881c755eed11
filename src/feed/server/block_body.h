// The bytes of the body of a block.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace howdah::feed::server {

// The bytes are in one or several parts, as gRPC has received them: a large body is not copied between gRPC and the
// file in which it is stored. Copies of this object share the bytes. Immutable.
class BlockBody {
 public:
  BlockBody() = default;
  BlockBody(std::string bytes)  // NOLINT(google-explicit-constructor): it has the same bytes
      : BlockBody(std::make_shared<const std::string>(std::move(bytes))) {}
  // owner: keeps the bytes of the parts.
  BlockBody(std::vector<std::string_view> parts, std::shared_ptr<const void> owner)
      : parts_(std::move(parts)), owner_(std::move(owner)) {
    for (const std::string_view part : parts_) size_ += part.size();
  }

  const std::vector<std::string_view>& parts() const { return parts_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  size_t size() const { return size_; }
  // A copy in one part.
  std::string Text() const {
    std::string text;
    text.reserve(size_);
    for (const std::string_view part : parts_) text += part;
    return text;
  }
  friend bool operator==(const BlockBody& body, std::string_view bytes) { return body.Text() == bytes; }

 private:
  explicit BlockBody(const std::shared_ptr<const std::string>& bytes) : BlockBody({std::string_view(*bytes)}, bytes) {}

  std::vector<std::string_view> parts_;
  std::shared_ptr<const void> owner_;
  size_t size_ = 0;
};

}  // namespace howdah::feed::server
