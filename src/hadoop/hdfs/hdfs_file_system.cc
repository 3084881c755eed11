#include "hdfs_file_system.h"

#include <random>

#include "file_reader.h"
#include "file_writer.h"
#include "howdah/base/text.h"
#include "paths.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

// Values of org.apache.hadoop.fs.CreateFlag. kShouldReplicate: replicate the file even in a directory with an erasure
// coding policy.
enum CreateFlag : uint32_t { kCreate = 0x01, kOverwrite = 0x02, kShouldReplicate = 0x80 };

// The NameNode identifies the holder of a lease by its client name, so each writer needs a unique one.
std::string NewClientName() {
  std::random_device random;
  char text[32];
  std::snprintf(text, sizeof text, "howdah-%08x%08x", random(), random());
  return text;
}

}  // namespace

FileStatus FileStatusOf(const pb::HdfsFileStatusProto& proto, const std::string& name) {
  FileStatus status;
  status.name = name;
  status.directory = proto.filetype() == pb::HdfsFileStatusProto::IS_DIR;
  status.length = static_cast<int64_t>(proto.length());
  status.permission = proto.permission().perm() & 07777;
  status.owner = proto.owner();
  status.group = proto.group();
  status.modified_millis = static_cast<int64_t>(proto.modification_time());
  status.block_size = static_cast<int64_t>(proto.blocksize());
  return status;
}

Status AppendEntries(const pb::DirectoryListingProto& listing, const std::string& clean,
                     std::vector<FileStatus>& entries) {
  for (const auto& entry : listing.partiallisting()) {
    const std::string& name = entry.path();
    if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos || name == "." || name == "..") {
      return Failed("the NameNode listed an entry with the invalid name '" + OneLine(name, 100) + "'");
    }
    // Listing a file returns one entry: the file itself, with an empty name.
    entries.push_back(FileStatusOf(entry, name.empty() ? LastPart(clean) : name));
  }
  return {};
}

template <typename Response, typename Request>
Status HdfsFileSystem::Do(const char* method, const Request& request, const char* doing, const std::string& path) {
  const auto response = name_node_->Call<Response>(method, request);
  return response ? Status() : Status(Wrong(doing, path, response.error()));
}

Result<FileStatus> HdfsFileSystem::Stat(const std::string& path) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  pb::GetFileInfoRequestProto request;
  request.set_src(clean);
  const auto response = name_node_->Call<pb::GetFileInfoResponseProto>("getFileInfo", request);
  if (!response) return Wrong("looking at", path, response.error());
  if (response->has_fs()) return FileStatusOf(response->fs(), LastPart(clean));
  return Wrong("looking at", path, {ErrorCode::kNotFound, "there is no such file or directory"});
}

Result<std::vector<FileStatus>> HdfsFileSystem::List(const std::string& path) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  pb::GetListingRequestProto request;
  request.set_src(clean);
  request.set_startafter("");
  request.set_needlocation(false);
  std::vector<FileStatus> all;
  for (;;) {
    const auto response = name_node_->Call<pb::GetListingResponseProto>("getListing", request);
    if (!response) return Wrong("listing", path, response.error());
    if (!response->has_dirlist()) {
      return Wrong("listing", path, {ErrorCode::kNotFound, "there is no such file or directory"});
    }
    const pb::DirectoryListingProto& listing = response->dirlist();
    if (const Status appended = AppendEntries(listing, clean, all); !appended.ok()) {
      return Wrong("listing", path, appended.error());
    }
    if (listing.remainingentries() == 0 || listing.partiallisting_size() == 0) return all;
    request.set_startafter(listing.partiallisting(listing.partiallisting_size() - 1).path());
  }
}

Status HdfsFileSystem::MakeDirectories(const std::string& path, uint32_t permission) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  pb::MkdirsRequestProto request;
  request.set_src(clean);
  request.mutable_masked()->set_perm(permission);
  request.set_createparent(true);
  return Do<pb::MkdirsResponseProto>("mkdirs", request, "making the directory", path);
}

