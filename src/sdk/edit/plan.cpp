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
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using layout::MemoryMap;

using ScriptConstants = std::map<std::string, Integer>;
using MapsByOs = std::map<std::string, MemoryMap>;

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

// The files of a tree as they are and as they are to be, and what there is to tell about them.
class TreeEdits {
 public:
  explicit TreeEdits(const OpenTree& tree) : tree_(tree), folder_(tree.sources.platform.folder) {}

  [[nodiscard]] const OpenTree& tree() const { return tree_; }

  /// By path below the platform's folder.
  [[nodiscard]] const std::map<std::string, std::string>& edited() const { return edited_; }

  [[nodiscard]] const core::Diagnostics& found() const { return found_; }

  [[nodiscard]] bool has_failed() const { return core::has_errors(found_); }

  // What would have been done to files is no news where none is written.
  [[nodiscard]] tl::unexpected<core::Diagnostics> failure() {
    std::erase_if(found_, [](const core::Diagnostic& each) {
      return each.severity != core::Severity::kError &&
             (each.code == Code::kSdkHandEdited || each.code == Code::kSdkFollow);
    });
    return tl::make_unexpected(std::move(found_));
  }

  // What is wrong for every operating system is said once.
  void tell(const core::Diagnostics& found) {
    for (const core::Diagnostic& each : found) {
      if (each.place.line != 0 || !core::is_told(found_, each)) {
        found_.push_back(each);
      }
    }
  }

  [[nodiscard]] std::string full(const std::string& path) const {
    return fmt::format("{}/{}", folder_, path);
  }

  [[nodiscard]] std::string below(const std::string& path) const {
    return path.starts_with(folder_ + "/") ? path.substr(folder_.size() + 1) : path;
  }

  [[nodiscard]] bool is_there(const std::string& path) const {
    return tree_.sources.find(path) != nullptr || tree_.files->is_regular_file(full(path));
  }

  // Of a file that is read on demand, too.
  const std::string& original(const std::string& path) {
    if (const emit::MapFile* file = tree_.sources.find(path)) {
      return file->content;
    }
    if (const std::string* known = core::value_in(others_, path)) {
      return *known;
    }
    auto content = tree_.files->read(full(path), core::kMapFile);
    if (!content) {
      tell(content.error());
    }
    return others_[path] = content ? std::move(*content) : std::string{};
  }

  void put(const std::string& path, std::string content) {
    if (content != original(path)) {
      edited_[path] = std::move(content);
    }
  }

  // To be written even where nothing changes it: the disk has something else.
  void put_original(const std::string& path) { edited_.try_emplace(path, original(path)); }

 private:
  const OpenTree& tree_;
  const std::string& folder_;
  /// Files that are not among the sources, by path.
  std::map<std::string, std::string> others_;
  std::map<std::string, std::string> edited_;
  core::Diagnostics found_;
};

// Knobs that get another value than the tree has.
board::KnobValues changed_values(const MemoryMap& now, const board::KnobValues& wanted) {
  board::KnobValues changes;
  for (const auto& [knob, value] : wanted) {
    const auto* known = core::value_in(now.values, knob);
    if (known == nullptr || *known != value) {
      changes[knob] = value;
    }
  }
  return changes;
}

