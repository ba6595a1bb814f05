// Sends the first and the last byte of every region through a core's conversion functions and back,
// by the first range that has it. An address that no range has stays as it is.
#include "shared.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "tree/reading.hpp"

#include <vector>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

// app_mem.h of app_utils gives such functions to its memory module.
constexpr const char* kOutward = "appTarget2SharedConversion";
constexpr const char* kBack = "appShared2TargetConversion";

class SharedChecker {
 public:
  SharedChecker(const View& view, const CoreReading& core, core::Diagnostics& found)
      : view_(view), core_(core), found_(found) {}

  void run() {
    for (const emit::WrittenRange& range : core_.linker) {
      const auto physical = view_.physical_of(range.name, range.base, core_.name);
      if (physical && range.size != 0) {
        check(range, *physical);
      }
    }
    report_lacking(lacking_out_, kOutward);
    report_lacking(lacking_back_, kBack);
  }

 private:
  static std::uint64_t from_of(const SharedRange& each) {
    return each.direction == Direction::kToShared ? each.virtual_base.value : each.physical.value;
  }

  static std::uint64_t to_of(const SharedRange& each) {
    return each.direction == Direction::kToShared ? each.physical.value : each.virtual_base.value;
  }

  // Of the ranges that are tested one after the other, the first that has the address.
  [[nodiscard]] const SharedRange* find(Direction direction, std::uint64_t address) const {
    const auto& ranges = core_.shared.ranges;
    return core::find_where(ranges, [&](const SharedRange& each) {
      return each.direction == direction && address >= from_of(each) &&
             (!each.size || address - from_of(each) < each.size->value);
    });
  }

  void check(const emit::WrittenRange& range, std::uint64_t physical) {
    const std::uint64_t last = range.size - 1;
    for (const std::uint64_t into : {std::uint64_t{0}, last}) {
      if (!check_byte(range, Direction::kToShared, range.base + into, physical + into) ||
          !check_byte(range, Direction::kToTarget, physical + into, range.base + into)) {
        return;
      }
    }
  }

  bool check_byte(const emit::WrittenRange& range,
                  Direction direction,
                  std::uint64_t from,
                  std::uint64_t right) {
    const SharedRange* by = find(direction, from);
    const std::uint64_t to = by == nullptr ? from : from - from_of(*by) + to_of(*by);
    if (to == right) {
      return true;
    }
    const bool outward = direction == Direction::kToShared;
    if (by == nullptr) {
      (outward ? lacking_out_ : lacking_back_).push_back({&range, from, right});
      return false;
    }
    core::Diagnostic wrong =
        core::error(Code::kSdkDisagree,
                    fmt::format("the C code of {} converts {} of '{}' to {}, but it is at {}",
                                core_.name,
                                core::format_hex(from),
                                range.name,
                                core::format_hex(to),
                                core::format_hex(right)),
                    by->place,
                    fmt::format("correct the conversion in {}", outward ? kOutward : kBack))
            .about({{"core", core_.name},
                    {"region", range.name},
                    {"function", outward ? kOutward : kBack}});
    wrong.related.push_back(core::region_at(range.place, range.name));
    found_.push_back(std::move(wrong));
    return false;
  }

  struct Lacking {
    const emit::WrittenRange* range;
    std::uint64_t from;
    std::uint64_t right;
  };

  // Of all regions that a direction lacks, one warning.
  void report_lacking(const std::vector<Lacking>& lacking, const char* function) {
    if (lacking.empty()) {
      return;
    }
    const auto line_of = [](const Lacking& each) {
      return fmt::format("{} of '{}' stays as it is, but is at {}",
                         core::format_hex(each.from),
                         each.range->name,
                         core::format_hex(each.right));
    };
    core::Diagnostic warning =
        core::warning(Code::kSdkDisagree,
                      fmt::format("{} of {} does not convert {}: {}",
                                  function,
                                  core_.name,
                                  lacking.size() == 1 ? "a region"
                                                      : fmt::format("{} regions", lacking.size()),
                                  line_of(lacking.front())),
                      view_.place_of(core_.shared.path),
                      "convert them too, if other cores are given such addresses")
            .about({{"core", core_.name}, {"function", function}});
    for (const Lacking& each : lacking) {
      warning.parties.push_back({"region", each.range->name});
    }
    for (std::size_t i = 1; i < lacking.size(); ++i) {
      warning.details.push_back(line_of(lacking[i]));
    }
    warning.related.push_back(
        core::region_at(lacking.front().range->place, lacking.front().range->name));
    found_.push_back(std::move(warning));
  }

  std::vector<Lacking> lacking_out_;
  std::vector<Lacking> lacking_back_;
  const View& view_;
  const CoreReading& core_;
  core::Diagnostics& found_;
};

}  // namespace

void check_shared(const View& view, const CoreReading& core, core::Diagnostics& found) {
  if (!core.shared.ranges.empty()) {
    SharedChecker{view, core, found}.run();
  }
}

}  // namespace memsize::sdk
