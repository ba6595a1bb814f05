// Brings values into scripts, the files that these write and the cores' programs, then reads the
// result as any tree and tells its news. Beside a file that is not understood nothing is changed.
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/overlay.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/sdk/check.hpp"
#include "memsize/sdk/edit_tree.hpp"
#include "memsize/sdk/import.hpp"
#include "memsize/sdk/news.hpp"

#include "formats/edit_generated.hpp"
#include "places.hpp"
#include "programs.hpp"
#include "script/edit_script.hpp"
#include "script/script.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using layout::MemoryMap;

using ScriptConstants = std::map<std::string, Integer>;

// The exports that write one file, before and after.
using EditTarget = std::vector<std::pair<const ScriptExport*, const ScriptExport*>>;

bool same_ranges(const ScriptExport& a, const ScriptExport& b) {
  const auto same = [](const ScriptMapEntry& x, const ScriptMapEntry& y) {
    return x.section->name == y.section->name && x.section->origin == y.section->origin &&
           x.section->length == y.section->length;
  };
  return a.physical_base == b.physical_base && a.virtual_base == b.virtual_base &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(), same);
}

// Whether it is computed from anything but KB, MB and GB.
bool is_derived(const Script& script, const std::string& name) {
  constexpr int kStep = 10;
  const std::set<Integer> units = {
      Integer{1} << kStep, Integer{1} << 2 * kStep, Integer{1} << 3 * kStep};
  const ScriptVariable* variable = find_variable(script, name);
  return variable != nullptr && std::ranges::any_of(variable->assignments.back().expression.uses,
                                                    [&](const std::string& use) {
                                                      const Integer* value = number_of(script, use);
                                                      return value == nullptr ||
                                                             !units.contains(*value);
                                                    });
}

class Planner {
 public:
  Planner(const OpenTree& tree, const EditWish& wish)
      : files_(*tree.files),
        tree_(tree),
        wish_(wish),
        folder_(tree.sources.platform.folder),
        forced_(wish.hand_edits == HandEdits::kForce) {}

  core::Result<EditPlan> run() {
    const OpenVariant& asked = *tree_.find(tree_.os);
    for (const auto& [knob, value] : wish_.values) {
      const auto now = asked.map.values.find(knob);
      if (now == asked.map.values.end() || now->second != value) {
        changes_[knob] = value;
      }
    }
    resolve_maps();
    if (core::has_errors(found_)) {
      return failed();
    }
    check_readable();
    EditPlan plan{.before = asked.map, .after = maps_.at(tree_.os)};
    if (changes_.empty() && !forced_) {
      if (core::has_errors(found_)) {
        return failed();
      }
      plan.diagnostics = std::move(found_);
      return plan;
    }
    edit_scripts();
    edit_generated();
    if (!core::has_errors(found_)) {
      edit_programs();
    }
    if (core::has_errors(found_)) {
      return failed();
    }
    for (const auto& [path, stale] : tree_.stale_scripts) {
      tell_stale(path);
      edited_.try_emplace(path, original(path));
    }
    for (const auto& [path, content] : edited_) {
      const auto stale = tree_.stale_scripts.find(path);
      plan.files.push_back(
          {path, stale == tree_.stale_scripts.end() ? original(path) : stale->second, content});
    }
    if (!plan.files.empty()) {
      check_result();
    }
    if (core::has_errors(found_)) {
      return failed();
    }
    plan.diagnostics = std::move(found_);
    plan.repairs = std::move(repairs_);
    return plan;
  }

 private:
  // What would have been done to files is no news where none is written.
  tl::unexpected<core::Diagnostics> failed() {
    std::erase_if(found_, [](const core::Diagnostic& each) {
      return each.severity != core::Severity::kError &&
             (each.code == Code::kSdkHandEdited || each.code == Code::kSdkFollow);
    });
    return tl::make_unexpected(std::move(found_));
  }

