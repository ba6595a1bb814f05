// The C files of a module: header, bindings, constants and section macros. Bytes are printed in
// rows of sixteen, as compilers take them without a tool of their own.
#include "memsize/core/text.hpp"

#include "modules/module_emitters.hpp"
#include "modules/module_sections.hpp"
#include "plans/c_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using board::SectionHolds;
using model::Lifetime;

constexpr std::size_t kBytesInRow = 16;

bool is_cold(const ModuleArena& arena) {
  return arena.role == Lifetime::kConstant && arena.source_memory.empty();
}

SectionHolds holds_in(const Module& module, const ModuleArena& arena) {
  const board::PartMemory* memory = find_memory(module.part, arena.memory);
  return memory == nullptr ? SectionHolds::kZeroed : holds_of(arena, *memory);
}

std::string number(core::Bytes size) {
  return fmt::format("{}", size.count());
}

// "WAKE_PUT_IN_DTCM", "WAKE_PUT_IN_MRAM_INIT".
std::string macro_for(const std::string& prefix, const std::string& memory, bool has_contents) {
  return fmt::format(
      "{}_PUT_IN_{}{}", upper_case(prefix), upper_case(memory), has_contents ? "_INIT" : "");
}

std::string note_of_arena(const ModuleArena& arena) {
  std::string note = fmt::format("{}, {}", arena.memory, model::name_of(arena.role));
  if (!arena.source_memory.empty()) {
    note += " copied from " + arena.source_memory;
  }
  return fmt::format(
      "{}, {}, {}", note, core::plural(arena.tensors, "tensor"), core::format_bytes(arena.size));
}

// A string literal that ends no comment; a letter behind an octal number of three digits is no part
// of it.
std::string quoted_id(const std::string& id) {
  std::string text = "\"";
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte >= 0x7f || c == '*') {
      text += fmt::format("\\{:03o}", byte);
    } else {
      text += c;
    }
  }
  return text + '"';
}

Json arena_rows(const Module& module) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < module.arenas.size(); ++i) {
    const ModuleArena& arena = module.arenas[i];
    const SectionHolds holds = holds_in(module, arena);
    const bool is_constant = arena.is_own && holds == SectionHolds::kConstant;
    const std::string buffer = arena.name + "_buffer";
    rows.push_back({{"name", arena.name},
                    {"PREFIX", upper_case(module.prefix)},
                    {"region", fmt::format("{}", i)},
                    {"comma", i + 1 == module.arenas.size() ? "" : ","},
                    {"note", note_of_arena(arena)},
                    {"size", number(arena.size)},
                    {"alignment", fmt::format("{}", arena.alignment.value())},
                    {"is_own", arena.is_own},
                    {"const", is_constant ? "const " : ""},
                    {"is_buffer", arena.is_own && holds == SectionHolds::kZeroed},
                    {"macro", macro_for(module.prefix, arena.memory, false)},
                    {"initial",
                     !arena.is_own ? std::string{"NULL"}
                     : is_constant ? fmt::format("(uint8_t*)(uintptr_t){}", buffer)
                                   : buffer}});
  }
  return rows;
}

Json tensor_rows(const Module& module) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    const ModuleTensor& tensor = module.tensors[i];
    rows.push_back({{"name", tensor.name},
                    {"number", fmt::format("{}", i)},
                    {"note", tensor.note},
                    {"id", quoted_id(tensor.id)},
                    {"arena", module.arenas[tensor.arena].name},
                    {"offset", number(tensor.offset)},
                    {"size", number(tensor.size)}});
  }
  return rows;
}

Json views_of(const Module& module, bool ModuleTensor::*is_it) {
  Json rows = Json::array();
  for (const ModuleTensor& tensor : module.tensors) {
    if (tensor.*is_it) {
      rows.push_back({{"prefix", module.prefix},
                      {"at", fmt::format("{}", rows.items().size())},
                      {"tensor", tensor.name},
                      {"size", number(tensor.size)}});
    }
  }
  return rows;
}

std::string count_of(const Json& rows) {
  return fmt::format("{}", rows.items().size());
}