Status HdfsFileSystem::Rename(const std::string& from, const std::string& to, bool overwrite) {
  HOWDAH_TRY(const auto source, CleanPath(from));
  HOWDAH_TRY(const auto target, CleanPath(to));
  pb::Rename2RequestProto request;
  request.set_src(source);
  request.set_dst(target);
  request.set_overwritedest(overwrite);
  return Do<pb::Rename2ResponseProto>("rename2", request, "renaming", from + " to " + to);
}

Status HdfsFileSystem::Delete(const std::string& path, bool recursive) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  const Status deleted = name_node_->Delete(clean, recursive);
  return deleted.ok() ? deleted : Status(Wrong("removing", path, deleted.error()));
}

Status HdfsFileSystem::SetPermission(const std::string& path, uint32_t permission) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  pb::SetPermissionRequestProto request;
  request.set_src(clean);
  request.mutable_permission()->set_perm(permission);
  return Do<pb::SetPermissionResponseProto>("setPermission", request, "setting the permission of", path);
}

Status HdfsFileSystem::SetTimes(const std::string& path, int64_t modified_millis) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  pb::SetTimesRequestProto request;
  request.set_src(clean);
  request.set_mtime(static_cast<uint64_t>(modified_millis));
  request.set_atime(static_cast<uint64_t>(-1));  // -1 leaves the time unchanged
  return Do<pb::SetTimesResponseProto>("setTimes", request, "setting the time of", path);
}

Result<std::unique_ptr<Writer>> HdfsFileSystem::Create(const std::string& path, const CreateOptions& options) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  const int64_t block_size = options.block_size != 0 ? options.block_size : options_.block_size;
  if (block_size <= 0 || block_size % static_cast<int64_t>(kChunk) != 0) {
    return Wrong("creating", path,
                 {ErrorCode::kUsage,
                  "the block size " + std::to_string(block_size) + " is not a multiple of " + std::to_string(kChunk)});
  }
  OpenFile file{clean, NewClientName()};
  pb::CreateRequestProto request;
  request.set_src(clean);
  request.mutable_masked()->set_perm(options.permission);
  request.set_clientname(file.client);
  request.set_createflag(kCreate | kShouldReplicate | (options.overwrite ? kOverwrite : 0u));
  request.set_createparent(true);
  request.set_replication(static_cast<uint32_t>(options.replication != 0 ? options.replication : options_.replication));
  request.set_blocksize(static_cast<uint64_t>(block_size));
  request.add_cryptoprotocolversion(pb::ENCRYPTION_ZONES);
  const auto response = name_node_->Call<pb::CreateResponseProto>("create", request);
  if (!response) return Wrong("creating", path, response.error());
  file.id = response->fs().fileid();
  std::optional<AesCtr> encryption;
  if (response->fs().has_fileencryptioninfo()) {
    const auto& info = response->fs().fileencryptioninfo();
    const auto key = keys_->KeyOf(info);
    auto stream = key ? AesCtr::Make(*key, info.iv()) : Result<AesCtr>(key.error());
    if (!stream) {
      (void)name_node_->Delete(clean, false);  // the first error matters
      return Wrong("creating", path, stream.error());
    }
    encryption.emplace(std::move(*stream));
  }
  return std::unique_ptr<Writer>(
      std::make_unique<FileWriter>(name_node_, connector_, std::move(file), block_size, std::move(encryption)));
}

Result<std::unique_ptr<Reader>> HdfsFileSystem::Open(const std::string& path) {
  HOWDAH_TRY(const auto clean, CleanPath(path));
  HOWDAH_TRY(auto reader, FileReader::Open(name_node_, connector_, keys_, clean));
  return std::unique_ptr<Reader>(std::move(reader));
}

}  // namespace howdah::hadoop::hdfs
