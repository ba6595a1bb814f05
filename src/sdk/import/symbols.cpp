// Which of a script's variables a board has by name, as knobs or as constants.
#include "plan.hpp"
#include "script/script.hpp"

#include <algorithm>

namespace memsize::sdk {

namespace {

// Boot sections, vectors and resource tables are smaller: what start-up code and Linux expect, not
// what anybody sets.
constexpr std::uint64_t kSmallestKnob = 64ULL << 10;

class Chooser {
 public:
  explicit Chooser(Plan& plan) : plan_(plan) {}

  void run() {
    for (const PlanRegion& region : plan_.regions) {
      add_size_symbols(region.forms.length);
      if (region.space == board::Space::kDdr) {
        const std::string name = only_name(region.forms.length);
        ++regions_of_[name];
      }
    }
    regions_of_.erase("");
    choose_names();
    choose_addresses();
    choose_constants();
  }

 private:
  void add_size_symbols(const Linear& form) {
    for (const auto& [name, factor] : leaves(form).terms) {
      plan_.size_symbols.insert(name);
    }
  }

  // In what the script gives as numbers.
  [[nodiscard]] Linear leaves(const Linear& form) const {
    std::set<std::string> numbers;
    for (const auto& [name, symbol] : plan_.forms->symbols()) {
      if (symbol.definition.terms.empty()) {
        numbers.insert(name);
      }
    }
    return plan_.forms->reduced(form, numbers);
  }

  void choose_names() {
    const board::Board* known = plan_.known();
    if (known != nullptr) {
      for (const board::Knob& knob : known->knobs) {
        keep(knob.name);
      }
      for (const auto& [name, expression] : known->constants) {
        keep(name);
      }
    }
    for (const std::string& name : plan_.pinned) {
      keep(name);
    }
    for (const PlanRegion& region : plan_.regions) {
      const std::string name = only_name(region.forms.length);
      if (region.space == board::Space::kDdr && region.known == nullptr && !name.empty() &&
          (region.size >= kSmallestKnob || regions_of_[name] > 1)) {
        keep(name);
      }
    }
    if (known == nullptr) {
      keep_parts();
    }
  }

  // Without a board to go by: the numbers that sizes are made of, and no second name for one.
  void keep_parts() {
    const std::set<std::string> sizes = plan_.keep;
    for (const std::string& name : sizes) {
      const Symbol& symbol = *plan_.forms->find(name);
      if (!only_name(symbol.definition).empty()) {
        plan_.keep.erase(name);
      }
      for (const auto& [part, factor] : leaves(symbol.definition).terms) {
        const Symbol* number = plan_.forms->find(part);
        if (plan_.size_symbols.contains(part) &&
            (number->value >= static_cast<Integer>(kSmallestKnob) || regions_of_[part] > 1)) {
          keep(part);
        }
      }
    }
  }

  void keep(const std::string& name) {
    const Symbol* symbol = plan_.forms->find(name);
    // A board has no knob for nothing.
    if (symbol != nullptr && symbol->value > 0) {
      plan_.keep.insert(name);
    }
  }

  void choose_addresses() {
    const board::Board* known = plan_.known();
    for (const PlanRegion& region : plan_.regions) {
      const std::string root = plan_.root_of(region.physical);
      if (region.space != board::Space::kDdr || root.empty()) {
        continue;
      }
      if (known == nullptr && !is_base(plan_.forms->find(root)->value)) {
        plan_.keep.insert(root);
      }
      if (plan_.keep.contains(root)) {
        plan_.addresses.insert(root);
      }
    }
  }

  // The bases of the 64-bit window are the part's.
  [[nodiscard]] bool is_base(Integer value) const {
    const auto& exports = plan_.variant->script->exports;
    return std::ranges::any_of(exports, [&](const ScriptExport& each) {
      return (each.physical_base && static_cast<Integer>(*each.physical_base) == value) ||
             (each.virtual_base && static_cast<Integer>(*each.virtual_base) == value);
    });
  }

  void choose_constants() {
    const board::Board* known = plan_.known();
    for (const std::string& name : plan_.keep) {
      const bool is_number = plan_.forms->find(name)->definition.terms.empty();
      bool is_constant = regions_of_[name] > 1 && is_number;
      if (known != nullptr) {
        const auto& all = known->constants;
        is_constant =
            (is_constant ||
             std::ranges::any_of(all, [&](const auto& each) { return each.first == name; })) &&
            known->find_knob(name) == nullptr;
      }
      if (is_constant) {
        plan_.constants.insert(name);
      }
    }
    // A constant is made of constants only.
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::string& name : std::set<std::string>{plan_.constants}) {
        for (const auto& [part, factor] :
             plan_.reduced(plan_.forms->find(name)->definition).terms) {
          if (!plan_.constants.contains(part)) {
            plan_.constants.erase(name);
            changed = true;
          }
        }
      }
    }
  }

  Plan& plan_;
  // How many regions have just this variable as their size.
  std::map<std::string, int> regions_of_;
};

}  // namespace

Linear Plan::settable(const Linear& form) const {
  const Linear named = reduced(form);
  if (!only_name(named).empty()) {
    return named;
  }
  std::set<std::string> knobs;
  for (const std::string& name : keep) {
    if (!constants.contains(name) || addresses.contains(name)) {
      knobs.insert(name);
    }
  }
  return forms->reduced(form, knobs);
}

std::string Plan::root_of(const Linear& address) const {
  std::set<std::string> numbers;
  for (const auto& [name, symbol] : forms->symbols()) {
    if (symbol.definition.terms.empty()) {
      numbers.insert(name);
    }
  }
  std::string root;
  for (const auto& [name, factor] : forms->reduced(address, numbers).terms) {
    const bool larger = root.empty() || forms->find(name)->value > forms->find(root)->value;
    if (factor == 1 && !size_symbols.contains(name) && larger) {
      root = name;
    }
  }
  return root;
}

void plan_symbols(Plan& plan) {
  Chooser{plan}.run();
}

}  // namespace memsize::sdk