// An array has at least one item.
std::string room_for(const Json& rows) {
  return fmt::format("{}", std::max<std::size_t>(rows.items().size(), 1));
}

Json blob_rows(const Module& module) {
  Json rows = Json::array();
  for (const ModuleArena& arena : module.arenas) {
    if (!arena.source_memory.empty()) {
      rows.push_back({{"arena", arena.name},
                      {"source", arena.has_source ? arena.name + "__source" : "NULL"},
                      {"size", arena.name + "_size"}});
    }
  }
  return rows;
}

Json model_view(const Module& module) {
  Json view = module_head(module);
  view["envelope_hash"] = module.envelope_hash;
  view["layout_hash"] = module.layout_hash;
  view["count"] = fmt::format("{}", module.arenas.size());
  view["arenas"] = arena_rows(module);
  view["tensors"] = tensor_rows(module);
  view["operators"] = Json::array();
  for (const ModuleOperator& each : module.operators) {
    view["operators"].push_back(
        {{"name", each.name}, {"number", fmt::format("{}", each.number)}, {"note", each.note}});
  }
  view["has_operators"] = !module.operators.empty();
  view["num_operators"] = fmt::format("{}", module.operators.size());
  view["num_tensors"] = fmt::format("{}", module.tensors.size());
  view["inputs"] = views_of(module, &ModuleTensor::is_input);
  view["outputs"] = views_of(module, &ModuleTensor::is_output);
  view["num_inputs"] = count_of(view["inputs"]);
  view["num_outputs"] = count_of(view["outputs"]);
  view["room_for_inputs"] = room_for(view["inputs"]);
  view["room_for_outputs"] = room_for(view["outputs"]);
  view["num_blobs"] = count_of(blob_rows(module));
  view["has_blobs"] = !blob_rows(module).empty();
  view["bound"] = module.is_external ? "The application binds every region."
                                     : "The module has a buffer for every region, and binds them.";
  view["persistents"] = Json::array();
  for (const ModuleArena& arena : module.arenas) {
    if (arena.role == Lifetime::kPersistent) {
      view["persistents"].push_back({{"name", arena.name}});
    }
  }
  return view;
}

Json byte_rows(const std::string& bytes) {
  Json rows = Json::array();
  for (std::size_t at = 0; at < bytes.size(); at += kBytesInRow) {
    std::string row;
    for (const char c : std::string_view{bytes}.substr(at, kBytesInRow)) {
      row += fmt::format("{}0x{:02x},", row.empty() ? "" : " ", static_cast<unsigned char>(c));
    }
    rows.push_back({{"row", std::move(row)}});
  }
  return rows;
}

Json constants_view(const Module& module) {
  Json view = module_head(module);
  view["zeros"] = module.has_data ? ""
                                  : "\n *\n * Nobody gave the constants' bytes: here they are "
                                    "zeros (memsize emit --data)";
  view["arrays"] = Json::array();
  for (const ModuleArena& arena : module.arenas) {
    const bool is_own = is_cold(arena) && arena.is_own;
    if (!is_own && !arena.has_source) {
      continue;
    }
    const SectionHolds holds = is_own ? holds_in(module, arena) : SectionHolds::kConstant;
    const std::string memory = is_own ? arena.memory : arena.source_memory;
    view["arrays"].push_back(
        {{"name", arena.name + (is_own ? "_buffer" : "__source")},
         {"arena", arena.name},
         {"const", holds == SectionHolds::kConstant ? "const " : ""},
         {"macro", macro_for(module.prefix, memory, true)},
         {"PREFIX", upper_case(module.prefix)},
         {"alignment",
          is_own ? arena.name + "_alignment" : fmt::format("{}", arena.source_alignment.value())},
         {"is_source", !is_own},
         {"has_rows", module.has_data},
         {"rows", module.has_data ? byte_rows(arena.bytes) : Json::array()}});
  }
  view["blobs"] = blob_rows(module);
  view["has_blobs"] = !view["blobs"].empty();
  return view;
}

