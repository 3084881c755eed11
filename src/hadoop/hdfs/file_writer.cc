#include "file_writer.h"

namespace howdah::hadoop::hdfs {

FileWriter::FileWriter(std::shared_ptr<NameNode> name_node, std::shared_ptr<DataNodeConnector> connector, OpenFile file,
                       int64_t block_size, std::optional<AesCtr> encryption)
    : name_node_(std::move(name_node)),
      file_(std::move(file)),
      encryption_(std::move(encryption)),
      builder_(block_size),
      streamer_(std::make_unique<Streamer>(name_node_, std::move(connector), file_)) {}

FileWriter::~FileWriter() {
  streamer_.reset();
  if (closed_) return;
  // Another writer may have replaced the file.
  if (const auto present = name_node_->FileId(file_.path); !present.ok() || *present != file_.id) return;
  // Ignore an error: the caller has already received the first one. If the file cannot be deleted, the NameNode closes
  // it when the lease expires.
  (void)name_node_->Delete(file_.path, false);
}

Status FileWriter::PushAll(std::optional<Packet> packet) {
  if (!packet) return {};
  if (packet->last) persisted_ = false;
  return streamer_->Push(std::move(*packet));
}

Status FileWriter::Write(std::string_view bytes) {
  if (!encryption_) return Add(bytes);
  constexpr size_t kPiece = 256 << 10;
  std::string encrypted;
  while (!bytes.empty()) {
    encrypted = bytes.substr(0, kPiece);
    bytes.remove_prefix(encrypted.size());
    if (const Status done = encryption_->Run(encrypted.data(), encrypted.size(), encrypted.data()); !done.ok()) {
      return Wrong(done.error());
    }
    HOWDAH_TRY_STATUS(Add(encrypted));
  }
  return {};
}

Status FileWriter::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (const Status pushed = PushAll(builder_.Add(bytes)); !pushed.ok()) return Wrong(pushed.error());
  }
  return {};
}

Status FileWriter::Flush() {
  if (const Status pushed = PushAll(builder_.Flush()); !pushed.ok()) return Wrong(pushed.error());
  if (const Status done = streamer_->AwaitAck(builder_.sequence()); !done.ok()) return Wrong(done.error());
  if (persisted_) return {};
  if (const Status kept = name_node_->PersistBlocks(file_); !kept.ok()) return Wrong(kept.error());
  persisted_ = true;
  return {};
}

Status FileWriter::Close() {
  for (auto packet : {builder_.Flush(), builder_.EndBlock()}) {
    if (const Status pushed = PushAll(std::move(packet)); !pushed.ok()) return Wrong(pushed.error());
  }
  if (const Status done = streamer_->AwaitAck(builder_.sequence()); !done.ok()) return Wrong(done.error());
  if (const Status done = name_node_->Complete(file_, streamer_->last_block()); !done.ok()) {
    return Wrong(done.error()).While("closing");
  }
  closed_ = true;
  streamer_.reset();
  return {};
}

}  // namespace howdah::hadoop::hdfs
