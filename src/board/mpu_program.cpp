// From a file in boards/programs to the fields and words of a table of MPU regions. A table that
// says TEX, C and B in fields of their own has a kind for each combination of them.
#include "memsize/board/mpu_program.hpp"

#include "memsize/board/load.hpp"
#include "memsize/chip/limits.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "field_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;
using Numbers = std::map<std::string, std::uint64_t>;

constexpr unsigned kBits = 32;
constexpr std::string_view kWithUnit = "{64KB}";
constexpr std::string_view kWithLetter = "{64K}";

// "64KB", or "64K": what headers call a power of two.
std::string size_name(unsigned bits, bool with_unit) {
  constexpr unsigned kStep = 10;
  static constexpr std::array<std::string_view, 4> kUnits = {"", "K", "M", "G"};
  return fmt::format("{}{}{}", 1U << (bits % kStep), kUnits.at(bits / kStep), with_unit ? "B" : "");
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), by);
}

class ProgramReader {
 public:
  explicit ProgramReader(std::string name) { program_.name = std::move(name); }

  core::Result<std::shared_ptr<const MpuProgram>> read(Value file) {
    Fields top{file, "the MPU program", errors_};
    if (top.integer("schema") != 1) {
      top.wrong(Code::kBoardValue, "a file of an MPU program needs 'schema = 1'", top.place());
    }
    program_.title = top.required_one_line("title");
    program_.table = identifier(top, "table");
    program_.template_name = top.required_string("template");
    program_.largest = bytes(top, "largest", core::Bytes{chip::kMpuSpace}).count();
    if (!std::has_single_bit(program_.largest) || program_.largest > chip::kMpuSpace) {
      top.wrong(Code::kBoardValue,
                "'largest' must be a power of two, of at most 4GiB",
                top.value()["largest"].place());
    }
    program_.kept = top.strings("kept");
    (void)top.strings("sources");
    for (const Value constant : top.fields("constant")) {
      program_.constants.emplace(constant.name(), top.as_number(constant).value_or(0));
    }
    if (const Value fields = top.required("field", Kind::kTable)) {
      read_fields(fields);
    }
    for (const Value item : top.items("kind")) {
      Fields kind{item, "a kind of memory", errors_};
      read_kind(kind);
    }
    top.finish();
    if (errors_.empty() && program_.kinds.empty()) {
      top.wrong(Code::kBoardValue,
                "the MPU program has no words for kinds of memory",
                top.place(),
                "write [[kind]] with 'tex', 'cacheable', 'bufferable' and 'says', or the fields "
                "'tex', 'cacheable' and 'bufferable'");
    }
    if (!errors_.empty()) {
      core::sort_by_place(errors_);
      return tl::make_unexpected(std::move(errors_));
    }
    return std::make_shared<const MpuProgram>(std::move(program_));
  }

 private:
  static unsigned small(Fields& fields, std::string_view key, std::uint64_t last) {
    const std::uint64_t value = fields.integer(key).value_or(0);
    if (value > last) {
      fields.wrong(Code::kBoardValue,
                   fmt::format("'{}' must be from 0 to {}, not {}", key, last, value),
                   fields.value()[key].place());
    }
    return static_cast<unsigned>(std::min(value, last));
  }

  static std::string identifier(Fields& fields, std::string_view key) {
    const Text name = fields.required_text(key);
    if (name.written && !core::is_identifier(name.text)) {
      fields.wrong(Code::kBoardName,
                   fmt::format("'{}' is no name of C", core::printable(name.text)),
                   name.place,
                   "a letter, then letters, digits and underscores");
    }
    return name.text;
  }

