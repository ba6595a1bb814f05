// A C++ header with the ranges of every core as constants. What a core sees and what is on the bus
// are of two types, as they are in here.
//
// A name that C++ or the header itself uses has an underscore behind it, and so has one that would
// be the same then: "new" is "new_", and "new_" is "new__".
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include "consumers/consumer.hpp"
#include "rendered.hpp"
#include "verify/stray.hpp"
#include "view.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;
using layout::Region;

constexpr std::string_view kCxxFile = "memory_map.hpp";

// Keywords up to C++20, words that are some only in places, the header's own names, and macros that
// compilers and common headers have.
constexpr std::string_view kCxxWords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
    "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq final override import module "
    "Range CoreRange BusRange Core Bus bus reserved memory_map std "
    "linux unix i386 NULL EOF assert errno";

std::string cxx_name(const std::string& name) {
  const std::size_t last = name.find_last_not_of('_');
  const std::string stem = last == std::string::npos ? name : name.substr(0, last + 1);
  return core::is_one_of(stem, kCxxWords) ? name + "_" : name;
}

Json cxx_range(const std::string& name,
               std::uint64_t base,
               core::Bytes size,
               const std::string& note) {
  return {{"name", cxx_name(name)},
          {"begin", hex8(base)},
          {"length", hex8(size.count())},
          {"size", core::format_size(size)},
          {"note", note}};
}

Json cxx_core(const layout::MemoryMap& map, const std::string& core) {
  Json view = {{"core", core}, {"namespace", cxx_name(core)}};
  std::vector<const Region*> regions;
  for (const Region& region : map.regions) {
    if (region.seen_by(core)) {
      regions.push_back(&region);
    }
  }
  std::ranges::stable_sort(
      regions, {}, [](const Region* region) { return region->virtual_base->value(); });
  for (const char* list : {"seen", "placed", "checks"}) {
    view[list] = Json::array();
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Region& region = *regions[i];
    view["seen"].push_back(
        cxx_range(region.name, region.virtual_base->value(), region.size, region.note));
    if (region.physical_base) {
      view["placed"].push_back(
          cxx_range(region.name, region.physical_base->value(), region.size, region.note));
    }
    if (i != 0) {
      view["checks"].push_back(
          {{"one", cxx_name(regions[i - 1]->name)}, {"other", cxx_name(region.name)}});
    }
  }
  return view;
}

core::Result<std::vector<Artifact>> render_cxx_header(const EmitInput& input) {
  Json view = head_view(input.map);
  view["cores"] = Json::array(input.map.board.cores, [&](const board::Core& core) -> Json {
    return cxx_core(input.map, core.name);
  });
  view["reserved"] = Json::array(input.map.carveouts, [](const layout::Carveout& carveout) -> Json {
    return cxx_range(carveout.label, carveout.range.base().value(), carveout.range.size(), {});
  });
  return render_one(input, std::string{kCxxFile}, "cxx-header", view);
}

// The constants by the namespaces that they are in: "memory_map::CORE::bus".
std::map<std::string, std::vector<WrittenRange>> read_cxx_header(const WrittenFile& file,
                                                                 core::Diagnostics& errors) {
  core::Cursor cursor{file.file.path_under(file.root),
                      file.file.content,
                      Code::kVerifyParse,
                      errors,
                      core::Words::kC};
  std::map<std::string, std::vector<WrittenRange>> ranges;
  // A brace that opens no namespace is "".
  std::vector<std::string> scopes;
  const auto where = [&] {
    std::vector<std::string> names;
    std::ranges::copy_if(
        scopes, std::back_inserter(names), [](const std::string& name) { return !name.empty(); });
    return core::join(names, "::");
  };
  while (!cursor.done() && errors.empty()) {
    const std::string word = cursor.take();
    if (word == "namespace") {
      scopes.push_back(cursor.take());
      cursor.expect("{");
    } else if (word == "{") {
      scopes.emplace_back();
    } else if (word == "}" && scopes.empty()) {
      cursor.wrong("this closes nothing", cursor.place());
    } else if (word == "}") {
      scopes.pop_back();
    } else if (word == "constexpr" && cursor.peek(2) == "{" &&
               (cursor.peek() == "CoreRange" || cursor.peek() == "BusRange")) {
      const bool is_bus = cursor.take() == "BusRange";
      WrittenRange range{.place = cursor.place()};
      range.name = cursor.take();
      cursor.expect("{");
      range.base = cursor.number();
      cursor.expect(",");
      range.size = cursor.number();
      cursor.expect("}");
      const std::string scope = where();
      if (is_bus != (scope.ends_with("::bus") || scope == "memory_map::reserved")) {
        cursor.wrong("addresses of a core and of the bus must not mix", range.place);
      }
      ranges[scope].push_back(std::move(range));
    }
  }
  return ranges;
}

void verify_cxx_header(const WrittenFile& file, core::Diagnostics& found) {
  auto ranges = read_cxx_header(file, found);
  if (!found.empty() || !refuse_stray_words(file.file, file.root, found)) {
    return;
  }
  const auto hold =
      [&](const std::string& scope, const char* kind, std::vector<WantedRange> wanted) {
        const std::vector<WrittenRange> written = std::move(ranges[scope]);
        ranges.erase(scope);
        for (WantedRange& range : wanted) {
          range.name = cxx_name(range.name);
        }
        hold_ranges(file, kind, written, wanted, found);
      };
  std::set<std::string> cores;
  for (const MapRegion& region : file.map.regions) {
    cores.insert(region.cores.begin(), region.cores.end());
  }
  for (const std::string& core : cores) {
    const WrittenFile of_core{file.file, core, file.map, file.root};
    const std::string scope = "memory_map::" + cxx_name(core);
    hold(scope, "region", seen_ranges(of_core));
    hold(scope + "::bus", "region", bus_ranges(of_core));
  }
  hold("memory_map::reserved", "carve-out", labelled_ranges(file));
  for (const auto& [scope, left] : ranges) {
    for (const WrittenRange& range : left) {
      found.push_back(disagreement(
          range.place,
          {{"region", core::printable(range.name, 60)}},
          fmt::format("memory_map.json has nothing in '{}'", core::printable(scope, 120))));
    }
  }
}

}  // namespace

Emitter cxx_header_emitter() {
  return {"cxx-header",
          "a C++ header with each core's ranges as constants",
          render_cxx_header,
          true,
          kCxxFile,
          verify_cxx_header};
}

}  // namespace memsize::emit
