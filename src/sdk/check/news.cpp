// Counts findings before and after by code, file and parties, since a change moves addresses. One
// more of a kind is news.
#include "memsize/sdk/news.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <tuple>

namespace memsize::sdk {

namespace {

using core::Code;

using Key = std::tuple<Code, std::string, core::Parties>;

Key key_of(const core::Diagnostic& finding) {
  const bool is_list = finding.code == Code::kSdkGenerated || finding.code == Code::kSdkComment;
  return {finding.code, finding.place.path.str(), is_list ? core::Parties{} : finding.parties};
}

}  // namespace

core::Diagnostics news(const core::Diagnostics& before, core::Diagnostics after) {
  std::map<Key, std::size_t> known;
  for (const core::Diagnostic& each : before) {
    ++known[key_of(each)];
  }
  std::erase_if(after, [&](const core::Diagnostic& each) {
    const auto same = known.find(key_of(each));
    if (same == known.end() || same->second == 0) {
      return false;
    }
    --same->second;
    return true;
  });
  return after;
}

}  // namespace memsize::sdk