// A size that one of the scripts derives from the part's total (64*MB - (c7x_1_ddr_addr -
// c7x_1_ddr_ipc_addr)) is another one where an operating system has other sections in it. The
// total is what all of them share: each changes by as much.
std::uint64_t value_for(const OpenVariant& first,
                        const Script* script,
                        const std::string& knob,
                        std::uint64_t asked) {
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

// Beside the map, if there is one, what it breaks that the tree's does not.
std::pair<std::optional<MemoryMap>, core::Diagnostics> resolve_map(
    const OpenTree& tree, const OpenVariant& variant, const board::KnobValues& values) {
  auto map = layout::resolve(variant.board, values);
  core::Diagnostics problems = map ? layout::check_map(*map) : map.error();
  if (map) {
    core::Diagnostics known = layout::check_map(variant.map);
    std::erase_if(known, [&](const core::Diagnostic& each) {
      return tree.is_populated && each.code == Code::kLayoutBank;
    });
    problems = news(known, std::move(problems));
  }
  show_script(tree.sources, *variant.variant, problems);
  return {map ? std::optional{std::move(*map)} : std::nullopt, std::move(problems)};
}

// A way out in another system's sizes is none.
void hint_at(const std::vector<std::string>& shifted,
             const std::string& os,
             core::Diagnostics& problems) {
  for (core::Diagnostic& each : problems) {
    if (!shifted.empty() && each.severity == core::Severity::kError) {
      each.hint = fmt::format(
          "that is {}, which changes by as much as in the script of {}: give a size that fits both",
          core::join(shifted, ", "),
          os);
    }
  }
}

// The map that the values give for each operating system, by the rules that the tree kept.
MapsByOs resolve_maps(const board::KnobValues& changes, TreeEdits& edits) {
  const OpenTree& tree = edits.tree();
  const OpenVariant& asked = *tree.find(tree.os);
  MapsByOs maps;
  // The map that is there breaks no rule that it did not break before.
  if (changes.empty() && !tree.is_populated) {
    for (const OpenVariant& variant : tree.variants) {
      maps.emplace(variant.variant->os, variant.map);
    }
    return maps;
  }
  const auto take = [&](const OpenVariant& variant,
                        const board::KnobValues& values,
                        const std::vector<std::string>& shifted) {
    auto [map, problems] = resolve_map(tree, variant, values);
    hint_at(shifted, tree.os, problems);
    edits.tell(problems);
    if (map) {
      maps.emplace(variant.variant->os, std::move(*map));
    }
  };
  take(asked, changes, {});
  for (const OpenVariant& variant : tree.variants) {
    if (&variant == &asked) {
      continue;
    }
    board::KnobValues values;
    std::vector<std::string> shifted;
    for (const auto& [knob, value] : changes) {
      if (variant.board.find_knob(knob) != nullptr) {
        const std::uint64_t own = value_for(asked, variant.variant->script.get(), knob, value);
        values[knob] = own;
        if (own != value) {
          shifted.push_back(fmt::format("{} = {}", knob, core::format_size(core::Bytes{own})));
        }
      }
    }
    if (shifted.empty() || !edits.has_failed()) {
      take(variant, values, shifted);
    }
  }
  return maps;
}

// Of a script that was brought to the values of another one, as it is on the disk.
std::optional<Script> stale_script(const OpenTree& tree, const Variant& variant) {
  const std::string* text = core::value_in(tree.stale_scripts, variant.script_path);
  if (text == nullptr) {
    return std::nullopt;
  }
  auto script = evaluate_script(variant.script->path, *text);
  return script ? std::optional{std::move(*script)} : std::nullopt;
}

core::Diagnostic stale_news(const OpenTree& tree, const std::string& path, core::Place place) {
  core::Diagnostic news =
      core::warning(Code::kSdkStale,
                    "this script had other values than the files that it writes: it has those of "
                    "the files now",
                    std::move(place));
  for (const Variant& variant : tree.sources.variants) {
    const auto old = variant.script_path == path ? stale_script(tree, variant) : std::nullopt;
    for (std::size_t i = 0; old && i < old->variables.size(); ++i) {
      const ScriptVariable& before = old->variables[i];
      const ScriptVariable* now = find_variable(*variant.script, before.name);
      if (now != nullptr &&
          before.assignments.back().expression.text != now->assignments.back().expression.text) {
        news.details.push_back(fmt::format("{} = {}, was {}",
                                           before.name,
                                           now->assignments.back().expression.text,
                                           before.assignments.back().expression.text));
      }
    }
  }
  return news;
}

// Nothing is changed beside a file that says something which is not understood.
void check_readable(TreeEdits& edits) {
  for (const OpenVariant& variant : edits.tree().variants) {
    for (const core::Diagnostic& problem : variant.reading->problems) {
      // A source of all operating systems was read for each.
      if (problem.severity == core::Severity::kError && !core::is_told(edits.found(), problem)) {
        const std::string& path = problem.place.path.str();
        core::Diagnostics one{problem};
        core::add_text(one, path, edits.original(edits.below(path)));
        edits.tell(one);
      }
    }
  }
}

// Addresses that the script computes from sizes, and the board does not: they stay where they
// are.
ScriptConstants pinned_addresses(const OpenTree& tree,
                                 const MapsByOs& maps,
                                 const std::string& path,
                                 const Script* script) {
  ScriptConstants pinned;
  for (const OpenVariant& variant : tree.variants) {
    if (variant.variant->script_path != path || script == nullptr) {
      continue;
    }
    for (const board::Knob& knob : variant.board.knobs) {
      const ScriptVariable* variable = find_variable(*script, knob.name);
      if (knob.is_address && variable != nullptr &&
          !variable->assignments.back().expression.uses.empty()) {
        pinned[knob.name] = maps.at(variant.variant->os).values.at(knob.name);
      }
    }
  }
  return pinned;
}

// What is said of addresses that do not follow the sizes any more, in a script at `path`.
core::Diagnostics pinned_news(const std::string& path,
                              const std::string& edited,
                              const ScriptConstants& pinned,
                              const board::KnobValues& changes) {
  core::Diagnostics found;
  const auto script = pinned.empty() ? core::Result<Script>{} : evaluate_script(path, edited);
  for (const auto& [name, value] : pinned) {
    const ScriptVariable* variable = script ? find_variable(*script, name) : nullptr;
    if (variable != nullptr && variable->assignments.back().expression.uses.empty() &&
        !changes.contains(name)) {
      found.push_back(
          core::warning(Code::kSdkFollow,
                        fmt::format("'{}' stays {}: the script let it follow the sizes before it",
                                    name,
                                    core::format_hex(static_cast<std::uint64_t>(value))),
                        {path},
                        fmt::format("to move it: --set {}=ADDRESS", name)));
    }
  }
  return found;
}

void edit_script(const board::KnobValues& changes,
                 const MapsByOs& maps,
                 const emit::MapFile& file,
                 TreeEdits& edits) {
  const OpenTree& tree = edits.tree();
  const std::string full = edits.full(file.path);
  const Script* script = nullptr;
  for (const Variant& variant : tree.sources.variants) {
    script = variant.script_path == file.path ? variant.script.get() : script;
  }
  ScriptConstants constants;
  for (const auto& [knob, asked] : changes) {
    const std::uint64_t value = value_for(*tree.find(tree.os), script, knob, asked);
    // What only another operating system's script has.
    const auto alone = set_constants(full, file.content, script, {{knob, value}});
    if (alone || alone.error().front().code != Code::kSdkName) {
      constants[knob] = value;
    }
  }
  const ScriptConstants pinned = pinned_addresses(tree, maps, file.path, script);
  constants.insert(pinned.begin(), pinned.end());
  auto edited = set_constants(full, file.content, script, constants);
  if (!edited) {
    return edits.tell(edited.error());
  }
  edits.tell(pinned_news(full, *edited, pinned, changes));
  edits.put(file.path, std::move(*edited));
}

void add_targets(const Script& before,
                 const Script& after,
                 std::map<std::string, EditTarget>& targets) {
  for (std::size_t i = 0; i < std::min(before.exports.size(), after.exports.size()); ++i) {
    if (is_regenerated(before.exports[i])) {
      targets[path_of(before.exports[i])].emplace_back(&before.exports[i], &after.exports[i]);
    }
  }
}

core::Diagnostic hand_edits_news(const emit::MapFile& file,
                                 const std::vector<GeneratedDifference>& differences,
                                 std::optional<HandEdits> choice) {
  constexpr std::size_t kMost = 8;
  const GeneratedDifference& first = differences.front();
  core::Diagnostic told = core::error(
      Code::kSdkHandEdited,
      fmt::format("this file was edited by hand: {}", first.what),
      first.here.path.empty() ? core::Place{file.path} : first.here,
      "--keep keeps these edits and changes the rest, --force writes what the script makes");
  if (choice) {
    told.severity = core::Severity::kWarning;
    told.hint = choice == HandEdits::kForce ? "it is now what the script makes"
                                            : "that stays; the rest was changed";
  }
  for (std::size_t i = 1; i < std::min(differences.size(), kMost + 1); ++i) {
    told.details.push_back(differences[i].what);
  }
  if (differences.size() > kMost + 1) {
    told.details.push_back(fmt::format("... {} more", differences.size() - kMost - 1));
  }
  core::Diagnostics one{std::move(told)};
  core::add_text(one, file.path, file.content);
  return std::move(one.front());
}

// Like the next two, gives what was put right without being asked for.
std::vector<std::string> edit_file(const std::string& path,
                                   const EditTarget& target,
                                   std::optional<HandEdits> choice,
                                   TreeEdits& edits) {
  const bool forced = choice == HandEdits::kForce;
  const bool changes = std::ranges::any_of(
      target, [](const auto& each) { return !same_ranges(*each.first, *each.second); });
  if (!changes && !forced) {
    return {};
  }
  const emit::MapFile file{edits.full(path), edits.original(path)};
  std::optional<Regenerated> chosen;
  for (const auto& [before, after] : target) {
    auto made = regenerate(*before, *after, file, choice.value_or(HandEdits::kKeep));
    if (!made) {
      edits.tell(made.error());
      return {};
    }
    // What several scripts write follows the one that made it last.
    if (!chosen || (!chosen->hand_edits.empty() && made->hand_edits.empty())) {
      chosen = std::move(*made);
    }
  }
  if (!chosen->hand_edits.empty()) {
    edits.tell({hand_edits_news(file, chosen->hand_edits, choice)});
  }
  edits.put(path, std::move(chosen->content));
  std::vector<std::string> repairs;
  for (std::size_t i = 0; forced && i < chosen->hand_edits.size(); ++i) {
    repairs.push_back(fmt::format("{}: {}", path, chosen->hand_edits[i].what));
  }
  return repairs;
}

std::vector<std::string> edit_generated(std::optional<HandEdits> choice, TreeEdits& edits) {
  const OpenTree& tree = edits.tree();
  std::deque<Script> scripts;
  std::map<std::string, EditTarget> targets;
  for (const Variant& variant : tree.sources.variants) {
    const Script* after = variant.script.get();
    if (const std::string* text = core::value_in(edits.edited(), variant.script_path)) {
      auto script = evaluate_script(variant.script->path, *text);
      if (!script) {
        edits.tell(script.error());
        continue;
      }
      after = &scripts.emplace_back(std::move(*script));
    }
    add_targets(*variant.script, *after, targets);
    // A file that the script made before it was brought to another one's values.
    if (auto stale = stale_script(tree, variant)) {
      add_targets(scripts.emplace_back(std::move(*stale)), *after, targets);
    }
  }
  std::vector<std::string> repairs;
  for (const auto& [path, target] : targets) {
    if (edits.is_there(path)) {
      std::ranges::move(edit_file(path, target, choice, edits), std::back_inserter(repairs));
    }
  }
  return repairs;
}

std::vector<std::string> edit_programs(const MapsByOs& maps, bool forced, TreeEdits& edits) {
  const OpenTree& tree = edits.tree();
  std::vector<std::string> repairs;
  for (const OpenVariant& variant : tree.variants) {
    const std::string& header = variant.variant->header;
    const std::string* text = core::value_in(edits.edited(), header);
    core::Diagnostics unused;
    emit::Constants after;
    for (const auto& [name, macro] :
         text == nullptr
             ? variant.reading->macros
             : emit::parse_header({header, *text}, tree.sources.platform.folder, unused)) {
      after[name] = macro.value;
    }
    ProgramEdits made =
        follow_programs(tree.sources, variant, maps.at(variant.variant->os), after, forced);
    edits.tell(made.problems);
    std::ranges::move(made.repairs, std::back_inserter(repairs));
    for (auto& [path, content] : made.files) {
      edits.put(path, std::move(content));
    }
  }
  return repairs;
}

bool is_made_by_sysconfig(const Sources& sources, const std::string& path) {
  return std::ranges::any_of(sources.variants, [&](const Variant& variant) {
    return core::contains(variant.cores, path, &CoreSources::generated);
  });
}

// Reads the result like any tree.
core::Diagnostics check_result(const MapsByOs& maps, bool forced, const TreeEdits& edits) {
  const OpenTree& tree = edits.tree();
  core::FileSystem& disk = *tree.files;
  core::Overlay result{disk};
  for (const auto& [path, content] : edits.edited()) {
    result.lay(edits.full(path), content);
  }
  const auto sources = read_sources(result, tree.sources.platform, tree.sources.programs);
  if (!sources) {
    return sources.error();
  }
  core::Diagnostics before = tree.sources.problems;
  core::Diagnostics after = sources->problems;
  const auto add = [](core::Diagnostics& all, const core::Diagnostics& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const OpenVariant& variant : tree.variants) {
    const MemoryMap& map = maps.at(variant.variant->os);
    const auto edited = find_variant(*sources, variant.variant->os);
    if (!edited) {
      return edited.error();
    }
    add(before, compare_import(*variant.variant, variant.map));
    add(after, compare_import(**edited, map));
    add(before, check_variant(tree.sources, *variant.variant, &variant.map).diagnostics);
    add(after, check_variant(*sources, **edited, &map).diagnostics);
  }
  core::Diagnostics found = news(before, std::move(after));
  for (core::Diagnostic& each : found) {
    const std::string path = edits.below(each.place.path.str());
    // What sysconfig made follows with the next build.
    if (each.code == Code::kSdkGenerated && is_made_by_sysconfig(tree.sources, path)) {
      each.severity = core::Severity::kWarning;
      continue;
    }
    each.details.push_back("this is what the tree would have after the change");
    if (forced && (each.code == Code::kLayoutOverlap || each.code == Code::kLayoutVirtualOverlap)) {
      each.hint =
          "--force writes what the script makes: move one of them in the script, or take --keep, "
          "which leaves what was edited by hand";
    }
    if (const std::string* text = core::value_in(edits.edited(), path)) {
      core::Diagnostics one{each};
      core::add_text(one, edits.full(path), *text);
      each = std::move(one.front());
    }
  }
  return found;
}

}  // namespace

