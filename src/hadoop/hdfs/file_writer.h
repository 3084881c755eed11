// Writes a file of HDFS.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "aes_ctr.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "name_node.h"
#include "streamer.h"

namespace howdah::hadoop::hdfs {

class FileWriter : public Writer {
 public:
  // The file must have been created and be open for writing. encryption: the stream of a file in an encryption zone.
  FileWriter(std::shared_ptr<NameNode> name_node, std::shared_ptr<DataNodeConnector> connector, OpenFile file,
             int64_t block_size, std::optional<AesCtr> encryption = std::nullopt);
  ~FileWriter() override;

  Status Write(std::string_view bytes) override;
  Status Flush() override;
  Status Close() override;

 private:
  Status PushAll(std::optional<Packet> packet);
  Status Add(std::string_view bytes);
  Error Wrong(const Error& error) const { return error.While("writing " + file_.path); }

  std::shared_ptr<NameNode> name_node_;
  OpenFile file_;
  std::optional<AesCtr> encryption_;
  PacketBuilder builder_;
  std::unique_ptr<Streamer> streamer_;
  bool persisted_ = false;  // the NameNode has persisted the current block
  bool closed_ = false;
};

}  // namespace howdah::hadoop::hdfs
