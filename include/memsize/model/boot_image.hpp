// A FIT image: what U-Boot loads, each part with its place in memory.
#pragma once

#include "memsize/core/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memsize::model {

struct BootPart {
  /// Of its node below /images.
  std::string name;
  std::string description;
  /// "firmware", "tee", "standalone", "flat_dt".
  std::string type;
  /// "arm-trusted-firmware", "U-Boot", "DM"; empty: it does not say.
  std::string os;
  /// Nothing: U-Boot chooses.
  std::optional<std::uint64_t> load;
  /// Of the X.509 certificate in front; 0: there is none.
  core::Bytes certificate;
  /// Its bytes behind the certificate, as they are stored.
  std::string payload;
  bool is_packed = false;
};

struct BootImage {
  /// As the user typed it.
  std::string path;
  std::vector<BootPart> parts;
  /// Each with the names of the parts that it loads; U-Boot takes one of them.
  std::vector<std::pair<std::string, std::vector<std::string>>> configurations = {};
};

}  // namespace memsize::model
