// Reads boards/networks/nnapi.toml.
#include "memsize/board/nnapi_format.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"

#include "field_values.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using docs::Kind;
using docs::Value;

struct RoleName {
  std::string_view name;
  NnRole role;
};

constexpr RoleName kRoles[] = {{"temporary", NnRole::kTemporary},
                               {"input", NnRole::kInput},
                               {"output", NnRole::kOutput},
                               {"copy", NnRole::kCopy},
                               {"pool", NnRole::kPool},
                               {"none", NnRole::kNone},
                               {"subgraph", NnRole::kSubgraph},
                               {"pointer", NnRole::kPointer}};

constexpr std::string_view kFirstHal = "1.0";

class NnFormatReader {
 public:
  core::Result<NnFormat> read(Value file) {
    Fields top{file, "the format", errors_};
    (void)top.integer("schema");
    (void)top.string("format");
    (void)top.string("title");
    (void)top.strings("sources");
    format_.hals = top.strings("hals");
    format_.copied = bytes(top, "copied");
    format_.alignment = power(top, "alignment");
    format_.least_alignment = power(top, "least_alignment");
    Fields padding{top.required("padding", Kind::kTable), "the padding", errors_};
    format_.padding_of_hidl = power(padding, "hidl");
    format_.padding_of_aidl = power(padding, "aidl");
    padding.finish();
    format_.extensions_from = top.integer("extensions_from").value_or(0);
    for (const Value value : top.items("type")) {
      Fields fields{value, "a type", errors_};
      read_type(fields);
    }
    for (const Value value : top.items("lifetime")) {
      Fields fields{value, "a lifetime", errors_};
      NnLifetime lifetime;
      lifetime.names = names(fields);
      lifetime.value = fields.integer("value").value_or(0);
      const std::string role = fields.one_of("role", core::texts_of(kRoles, &RoleName::name));
      if (const auto* const found = core::find_in(kRoles, role, &RoleName::name);
          found != nullptr) {
        lifetime.role = found->role;
      }
      lifetime.since = fields.string("since", std::string{kFirstHal});
      fields.finish();
      format_.lifetimes.push_back(std::move(lifetime));
    }
    for (const Value value : top.items("memory")) {
      Fields fields{value, "a memory", errors_};
      format_.memories.push_back({names(fields),
                                  fields.string("begins"),
                                  fields.string("since", std::string{kFirstHal}),
                                  fields.boolean("size", true),
                                  fields.boolean("models", true),
                                  fields.boolean("managed", false)});
      fields.finish();
    }
    top.finish();
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(format_);
  }

 private:
  static std::vector<std::string> names(Fields& fields) {
    std::vector<std::string> all = {fields.required_string("name")};
    for (std::string& name : fields.strings("also")) {
      all.push_back(std::move(name));
    }
    return all;
  }

  static core::Align power(Fields& fields, std::string_view key) {
    const auto number = fields.integer(key);
    const auto align = core::Align::make(number.value_or(1));
    if (!align) {
      fields.wrong(key, "it must be a power of two");
    }
    return align.value_or(core::Align{});
  }

  void read_type(Fields& fields) {
    NnType type;
    type.name = fields.required_string("name");
    type.value = fields.integer("value").value_or(0);
    type.bytes = fields.integer("bytes");
    type.is_scalar = fields.boolean("scalar", false);
    type.is_subgraph = fields.boolean("subgraph", false);
    type.is_per_channel = fields.boolean("per_channel", false);
    type.is_free = fields.boolean("free", false);
    type.since = fields.string("since", std::string{kFirstHal});
    if (fields.has("scale")) {
      const std::string scale = fields.one_of("scale", {"zero", "positive", "not-negative"});
      type.scale = scale == "positive"       ? NnScale::kPositive
                   : scale == "not-negative" ? NnScale::kNotNegative
                                             : NnScale::kZero;
    }
    std::vector<std::int64_t> range;
    for (const Value value : fields.items("zero_point")) {
      if (value.is_integer()) {
        range.push_back(value.integer());
      }
    }
    if (range.size() == 2) {
      type.least_zero_point = range[0];
      type.largest_zero_point = range[1];
    } else if (fields.has("zero_point")) {
      fields.wrong("zero_point", "it must be two whole numbers: from, to");
    }
    fields.finish();
    format_.types.push_back(std::move(type));
  }

  NnFormat format_;
  core::Diagnostics errors_;
};

// "77", "0x4d", "Extension OperandType 65537": a number at the end, and what is before it.
std::optional<std::uint64_t> number_of(std::string_view printed) {
  printed.remove_prefix(std::min(printed.rfind(' ') + 1, printed.size()));
  const int base = printed.starts_with("0x") ? 16 : 10;
  printed.remove_prefix(base == 16 ? 2 : 0);
  std::uint64_t value = 0;
  const char* const end = printed.data() + printed.size();
  const auto [stop, failure] = std::from_chars(printed.data(), end, value, base);
  return !printed.empty() && failure == std::errc{} && stop == end ? std::optional{value}
                                                                   : std::nullopt;
}

}  // namespace

const NnType* NnFormat::find_type(std::string_view printed) const {
  const auto* const named = core::find_in(types, printed, &NnType::name);
  const auto number = number_of(printed);
  return named == nullptr && number ? core::find_in(types, *number, &NnType::value) : named;
}

const NnLifetime* NnFormat::find_lifetime(std::string_view printed) const {
  const auto* const named = core::find_where(
      lifetimes, [&](const NnLifetime& known) { return core::contains(known.names, printed); });
  const auto number = number_of(printed);
  return named == nullptr && number ? core::find_in(lifetimes, *number, &NnLifetime::value) : named;
}

const NnMemory* NnFormat::find_memory(std::string_view printed) const {
  const auto* const named = core::find_where(
      memories, [&](const NnMemory& known) { return core::contains(known.names, printed); });
  return named != nullptr ? named : core::find_where(memories, [&](const NnMemory& known) {
    return !known.begins.empty() && printed.starts_with(known.begins);
  });
}

bool NnFormat::is_extension(std::string_view printed) const {
  return find_type(printed) == nullptr && number_of(printed).value_or(0) >= extensions_from;
}

bool NnFormat::has(std::string_view hal, std::string_view since) const {
  const auto place = [&](std::string_view name) {
    return std::ranges::find(hals, name) - hals.begin();
  };
  const auto here = place(hal);
  const auto first = place(since);
  const auto count = static_cast<std::ptrdiff_t>(hals.size());
  return here == count || first == count || first <= here;
}

core::Result<NnFormat> load_nnapi_format(core::FileSystem& files, const std::string& folder) {
  const auto file = load_inherited(files, folder + "/networks/nnapi.toml", folder);
  MEMSIZE_TRY(file);
  return NnFormatReader{}.read(file->root());
}

}  // namespace memsize::board
