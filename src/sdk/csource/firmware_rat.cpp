// Reads what start-up code gives to appMemAddrTranslate(), field by field, with tests of constants
// decided. A call that depends on more than the build is an error.
#include "memsize/core/text.hpp"

#include "firmware.hpp"
#include "source_reader.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class RatParser : private SourceReader {
 public:
  using SourceReader::SourceReader;

  std::vector<RatCall> run() {
    while (!cursor_.done()) {
      const core::Place place = cursor_.place();
      const bool is_plain = is_certain(SIZE_MAX);
      const std::string word = step();
      blocks_.resize(depth_, std::nullopt);
      if (depth_ == 0) {
        parameters_.clear();
      } else if (word == "if") {
        enter_if();
      } else if (word == "{" && depth_ == 1) {
        blocks_.back() = true;
      } else if (word == "appMemAddrTranslate" && cursor_.peek() == "(") {
        translate(place, is_plain);
      } else if (cursor_.peek() == "." && fields().contains(std::string{cursor_.peek(1)}) &&
                 cursor_.peek(2) == "=") {
        assign(word, place, is_plain);
      }
    }
    return std::move(calls_);
  }

 private:
  struct Assigned {
    Argument argument;
    Conditions conditions;
  };

  // By field, in the order of the assignments.
  using Parameters = std::map<std::string, std::vector<Assigned>>;

  // Those of app_mem_rat_prm_t.
  static const std::set<std::string>& fields() {
    static const std::set<std::string> names = {"size", "baseAddress", "translatedAddress"};
    return names;
  }

  // `(NAME > NUMBER) {` between constants: whether it holds is the block's.
  void enter_if() {
    const bool greater = cursor_.peek(2) == ">";
    if (cursor_.peek() != "(" || (!greater && cursor_.peek(2) != "<") || cursor_.peek(4) != ")" ||
        cursor_.peek(5) != "{") {
      return;
    }
    const auto left = number(cursor_.peek(1));
    const auto right = number(cursor_.peek(3));
    if (!left || !right) {
      return;
    }
    while (step() != "{") {
    }
    blocks_.resize(depth_, std::nullopt);
    blocks_.back() = greater ? *left > *right : *left < *right;
  }

  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view word) const {
    return core::is_identifier(word) ? macros_.value(std::string{word})
                                     : Macros::number_in(std::string{word});
  }

  // Whether the open blocks are entered; nothing where that is not known.
  [[nodiscard]] std::optional<bool> entered() const {
    if (std::ranges::find(blocks_, std::optional{false}) != blocks_.end()) {
      return false;
    }
    const bool sure = std::ranges::find(blocks_, std::optional<bool>{}) == blocks_.end();
    return sure ? std::optional{true} : std::nullopt;
  }

  bool sure(bool is_plain, const core::Place& place) {
    if (is_plain && entered()) {
      return true;
    }
    cursor_.wrong("this is conditional at run time, which is not understood", place);
    return false;
  }

  // `.size = EXPRESSION;`
  void assign(const std::string& variable, const core::Place& place, bool is_plain) {
    step();
    const std::string field = step();
    step();
    const Conditions& where = source_.conditions(place.line);
    const auto value = argument();
    if (!value) {
      skip_statement();
    } else if (sure(is_plain, place)) {
      parameters_[variable][field].push_back({*value, where});
    }
  }

  void translate(const core::Place& place, bool is_plain) {
    step();
    if (!cursor_.expect("&")) {
      return;
    }
    const std::string variable = step();
    const Conditions& where = source_.conditions(place.line);
    if (!sure(is_plain, place)) {
      return;
    }
    const Parameters& parameters = parameters_[variable];
    // Without an assignment under a narrower condition, the call itself is the only case.
    std::vector<Conditions> cases;
    for (const auto& [field, assignments] : parameters) {
      for (const Assigned& assigned : assignments) {
        if (!covers(assigned.conditions, where) &&
            std::ranges::find(cases, assigned.conditions) == cases.end()) {
          cases.push_back(assigned.conditions);
        }
      }
    }
    if (cases.empty()) {
      cases.push_back(where);
    }
    for (const Conditions& one : cases) {
      add(parameters, one, place);
    }
  }

  void add(const Parameters& parameters, const Conditions& where, const core::Place& place) {
    RatCall call;
    for (const auto& [field, argument] : {std::pair{"baseAddress", &call.local},
                                          std::pair{"translatedAddress", &call.system},
                                          std::pair{"size", &call.size}}) {
      const Assigned* last = nullptr;
      if (const auto found = parameters.find(field); found != parameters.end()) {
        for (const Assigned& assigned : found->second) {
          last = covers(assigned.conditions, where) ? &assigned : last;
        }
      }
      if (last == nullptr) {
        return cursor_.wrong(fmt::format("'{}' is not set before this call{}{}",
                                         field,
                                         where.empty() ? "" : " where ",
                                         core::printable(joined(where), 120)),
                             place);
      }
      *argument = last->argument;
      call.entry.places.emplace(field, argument->place);
    }
    call.entry.fields.name = name_of(call.local, {"_ADDR"});
    call.entry.fields.local = call.local.value;
    call.entry.fields.system = call.system.value;
    call.entry.fields.size = call.size.value;
    call.entry.place = place;
    call.is_programmed = entered().value_or(true);
    call.conditions = where;
    calls_.push_back(std::move(call));
  }

  std::map<std::string, Parameters> parameters_;
  // For each open block, whether it is entered.
  std::vector<std::optional<bool>> blocks_;
  std::vector<RatCall> calls_;
};

}  // namespace

std::vector<RatCall> parse_rat_calls(const FirmwareFile& file, core::Diagnostics& errors) {
  return RatParser{file, errors}.run();
}

}  // namespace memsize::sdk
