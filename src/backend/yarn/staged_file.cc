#include "howdah/backend/yarn/staged_file.h"

#include <charconv>
#include <string_view>

namespace howdah::backend::yarn {

::hadoop::yarn::LocalResourceProto ToProto(const StagedFile& file) {
  using enum StagedFile::Visibility;
  ::hadoop::yarn::LocalResourceProto proto;
  ::hadoop::yarn::URLProto& url = *proto.mutable_resource();
  url.set_port(-1);
  std::string_view rest = file.uri;
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos && rest.substr(0, colon).find('/') > colon) {
    url.set_scheme(std::string(rest.substr(0, colon)));
    rest.remove_prefix(colon + 1);
  }
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    std::string_view authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
    if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
      url.set_userinfo(std::string(authority.substr(0, at)));
      authority.remove_prefix(at + 1);
    }
    const size_t colon = authority.rfind(':');
    int port = 0;
    if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
      const char* end = authority.data() + authority.size();
      if (std::from_chars(authority.data() + colon + 1, end, port).ptr == end) {
        url.set_port(port);
        authority = authority.substr(0, colon);
      }
    }
    if (!authority.empty()) url.set_host(std::string(authority));
  }
  url.set_file(std::string(rest));
  proto.set_size(file.size);
  proto.set_timestamp(file.modified_millis);
  proto.set_type(file.type == StagedFile::Type::kArchive ? ::hadoop::yarn::ARCHIVE : ::hadoop::yarn::FILE);
  proto.set_visibility(file.visibility == kPublic    ? ::hadoop::yarn::PUBLIC
                       : file.visibility == kPrivate ? ::hadoop::yarn::PRIVATE
                                                     : ::hadoop::yarn::APPLICATION);
  return proto;
}

}  // namespace howdah::backend::yarn
