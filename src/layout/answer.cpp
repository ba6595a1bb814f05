// Tells an address from a name in what was asked, as crash dumps write them too, finds the name
// that was meant, and makes a subject of entries that only hardware has.
#include "memsize/layout/answer.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Crash dumps print addresses without 0x. A number with a letter in it can be nothing else, if it
// is as long as an address; "bad" is a name.
bool is_bare_hex(std::string_view text) {
  constexpr std::size_t kShortest = 6;
  constexpr std::size_t kLongest = 16;
  const bool digits = std::ranges::all_of(text, is_hex_digit);
  const bool has_digit = std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
  const bool has_letter = std::ranges::any_of(text, [](char c) { return c < '0' || c > '9'; });
  return digits && has_digit && has_letter && text.size() >= kShortest && text.size() <= kLongest;
}

// "MMU 5 'NAME'" without the rest.
std::string name_in(const std::string& label) {
  const std::size_t quote = label.find('\'');
  return quote == std::string::npos ? std::string{}
                                    : label.substr(quote + 1, label.size() - quote - 2);
}

std::string kind_of_entries(const CoreHardware& core) {
  return core.has_mmu ? "MMU entry" : core.has_mpu ? "MPU region" : "cache setting";
}

// Says once where an entry leads.
void add_entry_fact(const HardwareEntry& entry, Subject& subject) {
  const auto range = core::VirtRange::make(core::VirtAddr{entry.base}, core::Bytes{entry.size});
  std::string fact = fmt::format("it maps {} to {}{}",
                                 range ? core::format_range(*range) : core::format_hex(entry.base),
                                 core::format_hex(entry.target),
                                 entry.cached.empty() ? "" : ", " + entry.cached);
  auto& facts = subject.facts;
  if (std::ranges::find(facts, fact) == facts.end()) {
    facts.push_back(std::move(fact));
  }
}

void add_entry(const CoreHardware& core, const HardwareEntry& entry, Subject& subject) {
  subject.size = std::max(subject.size.value_or(0), entry.size);
  add_entry_fact(entry, subject);
  bool decides = false;
  for (Sight& sight : look_at(core, entry.base, entry.size)) {
    decides = decides || sight.by_place == entry.place || sight.moved_by_place == entry.place;
    subject.sights.push_back(std::move(sight));
  }
  // Of one that others hide, nobody else says where it is.
  if (!decides) {
    subject.said.push_back({entry.place, entry.label});
  }
}

}  // namespace

core::Result<std::optional<std::uint64_t>> address_in(std::string_view text) {
  if (is_bare_hex(text)) {
    return core::parse_address(fmt::format("0x{}", text)).map([](std::uint64_t value) {
      return std::optional{value};
    });
  }
  if (text.empty() || text.front() < '0' || text.front() > '9') {
    return std::nullopt;
  }
  const auto address = core::parse_address(text);
  if (!address) {
    return core::fail(core::error(core::Code::kUsage,
                                  fmt::format("'{}' is no address", core::printable(text, 60)),
                                  {},
                                  "write it as 0x110300000, in decimal, or give a name"));
  }
  return *address;
}

std::vector<std::string> entry_names(const std::vector<CoreHardware>& cores) {
  std::vector<std::string> names;
  for (const CoreHardware& core : cores) {
    for (const auto* list : {&core.entries, &core.rat}) {
      for (const HardwareEntry& entry : *list) {
        names.push_back(name_in(entry.label));
      }
    }
  }
  std::erase(names, std::string{});
  return names;
}

std::optional<Subject> subject_of_entries(const std::vector<CoreHardware>& cores,
                                          const std::string& name) {
  Subject subject;
  for (const CoreHardware& core : cores) {
    for (const auto* list : {&core.entries, &core.rat}) {
      for (const HardwareEntry& entry : *list) {
        if (name_in(entry.label) == name) {
          subject.kind = list == &core.rat ? "RAT entry" : kind_of_entries(core);
          add_entry(core, entry, subject);
        }
      }
    }
  }
  subject.name = name;
  return subject.kind.empty() ? std::nullopt : std::optional{std::move(subject)};
}

std::string name_meant(std::string_view text, const std::vector<std::string>& names) {
  // The longer ending first.
  constexpr std::array<std::string_view, 4> kEndings = {"_VADDR", "_PADDR", "_ADDR", "_SIZE"};
  std::vector<std::string_view> wanted = {text};
  for (const std::string_view ending : kEndings) {
    if (text.size() > ending.size() && core::to_lower(text).ends_with(core::to_lower(ending))) {
      wanted.push_back(text.substr(0, text.size() - ending.size()));
    }
  }
  for (const std::string_view each : wanted) {
    if (const auto found = std::ranges::find(names, each); found != names.end()) {
      return *found;
    }
  }
  for (const std::string_view each : wanted) {
    const auto found = std::ranges::find_if(names, [&](const std::string& name) {
      return core::to_lower(name) == core::to_lower(each);
    });
    if (found != names.end()) {
      return *found;
    }
  }
  return {};
}

AddressReading reading_of(const CoreHardware& core, std::uint64_t address) {
  Sight sight = look_at(core, address, 1).front();
  AddressReading reading{.core = core.core,
                         .build = core.build,
                         .is_mapped = sight.is_mapped,
                         .physical = sight.physical,
                         .cached = std::move(sight.cached),
                         .by = std::move(sight.by),
                         .by_place = std::move(sight.by_place)};
  if (!sight.moved_by.empty()) {
    reading.by += (reading.by.empty() ? "" : ", ") + sight.moved_by;
  }
  return reading;
}

}  // namespace memsize::layout
