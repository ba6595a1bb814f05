// Reads calls of Mmu_map() with the attributes set before them, and calls that set a C66x' MAR
// registers. What depends on anything at run time is an error at its place.
#include "memsize/core/text.hpp"

#include "firmware.hpp"
#include "source_reader.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class MmuParser : private SourceReader {
 public:
  using SourceReader::SourceReader;

  std::vector<MmuCall> run() {
    while (!cursor_.done()) {
      place_ = cursor_.place();
      conditions_ = &source_.conditions(place_.line);
      const bool is_certain_here = is_certain(1);
      const std::string word = step();
      if (depth_ == 0) {
        attributes_.clear();
      } else if (word == "Mmu_initMapAttrs" && cursor_.peek() == "(") {
        initialize(is_certain_here);
      } else if (word == "Mmu_map" && cursor_.peek() == "(") {
        map(is_certain_here);
      } else if (cursor_.peek() == "." && cursor_.peek(1) == "attrIndx" && cursor_.peek(2) == "=") {
        assign(word, is_certain_here);
      }
    }
    return std::move(calls_);
  }

 private:
  struct Attribute {
    std::string name;
    /// Of the statement; no path for the default.
    core::Place place;
    Conditions conditions;
  };

  bool sure(bool is_certain_here) {
    if (!is_certain_here) {
      cursor_.wrong("this is conditional at run time, which is not understood", place_);
    }
    return is_certain_here;
  }

  // `(&attributes)`.
  void initialize(bool is_certain_here) {
    step();
    if (sure(is_certain_here) && cursor_.expect("&")) {
      attributes_.insert_or_assign(step(), Attribute{"MAIR0", {}, *conditions_});
    }
  }

  // `.attrIndx = Mmu_AttrIndx_MAIR7;`
  void assign(const std::string& variable, bool is_certain_here) {
    constexpr std::string_view kPrefix = "Mmu_AttrIndx_";
    constexpr std::string_view kMair = "MAIR";
    step();
    step();
    step();
    const std::string word = step();
    const bool known = word.size() == kPrefix.size() + kMair.size() + 1 &&
                       word.starts_with(kPrefix) && word.substr(kPrefix.size(), 4) == kMair &&
                       word.back() >= '0' && word.back() <= '7' && cursor_.peek() == ";";
    if (!known) {
      cursor_.wrong(fmt::format("'{}' is no attribute of Mmu.h", core::printable(word, 40)),
                    place_);
    }
    if (!known || !sure(is_certain_here)) {
      attributes_.erase(variable);
      return;
    }
    attributes_.insert_or_assign(
        variable,
        Attribute{word.substr(kPrefix.size()), cursor_.place_since(place_), *conditions_});
  }

  // `(virtual, physical, size, &attributes, is_secure)`.
  void map(bool is_certain_here) {
    const core::Place place = place_;
    step();
    const auto virtual_base = argument();
    const auto physical = virtual_base && cursor_.expect(",") ? argument() : std::nullopt;
    const auto size = physical && cursor_.expect(",") ? argument() : std::nullopt;
    if (!size || !cursor_.expect(",") || !cursor_.expect("&")) {
      return skip_statement();
    }
    const auto attribute = attributes_.find(step());
    if (attribute == attributes_.end()) {
      return cursor_.wrong("no attribute is set before this call", place);
    }
    if (!sure(is_certain_here)) {
      return;
    }
    if (!covers(attribute->second.conditions, *conditions_)) {
      return cursor_.wrong(
          fmt::format("the attribute of this call is set where {}, the call is not",
                      core::printable(joined(attribute->second.conditions), 120)),
          place);
    }
    MmuCall call;
    call.entry.instance = static_cast<unsigned>(calls_.size() + 1);
    call.entry.name = name_of(*virtual_base, {"_VADDR", "_ADDR"});
    call.entry.virtual_base = virtual_base->value;
    call.entry.physical = physical->value;
    call.entry.size = size->value;
    call.entry.attribute = attribute->second.name;
    call.entry.place = place;
    call.entry.places = {
        {"virtual", virtual_base->place}, {"physical", physical->place}, {"size", size->place}};
    call.virtual_base = *virtual_base;
    call.physical = *physical;
    call.size = *size;
    call.attribute_place = attribute->second.place;
    call.conditions = *conditions_;
    calls_.push_back(std::move(call));
  }

  std::map<std::string, Attribute> attributes_;
  std::vector<MmuCall> calls_;
  core::Place place_;
  const Conditions* conditions_ = nullptr;
};

class MarParser : private SourceReader {
 public:
  using SourceReader::SourceReader;

  std::vector<MarCall> run() {
    while (!cursor_.done()) {
      const core::Place place = cursor_.place();
      const bool is_certain_here = is_certain(1);
      const std::string word = step();
      const bool is_call = word == "Cache_setMar" || word == "CacheP_setMar";
      if (is_call && depth_ > 0 && cursor_.peek() == "(") {
        if (!is_certain_here) {
          cursor_.wrong("this is conditional at run time, which is not understood", place);
        } else {
          set(place);
        }
      }
    }
    return std::move(calls_);
  }

 private:
  void set(const core::Place& place) {
    step();
    const auto base = argument();
    const auto size = base && cursor_.expect(",") ? argument() : std::nullopt;
    if (!size || !cursor_.expect(",")) {
      return skip_statement();
    }
    const core::Place switch_place = cursor_.place();
    const std::string word = step();
    const bool is_cached = word == "Cache_Mar_ENABLE" || word == "CacheP_Mar_ENABLE";
    if (!is_cached && word != "Cache_Mar_DISABLE" && word != "CacheP_Mar_DISABLE") {
      return cursor_.wrong(
          fmt::format("'{}' does not say whether this is cached", core::printable(word, 40)),
          switch_place);
    }
    calls_.push_back({*base, *size, is_cached, place, source_.conditions(place.line)});
  }

  std::vector<MarCall> calls_;
};

}  // namespace

std::vector<MmuCall> parse_mmu_calls(const FirmwareFile& file, core::Diagnostics& errors) {
  return MmuParser{file, errors}.run();
}

std::vector<MarCall> parse_mar_calls(const FirmwareFile& file, core::Diagnostics& errors) {
  return MarParser{file, errors}.run();
}

}  // namespace memsize::sdk