  void read_fields(Value table) {
    Fields fields{table, "[field]", errors_};
    program_.number = read_field(fields, "number", false);
    program_.enable = read_field(fields, "enable", false);
    program_.base = read_field(fields, "base", true);
    program_.size = read_field(fields, "size", true);
    program_.disabled = read_field(fields, "disabled", true);
    program_.execute_never = read_field(fields, "execute_never", true);
    program_.shareable = read_field(fields, "shareable", true);
    const ProgramField tex = read_field(fields, "tex", false);
    const ProgramField cacheable = read_field(fields, "cacheable", false);
    const ProgramField bufferable = read_field(fields, "bufferable", false);
    fields.finish();
    for (unsigned bits = 0; !tex.name.empty() && bits < (chip::kLastTex + 1) * 4; ++bits) {
      const ProgramKind kind{bits / 4, (bits & 2U) != 0, (bits & 1U) != 0, {}};
      program_.kinds.push_back(kind);
      program_.kinds.back().says = {{tex.name, tex.word_of(kind.tex), kind.tex},
                                    said(cacheable, kind.cacheable),
                                    said(bufferable, kind.bufferable)};
    }
    if (tex.name.empty() != cacheable.name.empty() || tex.name.empty() != bufferable.name.empty()) {
      fields.wrong(Code::kBoardValue,
                   "'tex', 'cacheable' and 'bufferable' of [field] belong together",
                   fields.place(),
                   "write all three, or none and [[kind]]");
    }
  }

  static ProgramWord said(const ProgramField& field, bool value) {
    return {field.name, field.word_of(value ? 1 : 0), value ? 1U : 0U};
  }

  ProgramField read_field(Fields& fields, std::string_view key, bool is_required) {
    const Value table =
        is_required ? fields.required(key, Kind::kTable) : fields.optional(key, Kind::kTable);
    ProgramField field;
    if (!table) {
      return field;
    }
    Fields reader{table, fmt::format("field '{}'", key), errors_};
    field.name = identifier(reader, "name");
    if (reader.has("power")) {
      field.power = small(reader, "power", 1);
    }
    field.shift = small(reader, "shift", kBits - chip::kMpuParts);
    field.write = reader.string("write", field.write);
    for (const Value name : reader.fields("names")) {
      field.names.emplace(name.name(), reader.as_number(name).value_or(0));
    }
    field.bits = reader.strings("bits");
    if (!field.bits.empty() && field.bits.size() != chip::kMpuParts) {
      reader.wrong(Code::kBoardValue,
                   fmt::format("'bits' of field '{}' must have a name for each eighth", key),
                   table["bits"].place());
    }
    reader.finish();
    add_constants(field);
    return field;
  }

  // Whatever can be written can be read.
  void add_constants(const ProgramField& field) {
    program_.constants.insert(field.names.begin(), field.names.end());
    for (std::size_t i = 0; i < field.bits.size(); ++i) {
      program_.constants.emplace(field.bits[i], 1ULL << (field.shift + i));
    }
    const bool has_names = field.write.find(kWithUnit) != std::string::npos ||
                           field.write.find(kWithLetter) != std::string::npos;
    for (std::uint64_t size = chip::kMpuSmallest; has_names && size <= chip::kMpuSpace; size *= 2) {
      program_.constants.emplace(field.word_of(size), field.number_of(size));
    }
  }

  void read_kind(Fields& reader) {
    ProgramKind kind;
    kind.tex = small(reader, "tex", chip::kLastTex);
    kind.cacheable = reader.boolean("cacheable", false);
    kind.bufferable = reader.boolean("bufferable", false);
    for (const Value word : reader.required("says", Kind::kTable)) {
      ProgramWord said{word.name(), {}, 0};
      if (word.is(Kind::kWhole)) {
        said.number = word.whole();
        said.word = fmt::format("{}U", said.number);
      } else {
        said.word = word.string();
        const auto known = program_.constants.find(said.word);
        if (known == program_.constants.end()) {
          reader.wrong(
              Code::kBoardReference,
              fmt::format("'{}' is no constant of the MPU program", core::printable(said.word)),
              word.place(),
              "[constant] has the numbers of names");
        } else {
          said.number = known->second;
        }
      }
      kind.says.push_back(std::move(said));
    }
    reader.finish();
    program_.kinds.push_back(std::move(kind));
  }

  MpuProgram program_;
  core::Diagnostics errors_;
};

}  // namespace

std::uint64_t ProgramField::number_of(std::uint64_t value) const {
  return power ? static_cast<std::uint64_t>(std::countr_zero(value)) - *power : value << shift;
}

std::uint64_t ProgramField::value_of(std::uint64_t number) const {
  return power ? 1ULL << (number + *power) : number >> shift;
}