  // What is wrong for every operating system is said once.
  void keep(const core::Diagnostics& found) {
    for (const core::Diagnostic& each : found) {
      if (each.place.line != 0 || !core::is_told(found_, each)) {
        found_.push_back(each);
      }
    }
  }

  [[nodiscard]] std::string full(const std::string& path) const {
    return fmt::format("{}/{}", folder_, path);
  }

  // Of a file that is read on demand, too.
  const std::string& original(const std::string& path) {
    if (const emit::MapFile* file = tree_.sources.find(path)) {
      return file->content;
    }
    const auto known = others_.find(path);
    if (known != others_.end()) {
      return known->second;
    }
    auto content = files_.read(full(path), core::kMapFile);
    if (!content) {
      keep(content.error());
    }
    return others_[path] = content ? std::move(*content) : std::string{};
  }

  [[nodiscard]] bool is_there(const std::string& path) const {
    return tree_.sources.find(path) != nullptr || files_.is_regular_file(full(path));
  }

  // A size that one of the scripts derives from the part's total (64*MB - (c7x_1_ddr_addr -
  // c7x_1_ddr_ipc_addr)) is another one where an operating system has other sections in it. The
  // total is what all of them share: each changes by as much.
  [[nodiscard]] std::uint64_t value_for(const Script* script,
                                        const std::string& knob,
                                        std::uint64_t asked) const {
    const OpenVariant& first = *tree_.find(tree_.os);
    const Script& own = *first.variant->script;
    const Integer* now = number_of(own, knob);
    const Integer* other = script == nullptr ? nullptr : number_of(*script, knob);
    const board::Knob* known = first.board.find_knob(knob);
    if (now == nullptr || other == nullptr || known == nullptr || known->is_address ||
        (!is_derived(own, knob) && !is_derived(*script, knob))) {
      return asked;
    }
    const Integer value = *other - *now + Integer{asked};
    return value > 0 ? static_cast<std::uint64_t>(value) : asked;
  }

  // The map that the values give for each operating system, by the rules that the tree kept.
  void resolve_maps() {
    const OpenVariant& asked = *tree_.find(tree_.os);
    resolve_map(asked, changes_);
    for (const OpenVariant& variant : tree_.variants) {
      if (&variant == &asked) {
        continue;
      }
      board::KnobValues values;
      std::vector<std::string> shifted;
      for (const auto& [knob, value] : changes_) {
        if (variant.board.find_knob(knob) != nullptr) {
          const std::uint64_t own = value_for(variant.variant->script.get(), knob, value);
          values[knob] = own;
          if (own != value) {
            shifted.push_back(fmt::format("{} = {}", knob, core::format_size(core::Bytes{own})));
          }
        }
      }
      if (shifted.empty()) {
        resolve_map(variant, values);
      } else if (!core::has_errors(found_)) {
        resolve_map(variant, values);
        hint_at(shifted);
      }
    }
  }

  // A way out in another system's sizes is none.
  void hint_at(const std::vector<std::string>& shifted) {
    for (core::Diagnostic& each : found_) {
      if (each.severity == core::Severity::kError) {
        each.hint = fmt::format(
            "that is {}, which changes by as much as in the script of {}: give a size that fits "
            "both",
            core::join(shifted, ", "),
            tree_.os);
      }
    }
  }

  void resolve_map(const OpenVariant& variant, const board::KnobValues& values) {
    // The map that is there breaks no rule that it did not break before.
    if (changes_.empty() && !tree_.is_populated) {
      maps_.emplace(variant.variant->os, variant.map);
      return;
    }
    auto map = layout::resolve(variant.board, values);
    core::Diagnostics problems = map ? layout::check_map(*map) : map.error();
    if (map) {
      core::Diagnostics known = layout::check_map(variant.map);
      std::erase_if(known, [&](const core::Diagnostic& each) {
        return tree_.is_populated && each.code == Code::kLayoutBank;
      });
      problems = news(known, std::move(problems));
      maps_.emplace(variant.variant->os, std::move(*map));
    }
    show_script(tree_.sources, *variant.variant, problems);
    keep(problems);
  }

