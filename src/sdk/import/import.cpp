// The order of an import, from a variant to a board's text. What the tree does not say comes from
// the files that a known board of the part inherits; addresses that a RAT entry needs stay pinned.
#include "memsize/sdk/import.hpp"

#include "memsize/board/trace_format.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/sdk/generation.hpp"

#include "check/generated.hpp"
#include "plan.hpp"
#include "script/script.hpp"
#include "toml.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

// "rtos/gen_linker_mem_map.py" of a path that may be anywhere.
std::string script_name(const Plan& plan) {
  const std::string& path = plan.variant->script_path;
  return fmt::format("platform/{}/rtos/{}",
                     plan.sources->platform.soc,
                     path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1));
}

// What the tree's own files tell, never what the board of the part is of.
std::string generation_text(const std::vector<std::string>& told) {
  if (told.empty()) {
    return "# Of which SDK generation the tree is, no file of it tells.\n";
  }
  return told.size() == 1 ? fmt::format("generation = {}\n", quoted(told.front()))
                          : fmt::format("generations = {} # one of these\n", list_text(told));
}

std::string head_text(const Plan& plan) {
  const board::Board* known = plan.known();
  const std::string soc = core::printable(plan.sources->platform.soc, 40);
  const std::string& os = plan.variant->os;
  std::string text = fmt::format(
      "# The memory map of {} under {}, as the generator script of an SDK tree makes it.\n"
      "#\n"
      "# Imported from {}. Use it as any board:\n"
      "#   memsize emit --board FILE --set KNOB=SIZE --out DIR\n"
      "# A chain is a row of regions that follow each other: change a knob, and all behind it "
      "moves.\n",
      soc,
      os,
      core::printable(script_name(plan)));
  if (known != nullptr) {
    text += fmt::format(
        "# What the tree does not say was taken from board '{}': `cache`, `align`, what stands\n"
        "# under a comment that names it, and the keys from `format` to `hard_granule`.\n",
        known->name);
  }
  if (known == nullptr) {
    text +=
        "# `cache` is what the cores' MMU and MPU make of a region, `align` what their linker "
        "command\n"
        "# files ask for.\n";
  }
  text += "\nschema = 1\n";
  if (plan.model != nullptr && !plan.model->parts.empty()) {
    text += fmt::format("inherit = {}\n", list_text(plan.model->parts));
  }
  text += fmt::format("title = {}\nsoc = {}\n",
                      quoted(fmt::format("{} under {}, imported from an SDK tree", soc, os)),
                      quoted(plan.sources->platform.soc));
  if (os != kDefaultOs) {
    text += fmt::format("os = {}\n", quoted(os));
  }
  if (known != nullptr) {
    const auto add = [&](const char* key, const std::string& value) {
      text += value.empty() ? std::string{} : fmt::format("{} = {}\n", key, quoted(value));
    };
    add("format", known->format);
    add("rtos_family", known->rtos_family);
    text += generation_text(plan.model->generations);
  }
  return text + steps_text(known) + fmt::format("sources = [{}]\n\n", quoted(script_name(plan)));
}

core::Diagnostic no_map(const Variant& variant) {
  return core::error(Code::kSdkImport,
                     "the script writes no linker map: there is nothing to import",
                     {variant.script->path},
                     "a board is made of what LinkerCmdFile(...).export() writes for each core");
}

// What the script computes from knobs in a way that no sum says.
void tell_unclear(Plan& plan) {
  for (const Unclear& each : plan.forms->unclear()) {
    std::vector<std::string> knobs;
    for (const auto& [name, factor] : plan.settable(each.made_of).terms) {
      if (!plan.addresses.contains(name)) {
        knobs.push_back(name);
      }
    }
    if (!knobs.empty()) {
      plan.left_out(fmt::format("this is no sum: it was {} at import, and the board does not "
                                "compute it again when {} changes",
                                core::format_hex(static_cast<std::uint64_t>(each.value)),
                                core::join(knobs, " or ")),
                    plan.place_of(each.expression.place),
                    "after such a change in the script, import the tree again");
    }
  }
}

// Where files that the script writes say something else, the board is the script's.
void tell_generated(Plan& plan) {
  core::Diagnostics found;
  check_generated(*plan.sources, *plan.variant, *plan.reading, found);
  std::vector<std::string> files;
  for (const core::Diagnostic& each : found) {
    if (each.code == Code::kSdkGenerated) {
      const std::size_t below = plan.sources->platform.folder.size() + 1;
      files.push_back(fmt::format(
          "{}: {}", core::printable(each.place.path.str().substr(below)), each.message));
    }
  }
  if (!files.empty()) {
    plan.left_out(fmt::format("{} that this script writes {} not what it makes: the board has what "
                              "the script says",
                              core::plural(files.size(), "file"),
                              files.size() == 1 ? "is" : "are"),
                  {plan.variant->script->path},
                  "run the script, or, where a file is right, put that into the script, and import "
                  "the tree again");
    plan.warnings.back().details = std::move(files);
  }
}

// Addresses to which a RAT leads, and which the script computes from the sizes before them: such an
// address must stay on a multiple of the RAT entry's size while those sizes change.
std::set<std::string> pinned_addresses(const Variant& variant, const Reading& reading) {
  std::set<std::uint64_t> systems;
  for (const CoreReading& core : reading.cores) {
    for (const RatReading& rat : core.rat) {
      for (const emit::WrittenRatEntry& entry : rat.entries) {
        if (entry.fields.local != entry.fields.system) {
          systems.insert(entry.fields.system);
        }
      }
    }
  }
  std::set<std::string> pinned;
  for (const ScriptSectionPointer& section : variant.script->sections) {
    const std::string name{core::trim(section->origin_argument.text)};
    const ScriptVariable* variable = find_variable(*variant.script, name);
    if (systems.contains(section->origin) && variable != nullptr &&
        !variable->assignments.back().expression.uses.empty()) {
      pinned.insert(name);
    }
  }
  return pinned;
}