std::string ProgramField::word_of(std::uint64_t value) const {
  const std::uint64_t number = number_of(value);
  for (const auto& [word, known] : names) {
    if (known == number) {
      return word;
    }
  }
  if (!bits.empty()) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if ((value >> i & 1U) != 0) {
        words.push_back(bits[i]);
      }
    }
    return core::join(words, " | ");
  }
  const auto bit = static_cast<unsigned>(std::countr_zero(value));
  std::string word = replaced(write, "{n}", fmt::format("{}", number));
  word = replaced(word, "{x}", fmt::format("{:X}", number));
  word = replaced(word, "{x2}", fmt::format("{:02X}", number));
  word = replaced(word, "{x8}", fmt::format("{:08X}", number));
  word = bit > kBits ? word : replaced(word, kWithUnit, size_name(bit, true));
  return bit > kBits ? word : replaced(word, kWithLetter, size_name(bit, false));
}

bool ProgramKind::is(const chip::MpuBits& bits) const {
  return tex == bits.tex && cacheable == bits.cacheable && bufferable == bits.bufferable;
}

const ProgramWord* ProgramKind::find(std::string_view field) const {
  return core::find_in(says, field, &ProgramWord::field);
}

const ProgramKind* MpuProgram::find_kind(const chip::MpuBits& bits) const {
  const auto found =
      std::ranges::find_if(kinds, [&](const ProgramKind& kind) { return kind.is(bits); });
  return found == kinds.end() ? nullptr : &*found;
}

const ProgramKind* MpuProgram::find_kind(const Numbers& numbers) const {
  const auto found = std::ranges::find_if(kinds, [&](const ProgramKind& kind) {
    return std::ranges::all_of(kind.says, [&](const ProgramWord& said) {
      const auto in_table = numbers.find(said.field);
      return (in_table == numbers.end() ? 0 : in_table->second) == said.number;
    });
  });
  return found == kinds.end() ? nullptr : &*found;
}

Numbers MpuProgram::kind_fields() const {
  Numbers largest_of;
  for (const ProgramKind& kind : kinds) {
    for (const ProgramWord& said : kind.says) {
      std::uint64_t& most = largest_of[said.field];
      most = std::max(most, said.number);
    }
  }
  return largest_of;
}

std::string MpuProgram::kinds_text() const {
  std::vector<std::string> texts;
  for (const ProgramKind& kind : kinds) {
    texts.push_back(fmt::format("{} {:d} {:d}", kind.tex, kind.cacheable, kind.bufferable));
  }
  return core::join(texts, ", ");
}

std::map<std::string, std::string> MpuProgram::words_of(const chip::MpuRegionFields& region) const {
  std::map<std::string, std::string> words;
  const auto say = [&](const ProgramField& field, std::uint64_t value) {
    if (!field.name.empty()) {
      words.insert_or_assign(field.name, field.word_of(value));
    }
  };
  say(number, region.number);
  say(enable, 1);
  say(base, region.base);
  say(size, region.size);
  say(disabled, region.disabled);
  say(execute_never, region.execute ? 0 : 1);
  say(shareable, region.shareable ? 1 : 0);
  for (const auto& [field, most] : kind_fields()) {
    words.emplace(field, "0U");
  }
  for (const ProgramWord& said : find_kind(region)->says) {
    words.insert_or_assign(said.field, said.word);
  }
  return words;
}

core::Result<std::shared_ptr<const MpuProgram>> load_mpu_program(core::FileSystem& files,
                                                                 const std::string& folder,
                                                                 const std::string& name,
                                                                 std::vector<std::string>* read) {
  const auto file =
      load_inherited(files, fmt::format("{}/programs/{}.toml", folder, name), folder, read);
  MEMSIZE_TRY(file);
  return ProgramReader{name}.read(file->root());
}

core::Result<MpuPrograms> load_mpu_programs(core::FileSystem& files, const std::string& folder) {
  MpuPrograms programs;
  const auto names = bundled_boards(files, folder + "/programs");
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    auto program = load_mpu_program(files, folder, (*names)[i]);
    MEMSIZE_TRY(program);
    programs.push_back(std::move(*program));
  }
  return programs;
}

}  // namespace memsize::board