  void tell_stale(const std::string& path) {
    core::Diagnostic stale =
        core::warning(Code::kSdkStale,
                      "this script had other values than the files that it writes: it has those of "
                      "the files now",
                      {full(path)});
    for (const Variant& variant : tree_.sources.variants) {
      const Script* old = variant.script_path == path ? stale_script(variant) : nullptr;
      for (std::size_t i = 0; old != nullptr && i < old->variables.size(); ++i) {
        const ScriptVariable& before = old->variables[i];
        const ScriptVariable* now = find_variable(*variant.script, before.name);
        if (now != nullptr &&
            before.assignments.back().expression.text != now->assignments.back().expression.text) {
          stale.details.push_back(fmt::format("{} = {}, was {}",
                                              before.name,
                                              now->assignments.back().expression.text,
                                              before.assignments.back().expression.text));
        }
      }
    }
    keep({std::move(stale)});
  }

  // Nothing is changed beside a file that says something which is not understood.
  void check_readable() {
    for (const OpenVariant& variant : tree_.variants) {
      for (const core::Diagnostic& problem : variant.reading->problems) {
        if (problem.severity == core::Severity::kError) {
          core::Diagnostics one{problem};
          core::add_text(one, problem.place.path.str(), original(below(problem.place.path.str())));
          keep(one);
        }
      }
    }
  }

  void edit_scripts() {
    for (const auto& [path, file] : tree_.sources.files) {
      if (!os_of_script(path).empty()) {
        edit_script(path, file.content);
      }
    }
  }

  void edit_script(const std::string& path, const std::string& text) {
    const Script* script = nullptr;
    for (const Variant& variant : tree_.sources.variants) {
      script = variant.script_path == path ? variant.script.get() : script;
    }
    ScriptConstants constants;
    for (const auto& [knob, asked] : changes_) {
      const std::uint64_t value = value_for(script, knob, asked);
      // What only another operating system's script has.
      const auto alone = set_constants(full(path), text, script, {{knob, value}});
      if (alone || alone.error().front().code != Code::kSdkName) {
        constants[knob] = value;
      }
    }
    const ScriptConstants pinned = pinned_addresses(path, script);
    constants.insert(pinned.begin(), pinned.end());
    auto edited = set_constants(full(path), text, script, constants);
    if (!edited) {
      return keep(edited.error());
    }
    tell_pinned(path, *edited, pinned);
    put(path, std::move(*edited));
  }

  // Addresses that the script computes from sizes, and the board does not: they stay where they
  // are.
  [[nodiscard]] ScriptConstants pinned_addresses(const std::string& path,
                                                 const Script* script) const {
    ScriptConstants pinned;
    for (const OpenVariant& variant : tree_.variants) {
      if (variant.variant->script_path != path || script == nullptr) {
        continue;
      }
      for (const board::Knob& knob : variant.board.knobs) {
        const ScriptVariable* variable = find_variable(*script, knob.name);
        if (knob.is_address && variable != nullptr &&
            !variable->assignments.back().expression.uses.empty()) {
          pinned[knob.name] = maps_.at(variant.variant->os).values.at(knob.name);
        }
      }
    }
    return pinned;
  }

  void tell_pinned(const std::string& path,
                   const std::string& edited,
                   const ScriptConstants& pinned) {
    const auto script =
        pinned.empty() ? core::Result<Script>{} : evaluate_script(full(path), edited);
    for (const auto& [name, value] : pinned) {
      const ScriptVariable* variable = script ? find_variable(*script, name) : nullptr;
      if (variable != nullptr && variable->assignments.back().expression.uses.empty() &&
          !changes_.contains(name)) {
        keep({core::warning(
            Code::kSdkFollow,
            fmt::format("'{}' stays {}: the script let it follow the sizes before it",
                        name,
                        core::format_hex(static_cast<std::uint64_t>(value))),
            {full(path)},
            fmt::format("to move it: --set {}=ADDRESS", name))});
      }
    }
  }