// What a macro stands for, with a blank before it; a name that is not there stops the compiler
// where nothing can be right.
std::string attribute_of(const Module& module,
                         const board::PartMemory& memory,
                         bool has_contents,
                         std::string_view toolchain) {
  const SectionHolds holds = !has_contents     ? SectionHolds::kZeroed
                             : memory.writable ? SectionHolds::kInitialised
                                               : SectionHolds::kConstant;
  const board::PartSection* section = section_for(memory, holds, toolchain);
  if (section == nullptr) {
    return fmt::format(
        " {}_HAS_NO_SECTION_FOR_{}", upper_case(module.prefix), upper_case(memory.name));
  }
  const std::string qualifier = holds == SectionHolds::kConstant ? " const" : "";
  return section->attribute.empty()
             ? qualifier
             : fmt::format("{} __attribute__((section(\"{}\")))", qualifier, section->attribute);
}

Json platform_view(const Module& module) {
  Json view = module_head(module);
  view["macros"] = Json::array();
  view["own"] = Json::array();
  for (const board::PartMemory& memory : module.part.memories) {
    for (const bool has_contents : {false, true}) {
      if (!has_contents && !memory.writable) {
        continue;
      }
      const std::string name = macro_for(module.prefix, memory.name, has_contents);
      const std::string note = fmt::format(
          "{}: {}", memory.name, has_contents ? "what the image has bytes of" : "zeroed, or not");
      if (!has_contents) {
        view["own"].push_back({{"name", name},
                               {"arena", upper_case(module.prefix) + "_ARENA"},
                               {"memory", memory.name}});
      }
      view["macros"].push_back(
          {{"name", name},
           {"note", note},
           {"gcc", attribute_of(module, memory, has_contents, kGcc)},
           {"armclang", attribute_of(module, memory, has_contents, kArmclang)}});
    }
  }
  return view;
}

}  // namespace

Json module_head(const Module& module) {
  return {{"prefix", module.prefix},
          {"PREFIX", upper_case(module.prefix)},
          {"part", module.part.name},
          {"origin", module.origin},
          {"planner", module.planner}};
}

core::Result<void> add_file(std::vector<Artifact>& artifacts,
                            const ModuleInput& input,
                            const std::string& path,
                            const std::string& name,
                            const Json& view) {
  auto content = render_template(input.files, input.template_folders, name, view, escape_comment);
  MEMSIZE_TRY(content);
  artifacts.push_back({path, {}, std::move(*content)});
  return {};
}

core::Result<std::vector<Artifact>> render_module_sources(const ModuleInput& input) {
  const Module& module = input.module;
  std::vector<Artifact> artifacts;
  const Json model = model_view(module);
  MEMSIZE_TRY(add_file(
      artifacts, input, fmt::format("inc/{}_model.h", module.prefix), "module-header", model));
  MEMSIZE_TRY(add_file(artifacts,
                       input,
                       fmt::format("inc/{}_platform.h", module.prefix),
                       "module-platform",
                       platform_view(module)));
  MEMSIZE_TRY(add_file(
      artifacts, input, fmt::format("src/{}_model.c", module.prefix), "module-source", model));
  MEMSIZE_TRY(add_file(artifacts,
                       input,
                       fmt::format("src/{}_constants.c", module.prefix),
                       "module-constants",
                       constants_view(module)));
  return artifacts;
}

core::Result<std::vector<Artifact>> render_module_blobs(const ModuleInput& input) {
  std::vector<Artifact> artifacts;
  for (const ModuleArena& arena : input.module.arenas) {
    if (arena.role == Lifetime::kConstant) {
      artifacts.push_back({arena.name + "__blob.bin", {}, arena.bytes});
    }
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_module_residency(const ModuleInput& input) {
  return std::vector<Artifact>{
      {fmt::format("{}_residency.json", input.module.prefix), {}, input.module.residency}};
}

core::Result<std::vector<Artifact>> render_module_cmake(const ModuleInput& input) {
  std::vector<Artifact> artifacts;
  MEMSIZE_TRY(
      add_file(artifacts, input, "module.cmake", "module-cmake", module_head(input.module)));
  return artifacts;
}

}  // namespace memsize::emit
