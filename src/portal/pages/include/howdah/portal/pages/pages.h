// The pages of the portal, as the build has put them into the program.
#pragma once

#include <span>
#include <string_view>

namespace howdah::portal::pages {

// One file. Everything it refers to lives as long as the program.
struct PageFile {
  std::string_view path;          // below the root of the pages, such as "index.html" or "assets/app-K3T2.js"
  std::string_view content_type;  // the value of the header Content-Type
  std::string_view hash;          // SHA-256 of the uncompressed bytes, in hexadecimal digits
  bool immutable = false;         // the path changes with the content, so a browser may keep the file permanently
  std::string_view gzip;          // the content as one gzip stream
};

// All files, ordered by path. "job.html" is the answer for the page of a job, and "index.html" for every other page.
// Empty: the program was built without the pages (-DHOWDAH_PORTAL=OFF).
std::span<const PageFile> PageFiles();

// The file with this path, or null.
const PageFile* FindPageFile(std::string_view path);

}  // namespace howdah::portal::pages
