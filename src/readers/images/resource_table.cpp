// Reads the resource table of a firmware as Linux does, which stops at the first entry that is
// wrong, and goes on behind one that it does not know.
//
// Source: drivers/remoteproc/remoteproc_elf_loader.c (find_table) and remoteproc_core.c
// (rproc_handle_resources and what it calls) of Linux.
#include "resource_table.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using model::Resource;
using model::ResourceTable;

constexpr std::size_t kWord = 4;
constexpr std::size_t kHeader = 4 * kWord;
constexpr std::size_t kNameLength = 32;
// Behind the type: what of an entry is always there.
constexpr std::size_t kMemoryBody = 5 * kWord + kNameLength;
constexpr std::size_t kTraceBody = 3 * kWord + kNameLength;
constexpr std::size_t kVirtioBody = 6 * kWord;
constexpr std::size_t kVring = 5 * kWord;
constexpr std::size_t kMostVrings = 2;
// No firmware has more than a few; a table could be one entry a million times.
constexpr std::size_t kMostEntries = 1024;

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

// Little endian, as the host of every part is.
std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kWord; ++i) {
    value |= std::uint32_t{byte_at(bytes, at + i)} << (8 * i);
  }
  return value;
}

std::string name_at(std::string_view bytes, std::size_t at) {
  const std::string_view name = bytes.substr(at, kNameLength);
  return std::string{name.substr(0, name.find('\0'))};
}

// The words of what is wrong with the table's head; empty where nothing is.
std::string fault_of_head(std::string_view bytes) {
  if (bytes.size() < kHeader) {
    return "header-less resource table";
  }
  if (const std::uint32_t version = word_at(bytes, 0); version != 1) {
    return fmt::format("unsupported fw ver: {}", static_cast<std::int32_t>(version));
  }
  if (word_at(bytes, 2 * kWord) != 0 || word_at(bytes, 3 * kWord) != 0) {
    return "non zero reserved bytes";
  }
  if (word_at(bytes, kWord) > (bytes.size() - kHeader) / kWord) {
    return "resource table incomplete";
  }
  return {};
}

// An entry behind its type, and what Linux says where it does not take it.
class EntryReader {
 public:
  EntryReader(std::string_view body, Resource& entry) : body_(body), entry_(entry) {}

  std::optional<std::string> read() {
    switch (entry_.type) {
      case model::kCarveoutResource:
        return memory("carveout", 2 * kWord, kMemoryBody);
      case model::kMemoryResource:
        return memory("devmem", 2 * kWord, kMemoryBody);
      case model::kTraceResource:
        return memory("trace", kWord, kTraceBody);
      default:
        return virtio();
    }
  }

 private:
  // Address, whatever else, size; then a word that must be zero, and a name.
  std::optional<std::string> memory(std::string_view kind,
                                    std::size_t size_at,
                                    std::size_t length) {
    if (body_.size() < length) {
      return fmt::format("{} rsc is truncated", kind);
    }
    entry_.device_address = word_at(body_, 0);
    entry_.size = core::Bytes{word_at(body_, size_at)};
    entry_.name = name_at(body_, length - kNameLength);
    if (word_at(body_, length - kNameLength - kWord) != 0) {
      return fmt::format("{} rsc has non zero reserved bytes", kind);
    }
    return std::nullopt;
  }

  std::optional<std::string> virtio() {
    const std::size_t count =
        body_.size() < kVirtioBody ? 0 : byte_at(body_, kVirtioBody - kWord + 1);
    // Neither term has more than 33 bits.
    if (body_.size() < kVirtioBody ||
        kVirtioBody + count * kVring + std::uint64_t{word_at(body_, 4 * kWord)} > body_.size()) {
      return "vdev rsc is truncated";
    }
    entry_.id = word_at(body_, 0);
    if (byte_at(body_, kVirtioBody - 2) != 0 || byte_at(body_, kVirtioBody - 1) != 0) {
      return "vdev rsc has non zero reserved bytes";
    }
    if (count > kMostVrings) {
      return fmt::format("too many vrings: {}", count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = kVirtioBody + i * kVring;
      entry_.vrings.push_back(
          {word_at(body_, at), word_at(body_, at + kWord), word_at(body_, at + 2 * kWord)});
      const model::ResourceVring& vring = entry_.vrings.back();
      if (vring.buffers == 0 || vring.alignment == 0) {
        return fmt::format("invalid qsz ({}) or alignment ({})",
                           static_cast<std::int32_t>(vring.buffers),
                           static_cast<std::int32_t>(vring.alignment));
      }
    }
    return std::nullopt;
  }

  std::string_view body_;
  Resource& entry_;
};

bool is_known(std::uint32_t type) {
  return type <= model::kVirtioResource;
}

std::string not_known(std::uint32_t type) {
  const bool is_vendors = type >= model::kVendorResource && type <= model::kLastVendorResource;
  return fmt::format(
      "unsupported {}resource {}", is_vendors ? "vendor " : "", static_cast<std::int32_t>(type));
}

}  // namespace

ResourceTable cut_resource_table() {
  return {.size = {}, .entries = {}, .complaints = {{"resource table truncated", true}}};
}

ResourceTable read_resource_table(std::string_view bytes) {
  ResourceTable table{.size = core::Bytes{bytes.size()}, .entries = {}, .complaints = {}};
  const auto stop = [&](std::string words) {
    table.complaints.push_back({std::move(words), true});
    return table;
  };
  if (std::string fault = fault_of_head(bytes); !fault.empty()) {
    return stop(std::move(fault));
  }
  const std::size_t count = word_at(bytes, kWord);
  if (count > kMostEntries) {
    return stop(fmt::format("{} entries, which no firmware has", count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = word_at(bytes, kHeader + i * kWord);
    if (at > bytes.size() || bytes.size() - at < kWord) {
      return stop("rsc table is truncated");
    }
    table.entries.push_back({.type = word_at(bytes, at), .vrings = {}, .size = {}, .name = {}});
    Resource& entry = table.entries.back();
    if (!is_known(entry.type)) {
      table.complaints.push_back({not_known(entry.type), false});
    } else if (auto fault = EntryReader{bytes.substr(at + kWord), entry}.read(); fault) {
      return stop(std::move(*fault));
    }
  }
  return table;
}

}  // namespace memsize::readers
