// Goes through the facts of a trace format that concern the part, and crosses out the generations
// that each rules out. Without a fact that told anything, nothing is known.
#include "memsize/sdk/generation.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using board::TreeFact;

// No file that a fact is about is a tenth of this.
constexpr std::size_t kLargest = 4U << 20U;

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether the tree has what the fact is about; nothing where that cannot be known.
std::optional<bool> is_so(core::FileSystem& files, const Platform& platform, const TreeFact& fact) {
  const std::string path = fmt::format("{}/{}", platform.folder, fact.file);
  const bool exists = files.is_regular_file(path);
  if (fact.contains.empty()) {
    return exists;
  }
  const auto size = files.size(path);
  const auto content = exists && size && *size <= kLargest
                           ? files.read(path)
                           : core::Result<std::string>{tl::make_unexpected(core::Diagnostics{})};
  return content ? std::optional{content->find(fact.contains) != std::string::npos} : std::nullopt;
}

std::string evidence_of(const TreeFact& fact, bool is_there) {
  return fact.contains.empty()
             ? fmt::format("there is {}{}", is_there ? "" : "no ", fact.file)
             : fmt::format("{} has {}'{}'", fact.file, is_there ? "" : "no ", fact.contains);
}

}  // namespace

TreeGeneration generation_of_tree(core::FileSystem& files,
                                  const Platform& platform,
                                  const board::TraceFormat& format) {
  std::vector<std::string> left = core::texts_of(format.generations, &board::Generation::name);
  TreeGeneration told;
  for (const TreeFact& fact : format.tree_facts) {
    if (!fact.parts.empty() && !holds(fact.parts, platform.soc)) {
      continue;
    }
    const auto is_there = is_so(files, platform, fact);
    const std::vector<std::string>& these = !is_there   ? std::vector<std::string>{}
                                            : *is_there ? fact.has
                                                        : fact.lacks;
    if (these.empty()) {
      continue;
    }
    const std::size_t before = left.size();
    std::erase_if(left, [&](const std::string& name) { return !holds(these, name); });
    if (left.size() != before) {
      told.evidence.push_back(evidence_of(fact, *is_there));
    }
  }
  if (!told.evidence.empty()) {
    told.generations = std::move(left);
  }
  return told;
}

}  // namespace memsize::sdk