core::Result<EditPlan> plan_edit(const OpenTree& tree, const EditWish& wish) {
  const OpenVariant& asked = *tree.find(tree.os);
  const bool forced = wish.hand_edits == HandEdits::kForce;
  const board::KnobValues changes = changed_values(asked.map, wish.values);
  TreeEdits edits{tree};
  const MapsByOs maps = resolve_maps(changes, edits);
  if (edits.has_failed()) {
    return edits.failure();
  }
  check_readable(edits);
  EditPlan plan{.before = asked.map, .after = maps.at(tree.os)};
  if (!changes.empty() || forced) {
    for (const auto& [path, file] : tree.sources.files) {
      if (!os_of_script(path).empty()) {
        edit_script(changes, maps, file, edits);
      }
    }
    plan.repairs = edit_generated(wish.hand_edits, edits);
    if (!edits.has_failed()) {
      std::ranges::move(edit_programs(maps, forced, edits), std::back_inserter(plan.repairs));
    }
    if (edits.has_failed()) {
      return edits.failure();
    }
    for (const auto& [path, stale] : tree.stale_scripts) {
      edits.tell({stale_news(tree, path, {edits.full(path)})});
      edits.put_original(path);
    }
    for (const auto& [path, content] : edits.edited()) {
      const std::string* stale = core::value_in(tree.stale_scripts, path);
      plan.files.push_back({path, stale == nullptr ? edits.original(path) : *stale, content});
    }
    if (!plan.files.empty()) {
      edits.tell(check_result(maps, forced, edits));
    }
  }
  if (edits.has_failed()) {
    return edits.failure();
  }
  plan.diagnostics = edits.found();
  return plan;
}

}  // namespace memsize::sdk