// Tables that say nothing about where memory is.
bool is_part(docs::Value file) {
  return std::ranges::all_of(file, [](docs::Value field) {
    const std::string_view key = field.key();
    return key == "mmu" || key == "mpu" || key == "rebuild" || key == "rat";
  });
}

// Walks the files that a board inherits, in the order in which they are merged.
class PartFinder {
 public:
  PartFinder(core::FileSystem& files, std::string folder)
      : files_(files), folder_(std::move(folder)) {}

  void visit(const std::string& path, const std::string& name, ImportModel& model) {
    const auto content = files_.read(path, core::kWrittenFile);
    const auto file = content ? docs::parse_toml(*content, path)
                              : core::Result<docs::Document>{tl::make_unexpected(content.error())};
    // It was loaded a moment ago.
    if (!file || !seen_.insert(path).second) {
      return;
    }
    if (const docs::Value list = file->root()["inherit"]) {
      for (const docs::Value each : list) {
        const std::string inherited = each.string();
        const std::string beside = path.substr(0, path.rfind('/') + 1) + inherited;
        visit(files_.exists(beside) ? beside : folder_ + "/" + inherited, inherited, model);
      }
    } else if (!name.empty() && is_part(file->root()) && files_.exists(folder_ + "/" + name)) {
      model.parts.push_back(name);
      model.given = docs::merged({model.given.root(), file->root()});
    }
  }

 private:
  core::FileSystem& files_;
  std::string folder_;
  std::set<std::string> seen_;
};

}  // namespace

ImportModel make_import_model(core::FileSystem& files,
                              const std::string& folder,
                              const Platform& platform,
                              board::Board board) {
  ImportModel model;
  if (!board.format.empty()) {
    // It was read as the board was.
    if (const auto format = board::load_trace_format(files, folder, board.format); format) {
      model.generations = generation_of_tree(files, platform, *format).generations;
    }
  }
  const std::string& asked = board.asked_as;
  const bool is_path = asked.find('/') != std::string::npos || asked.ends_with(".toml");
  PartFinder{files, folder}.visit(
      is_path ? asked : fmt::format("{}/{}.toml", folder, board.name), "", model);
  model.board = std::move(board);
  return model;
}

ImportModel make_import_parts(core::FileSystem& files,
                              const std::string& folder,
                              const Reading& reading) {
  ImportModel model;
  const auto user =
      std::ranges::find_if(reading.cores, [](const CoreReading& core) { return core.has_mmu(); });
  const auto names = files.list(folder + "/parts");
  if (user == reading.cores.end() || !names) {
    return model;
  }
  const char* program = user->mmu.front().path.ends_with(".syscfg") ? "sysconfig" : "source";
  for (const std::string& name : *names) {
    const std::string path = fmt::format("{}/parts/{}", folder, name);
    const auto content = files.read(path, core::kWrittenFile);
    auto part = content ? docs::parse_toml(*content, path)
                        : core::Result<docs::Document>{tl::make_unexpected(content.error())};
    if (!part || !is_part(part->root()) || part->root()["mmu"]["program"].text() != program) {
      continue;
    }
    if (!model.parts.empty()) {
      return {};
    }
    model.parts.push_back("parts/" + name);
    model.given = std::move(*part);
  }
  return model;
}

std::string accepted_text(const core::Diagnostics& findings, bool first) {
  std::string text =
      first ? "\n" + heading_text("Accepted defects") +
                  "# What the tree's own map breaks of the checks: emit says so each time, and "
                  "refuses\n"
                  "# anything beyond. Mend the tree and import it again, and these are gone.\n"
            : "";
  for (const core::Diagnostic& each : findings) {
    if (each.severity == core::Severity::kError) {
      text += fmt::format("\n[[accepted]]\ncode = {}\nmessage = {}\nwhy = {}\n",
                          quoted(core::code_name(each.code)),
                          quoted(each.message),
                          quoted("the SDK tree has it so"));
    }
  }
  return text;
}

core::Result<Import> import_board(const Sources& sources,
                                  const Variant& variant,
                                  const Reading& reading,
                                  const ImportModel& model) {
  std::set<std::string> wanted;
  if (model.board) {
    for (const board::Knob& knob : model.board->knobs) {
      wanted.insert(knob.name);
    }
    for (const auto& [name, expression] : model.board->constants) {
      wanted.insert(name);
    }
  }
  Plan plan{.pinned = pinned_addresses(variant, reading)};
  const ScriptForms forms{*variant.script, wanted, plan.pinned};
  plan.sources = &sources;
  plan.variant = &variant;
  plan.reading = &reading;
  plan.model = &model;
  plan.forms = &forms;
  plan_regions(plan);
  if (plan.cores.empty()) {
    return core::fail(no_map(variant));
  }
  plan_symbols(plan);
  tell_unclear(plan);
  tell_generated(plan);
  plan_needs(plan);
  plan_chains(plan);
  plan_carveouts(plan);
  Import import{.text = head_text(plan) + layout_text(plan) + programs_text(plan)};
  while (import.text.ends_with("\n\n")) {
    import.text.pop_back();
  }
  import.warnings = std::move(plan.warnings);
  return import;
}

}  // namespace memsize::sdk