  void edit_generated() {
    std::map<std::string, EditTarget> targets;
    for (const Variant& variant : tree_.sources.variants) {
      const Script* after = variant.script.get();
      if (const auto text = edited_.find(variant.script_path); text != edited_.end()) {
        auto script = evaluate_script(variant.script->path, text->second);
        if (!script) {
          keep(script.error());
          continue;
        }
        after = &(scripts_[variant.os] = std::move(*script));
      }
      add_targets(*variant.script, *after, targets);
      // A file that the script made before it was brought to another one's values.
      if (const Script* stale = stale_script(variant)) {
        add_targets(*stale, *after, targets);
      }
    }
    for (const auto& [path, target] : targets) {
      if (is_there(path)) {
        edit_file(path, target);
      }
    }
  }

  static void add_targets(const Script& before,
                          const Script& after,
                          std::map<std::string, EditTarget>& targets) {
    for (std::size_t i = 0; i < std::min(before.exports.size(), after.exports.size()); ++i) {
      if (is_regenerated(before.exports[i])) {
        targets[path_of(before.exports[i])].emplace_back(&before.exports[i], &after.exports[i]);
      }
    }
  }

  const Script* stale_script(const Variant& variant) {
    const auto text = tree_.stale_scripts.find(variant.script_path);
    if (text == tree_.stale_scripts.end()) {
      return nullptr;
    }
    auto script = evaluate_script(variant.script->path, text->second);
    return script ? &(stale_[variant.os] = std::move(*script)) : nullptr;
  }

  void edit_file(const std::string& path, const EditTarget& target) {
    const bool changes = std::ranges::any_of(
        target, [](const auto& each) { return !same_ranges(*each.first, *each.second); });
    if (!changes && !forced_) {
      return;
    }
    const emit::MapFile file{full(path), original(path)};
    std::optional<Regenerated> chosen;
    for (const auto& [before, after] : target) {
      auto made = regenerate(*before, *after, file, wish_.hand_edits.value_or(HandEdits::kKeep));
      if (!made) {
        return keep(made.error());
      }
      // What several scripts write follows the one that made it last.
      if (!chosen || (!chosen->hand_edits.empty() && made->hand_edits.empty())) {
        chosen = std::move(*made);
      }
    }
    if (!chosen->hand_edits.empty()) {
      tell_hand_edits(file, *chosen);
    }
    put(path, std::move(chosen->content));
  }

  void tell_hand_edits(const emit::MapFile& file, const Regenerated& made) {
    constexpr std::size_t kMost = 8;
    const auto& edits = made.hand_edits;
    core::Diagnostic told = core::error(
        Code::kSdkHandEdited,
        fmt::format("this file was edited by hand: {}", edits.front().what),
        edits.front().here.path.empty() ? core::Place{file.path} : edits.front().here,
        "--keep keeps these edits and changes the rest, --force writes what the script makes");
    if (wish_.hand_edits) {
      told.severity = core::Severity::kWarning;
      told.hint = forced_ ? "it is now what the script makes" : "that stays; the rest was changed";
    }
    for (std::size_t i = 0; forced_ && i < edits.size(); ++i) {
      repairs_.push_back(fmt::format("{}: {}", below(file.path), edits[i].what));
    }
    for (std::size_t i = 1; i < std::min(edits.size(), kMost + 1); ++i) {
      told.details.push_back(edits[i].what);
    }
    if (edits.size() > kMost + 1) {
      told.details.push_back(fmt::format("... {} more", edits.size() - kMost - 1));
    }
    core::Diagnostics one{std::move(told)};
    core::add_text(one, file.path, file.content);
    keep(one);
  }

