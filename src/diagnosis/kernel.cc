#include "kernel.h"

#include <algorithm>
#include <cstdio>

namespace howdah::diagnosis {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::string PciAddress(std::string_view text) {
  const std::string address(text.substr(0, 31));
  unsigned domain = 0, bus = 0, device = 0;
  const bool has_domain = std::sscanf(address.c_str(), "%x:%x:%x", &domain, &bus, &device) == 3;
  if (!has_domain) domain = 0;
  if (!has_domain && std::sscanf(address.c_str(), "%x:%x", &bus, &device) != 2) return "";
  char form[32];
  std::snprintf(form, sizeof form, "%04x:%02x:%02x", domain, bus & 0xff, device & 0xff);
  return form;
}

std::vector<OomKill> OomKillsIn(std::string_view kernel_log) {
  std::vector<OomKill> kills;
  for (const std::string_view line : LinesOf(kernel_log)) {
    const size_t reason = std::min(line.find("Out of memory: Kill"), line.find("out of memory: Kill"));
    const size_t process = line.find(" process ", reason);
    if (reason == line.npos || process == line.npos) continue;
    OomKill kill{0, line[reason] == 'o'};
    const std::string pid(line.substr(process + 9, 12));
    if (std::sscanf(pid.c_str(), "%d", &kill.pid) == 1) kills.push_back(kill);
  }
  return kills;
}

std::vector<Xid> XidsIn(std::string_view kernel_log) {
  constexpr std::string_view kStart = "NVRM: Xid (", kBus = "PCI:";
  std::vector<Xid> xids;
  for (const std::string_view line : LinesOf(kernel_log)) {
    const size_t start = line.find(kStart);
    const size_t close = line.find("): ", start);
    if (start == line.npos || close == line.npos) continue;
    std::string_view pci = line.substr(start + kStart.size(), close - start - kStart.size());
    if (pci.starts_with(kBus)) pci.remove_prefix(kBus.size());
    Xid xid{PciAddress(pci), 0};
    const std::string number(line.substr(close + 3, 8));
    if (xid.pci.empty() || std::sscanf(number.c_str(), "%d", &xid.number) != 1) continue;
    xids.push_back(std::move(xid));
  }
  return xids;
}

}  // namespace howdah::diagnosis
