// The table of TEX, C and B, and the lists of attribute indexes.
#include "memsize/chip/memory_type.hpp"

#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"

#include <fmt/format.h>

namespace memsize::chip {

namespace {

constexpr std::string_view kMair = "MAIR";
constexpr char kLastMair = '7';
// TEX of a device that is not shared.
constexpr unsigned kOwnDevice = 2;

}  // namespace

Cache cache_of(const MpuBits& bits) {
  const bool split = bits.tex >= kMpuPolicies;
  const bool second = bits.bufferable;
  if (!bits.cacheable && (!split || !second)) {
    return Cache::kNonCached;
  }
  const bool through = bits.cacheable && !second && (split || bits.tex == 0);
  return through ? Cache::kWriteThrough : Cache::kCached;
}

bool is_memory(const MpuBits& bits) {
  return bits.tex != kOwnDevice && (bits.tex != 0 || bits.cacheable);
}

std::optional<unsigned> mair_of(std::string_view attribute) {
  const bool good = attribute.size() == kMair.size() + 1 && attribute.starts_with(kMair) &&
                    attribute.back() >= '0' && attribute.back() <= kLastMair;
  return good ? std::optional{static_cast<unsigned>(attribute.back() - '0')} : std::nullopt;
}

std::string mair_name(unsigned mair) {
  return fmt::format("{}{}", kMair, mair);
}

Cache MairKinds::of(unsigned mair) const {
  for (const Cache cache : {Cache::kNonCached, Cache::kWriteThrough, Cache::kCached}) {
    if (core::contains(list(cache), mair)) {
      return cache;
    }
  }
  return Cache::kAny;
}

const std::vector<unsigned>& MairKinds::list(Cache cache) const {
  core::bug_if(cache == Cache::kAny, "no attributes are those of any caching");
  return cache == Cache::kNonCached      ? non_cached
         : cache == Cache::kWriteThrough ? write_through
                                         : cached;
}

bool MairKinds::allow(Cache cache, std::string_view attribute) const {
  if (cache == Cache::kAny || list(cache).empty()) {
    return true;
  }
  const auto mair = mair_of(attribute);
  return mair && core::contains(list(cache), *mair);
}

}  // namespace memsize::chip
