#include "file_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace howdah::hadoop::hdfs {

namespace pb = ::hadoop::hdfs;

Result<std::unique_ptr<FileReader>> FileReader::Open(std::shared_ptr<NameNode> name_node,
                                                     std::shared_ptr<DataNodeConnector> connector,
                                                     std::shared_ptr<FileKeys> keys, const std::string& path) {
  std::unique_ptr<FileReader> reader(new FileReader(std::move(name_node), std::move(connector), std::move(keys), path));
  if (const Status located = reader->Locate(); !located.ok()) return located.error().While("reading " + path);
  return reader;
}

Status FileReader::Locate() {
  HOWDAH_TRY(const auto blocks, name_node_->BlockLocations(path_));
  if (blocks.has_ecpolicy()) {
    return Error{ErrorCode::kUnavailable, "the file is erasure coded (" + blocks.ecpolicy().name() +
                                              "), which Howdah cannot read; make a replicated copy"};
  }
  if (blocks.has_fileencryptioninfo() && key_.empty()) {
    HOWDAH_TRY(key_, keys_->KeyOf(blocks.fileencryptioninfo()));
    iv_ = blocks.fileencryptioninfo().iv();
  }
  ranges_.clear();
  size_ = 0;
  for (const auto& block : blocks.blocks()) {
    HOWDAH_TRY_STATUS(Append(block, static_cast<int64_t>(block.b().numbytes())));
  }
  if (!blocks.underconstruction() || blocks.islastblockcomplete() || !blocks.has_lastblock()) return {};
  const auto& last = blocks.lastblock();
  if (last.locs_size() == 0) return {};
  if (!ranges_.empty() && ranges_.back().block.b().blockid() == last.b().blockid()) {
    size_ = ranges_.back().begin;
    ranges_.pop_back();
  }
  HOWDAH_TRY(const auto visible, name_node_->VisibleLength(last));
  return Append(last, visible);
}

Status FileReader::Append(const NameNode::LocatedBlock& block, int64_t length) {
  int64_t end = 0;
  if (length < 0 || __builtin_add_overflow(size_, length, &end)) {
    return Failed("block " + std::to_string(block.b().blockid()) + " has the invalid length " + std::to_string(length));
  }
  ranges_.push_back({size_, end, block});
  size_ = end;
  return {};
}

Status FileReader::Seek(int64_t offset) {
  if (offset < 0 || offset > size_) {
    return Failed("reading " + path_ + ": there is no byte " + std::to_string(offset) + ", it has " +
                  std::to_string(size_));
  }
  if (offset == position_) return {};
  const int64_t forward = offset - position_;
  position_ = offset;
  decryption_.reset();
  if (forward > 0 && std::cmp_less_equal(forward, rest_.size())) {
    rest_.remove_prefix(static_cast<size_t>(forward));
    return {};
  }
  CloseReplica();
  rest_ = {};
  return {};
}

const FileReader::BlockRange* FileReader::RangeAt(int64_t position) const {
  const auto behind = std::ranges::upper_bound(ranges_, position, {}, &BlockRange::begin);
  if (behind == ranges_.begin() || position >= std::prev(behind)->end) return nullptr;
  return &*std::prev(behind);
}

Result<std::string> FileReader::Read(size_t most) {
  if (position_ >= size_) return std::string();
  if (rest_.empty()) {
    if (const Status next = NextBytes(nullptr, 0); !next.ok()) return next.error().While("reading " + path_);
  }
  std::string bytes(rest_.substr(0, most));
  rest_.remove_prefix(bytes.size());
  if (const Status decrypted = Decrypt(bytes.data(), bytes.size()); !decrypted.ok()) {
    return decrypted.error().While("reading " + path_);
  }
  position_ += static_cast<int64_t>(bytes.size());
  return bytes;
}

Result<size_t> FileReader::ReadInto(char* out, size_t size) {
  if (position_ >= size_ || size == 0) return size_t{0};
  if (rest_.empty()) {
    if (const Status next = NextBytes(out, size); !next.ok()) return next.error().While("reading " + path_);
  }
  const size_t count = std::min(size, rest_.size());
  if (rest_.data() != out) std::memcpy(out, rest_.data(), count);
  rest_.remove_prefix(count);
  if (const Status decrypted = Decrypt(out, count); !decrypted.ok()) return decrypted.error().While("reading " + path_);
  position_ += static_cast<int64_t>(count);
  return count;
}

Status FileReader::Decrypt(char* bytes, size_t size) {
  if (key_.empty()) return {};
  if (!decryption_) {
    HOWDAH_TRY(auto stream, AesCtr::Make(key_, iv_, static_cast<uint64_t>(position_)));
    decryption_.emplace(std::move(stream));
  }
  return decryption_->Run(bytes, size, bytes);
}

// Reads from the open replica. If that fails, reads from other replicas until none is left.
Status FileReader::NextBytes(char* out, size_t size) {
  for (;;) {
    if (!reader_) {
      HOWDAH_TRY_STATUS(OpenReplica());
    }
    const auto bytes = reader_->Next(out, size);
    if (bytes && !bytes->empty()) {
      failures_.clear();
      rest_ = *bytes;
      return {};
    }
    CloseReplica();
    if (bytes) continue;  // the requested part of the block is complete
    bad_.insert(node_);
    failures_ += "; " + node_ + ": " + bytes.error().message;
  }
}

void FileReader::CloseReplica() {
  if (reader_) connector_->Keep(std::move(*reader_).TakeConnection());
  reader_.reset();
}

Status FileReader::OpenReplica() {
  // If all known replicas have failed, request new locations and tokens once and try again.
  for (const bool again : {false, true}) {
    if (again) {
      if (located_again_at_ == position_) break;
      located_again_at_ = position_;
      const int64_t before = size_;
      HOWDAH_TRY_STATUS(Locate());
      size_ = std::min(size_, before);
      bad_.clear();
    }
    const BlockRange* range = RangeAt(position_);
    if (range == nullptr) return Failed("byte " + std::to_string(position_) + " no longer exists");
    for (const auto& node : range->block.locs()) {
      const std::string name = NameOf(node);
      if (bad_.contains(name)) continue;
      const int64_t end = expected_end_ > position_ ? std::min(range->end, expected_end_) : range->end;
      auto reader =
          BlockReader::Open(*connector_, range->block, node, "howdah", position_ - range->begin, end - position_);
      if (reader) {
        reader_ = std::move(*reader);
        node_ = name;
        return {};
      }
      if (reader.error().code == ErrorCode::kUnavailable && !connector_->options().security.unsupported.empty())
        return reader.error();
      bad_.insert(name);
      failures_ += "; " + name + ": " + reader.error().message;
    }
  }
  return Failed("no DataNode can provide the block at byte " + std::to_string(position_) +
                (failures_.empty() ? "; no DataNode has the block (hdfs fsck lists missing blocks)" : failures_));
}

}  // namespace howdah::hadoop::hdfs