  void edit_programs() {
    for (const OpenVariant& variant : tree_.variants) {
      const auto header = edited_.find(variant.variant->header);
      emit::Constants after;
      core::Diagnostics unused;
      const emit::MapFile written{variant.variant->header,
                                  header == edited_.end() ? std::string{} : header->second};
      for (const auto& [name, macro] : header == edited_.end()
                                           ? variant.reading->macros
                                           : emit::parse_header(written, folder_, unused)) {
        after[name] = macro.value;
      }
      ProgramEdits edits =
          follow_programs(tree_.sources, variant, maps_.at(variant.variant->os), after, forced_);
      keep(edits.problems);
      repairs_.insert(repairs_.end(), edits.repairs.begin(), edits.repairs.end());
      for (auto& [path, content] : edits.files) {
        put(path, std::move(content));
      }
    }
  }

  void put(const std::string& path, std::string content) {
    if (content != original(path)) {
      edited_[path] = std::move(content);
    }
  }

  // Reads the result like any tree.
  void check_result() {
    core::Overlay result{files_};
    for (const auto& [path, content] : edited_) {
      result.lay(full(path), content);
    }
    const auto sources = read_sources(result, tree_.sources.platform, tree_.sources.programs);
    if (!sources) {
      return keep(sources.error());
    }
    core::Diagnostics before = tree_.sources.problems;
    core::Diagnostics after = sources->problems;
    const auto add = [](core::Diagnostics& all, const core::Diagnostics& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    for (const OpenVariant& variant : tree_.variants) {
      const MemoryMap& map = maps_.at(variant.variant->os);
      const auto edited = find_variant(*sources, variant.variant->os);
      if (!edited) {
        return keep(edited.error());
      }
      add(after, compare_import(**edited, map));
      add(before, check_variant(tree_.sources, *variant.variant, &variant.map).diagnostics);
      add(after, check_variant(*sources, **edited, &map).diagnostics);
    }
    core::Diagnostics found = news(before, std::move(after));
    for (core::Diagnostic& each : found) {
      // What sysconfig made follows with the next build.
      if (each.code == Code::kSdkGenerated && is_made_by_sysconfig(below(each.place.path.str()))) {
        each.severity = core::Severity::kWarning;
        continue;
      }
      each.details.push_back("this is what the tree would have after the change");
      if (const auto file = edited_.find(below(each.place.path.str())); file != edited_.end()) {
        core::Diagnostics one{each};
        core::add_text(one, full(file->first), file->second);
        each = std::move(one.front());
      }
    }
    keep(found);
  }

  [[nodiscard]] bool is_made_by_sysconfig(const std::string& path) const {
    const auto& variants = tree_.sources.variants;
    return std::ranges::any_of(variants, [&](const Variant& variant) {
      return core::contains(variant.cores, path, &CoreSources::generated);
    });
  }

  [[nodiscard]] std::string below(const std::string& path) const {
    return path.starts_with(folder_ + "/") ? path.substr(folder_.size() + 1) : path;
  }

  core::FileSystem& files_;
  const OpenTree& tree_;
  const EditWish& wish_;
  const std::string& folder_;
  bool forced_;
  /// Knobs that get another value than the tree has.
  board::KnobValues changes_;
  /// By operating system.
  std::map<std::string, MemoryMap> maps_;
  std::map<std::string, Script> scripts_;
  std::map<std::string, Script> stale_;
  /// Files that are not among the sources, by path.
  std::map<std::string, std::string> others_;
  std::map<std::string, std::string> edited_;
  core::Diagnostics found_;
  std::vector<std::string> repairs_;
};

}  // namespace

core::Result<EditPlan> plan_edit(const OpenTree& tree, const EditWish& wish) {
  return Planner{tree, wish}.run();
}

}  // namespace memsize::sdk
