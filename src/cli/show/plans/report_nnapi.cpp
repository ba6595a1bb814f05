// A line for each memory that the log tells of, with what is there and how much it holds, where
// that is printed; then what a run was given.
#include "report_nnapi.hpp"

#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using network::NnAccount;
using network::NnArgumentUse;
using network::NnEventUse;
using network::NnModelUse;
using network::NnPoolUse;
using network::NnRequestUse;
using network::NnRoleUse;

constexpr const char* kNotPrinted = "not printed";

std::string of_announced(std::size_t found,
                         const std::optional<std::uint64_t>& announced,
                         std::string_view one) {
  return announced && *announced != found
             ? fmt::format("{} of {}", found, core::plural(*announced, one))
             : core::plural(found, one);
}

std::string model_title(const NnModelUse& model) {
  std::string text =
      fmt::format("{}, {}",
                  of_announced(model.operands, model.announced_operands, "operand"),
                  of_announced(model.operations, model.announced_operations, "operation"));
  if (model.subgraphs != 0) {
    text += fmt::format(", {}", core::plural(model.subgraphs, "graph") + " more");
  }
  return text + (model.times == 1 ? "" : fmt::format(", printed {} times", model.times));
}

std::string size_text(const std::optional<core::Bytes>& size) {
  return size ? core::format_bytes(*size) : kNotPrinted;
}

// What lies in a buffer of the driver's is all of it, which nobody prints.
std::string covered_text(const NnPoolUse& pool) {
  const bool is_unknown = !pool.size && pool.count != 0 && pool.bytes == core::Bytes{};
  return is_unknown ? "-" : core::format_bytes(pool.covered);
}

// "3 constants copied, 1 shares its bytes, 8 B of holes".
std::string pool_text(const NnPoolUse& pool, std::string_view what, bool has_all) {
  std::string text = fmt::format("{} {}{}", pool.count, what, has_all ? "" : " in the log");
  if (pool.shared() != core::Bytes{}) {
    text += fmt::format(", {} shared", core::format_bytes(pool.shared()));
  }
  if (has_all && pool.holes() != core::Bytes{} && pool.count != 0) {
    text += fmt::format(", {} in holes", core::format_bytes(pool.holes()));
  }
  return text;
}

std::string role_text(const NnRoleUse& use) {
  std::string text = fmt::format("{}", use.count);
  if (use.unknown != 0) {
    text += fmt::format(", {} of unknown size", use.unknown);
  }
  return text;
}

std::string kind_text(const NnPoolUse& pool) {
  return fmt::format("({})",
                     !pool.name           ? kNotPrinted
                     : pool.name->empty() ? "empty"
                                          : core::printable(*pool.name, 40));
}

using Rows = std::vector<std::vector<std::string>>;

void add_role(std::string_view name, const NnRoleUse& use, bool has_all, Rows& rows) {
  if (use.count != 0) {
    const bool is_known = use.unknown != use.count;
    rows.push_back({std::string{name},
                    role_text(use) + (has_all ? "" : " in the log"),
                    is_known ? core::format_bytes(use.bytes) : "-",
                    ""});
  }
}

void add_model(const NnModelUse& model, Rows& rows) {
  if (model.values) {
    rows.push_back({"operandValues",
                    pool_text(*model.values, "copied", model.has_operands),
                    core::format_bytes(model.values->covered),
                    size_text(model.values->size)});
  }
  for (const NnPoolUse& pool : model.pools) {
    const std::string name = pool.name.value_or("").empty() ? std::string{} : " " + kind_text(pool);
    rows.push_back({fmt::format("pool {}{}", *pool.index, name),
                    pool_text(pool, pool.count == 1 ? "constant" : "constants", model.has_operands),
                    core::format_bytes(pool.covered),
                    size_text(pool.size)});
  }
  add_role("inputs", model.inputs, model.has_operands, rows);
  add_role("outputs", model.outputs, model.has_operands, rows);
  add_role("temporaries", model.temporaries, model.has_operands, rows);
  if (model.temporaries.count == 0) {
    rows.push_back({"temporaries", model.has_operands ? "none" : "none in the log", "-", ""});
  }
}

void add_request(const NnRequestUse& request, std::size_t number, Rows& rows) {
  for (const NnPoolUse& pool : request.pools) {
    rows.push_back({fmt::format("request {}, pool {} {}", number, *pool.index, kind_text(pool)),
                    pool_text(pool, pool.count == 1 ? "argument" : "arguments", request.is_whole),
                    covered_text(pool),
                    size_text(pool.size)});
  }
}

std::string argument_name(const NnArgumentUse& argument) {
  return fmt::format("{} {}", argument.is_output ? "output" : "input", argument.index);
}

std::string place_of_argument(const NnArgumentUse& argument) {
  return argument.pool && argument.offset
             ? fmt::format("{} in pool {} at {}",
                           argument_name(argument),
                           *argument.pool,
                           core::format_bytes(*argument.offset))
             : fmt::format("{} {}", argument_name(argument), core::printable(argument.kind, 20));
}

// What stands beside the model in the runtime's own lines.
std::string events_text(const NnEventUse& events) {
  std::string text;
  const auto say = [&](const std::string& what) { text += "  " + what + "\n"; };
  const auto values = [&](const NnRoleUse& use, std::string_view how) {
    if (use.count != 0) {
      say(fmt::format(
          "{} {}: {}", core::plural(use.count, "value"), how, core::format_bytes(use.bytes)));
    }
  };
  values(events.copied, "copied to operandValues");
  if (events.copied_end) {
    say("operandValues has " + core::format_bytes(*events.copied_end) + " or more");
  }
  values(events.large, "in the pool that the runtime makes");
  if (events.lacks_values) {
    say("that pool does not have the size of these: the log lacks some of them");
  }
  values(events.from_memory, "in the application's memory");
  if (events.large_pool) {
    say((events.large_pools == 1 ? std::string{"that pool has "}
                                 : fmt::format("these {} pools have ", events.large_pools)) +
        core::format_bytes(*events.large_pool));
  }
  std::vector<std::string> places;
  for (const NnArgumentUse& argument : events.arguments) {
    places.push_back(place_of_argument(argument));
  }
  if (!places.empty()) {
    constexpr std::size_t kShown = 12;
    const std::size_t more = places.size() - std::min(places.size(), kShown);
    places.resize(places.size() - more);
    say("a run was given " + core::join(places, ", ") +
        (more == 0 ? std::string{} : fmt::format(" and {} more", more)));
  }
  if (events.between_devices) {
    say("the runtime laid out " + core::format_bytes(*events.between_devices) + " between devices");
  }
  if (events.failed != 0) {
    say(fmt::format("{} failed; nothing in the log says that memory was the reason",
                    core::plural(events.failed, "execution")));
  }
  return text;
}

std::string device_of(const NnAccount& account) {
  for (const NnEventUse& events : account.events) {
    if (!events.device.empty()) {
      return " on " + core::printable(events.device, 60);
    }
  }
  return {};
}

std::string nnapi_head(const app::Planning& planning) {
  const NnAccount& account = *planning.nnapi;
  std::string text =
      fmt::format("{}: {}", core::printable(planning.wanted.path, 300), planning.wanted.format);
  if (account.models.empty()) {
    text += fmt::format("{}, no model", device_of(account));
  } else if (account.models.size() == 1) {
    const NnModelUse& model = account.models.front();
    text += fmt::format(", {}{}, one model: {}", model.hal, device_of(account), model_title(model));
  } else {
    text += fmt::format("{}, {}", device_of(account), core::plural(account.models.size(), "model"));
  }
  if (!account.requests.empty()) {
    text += fmt::format(", {}", core::plural(account.requests.size(), "request"));
  }
  return text + "\n";
}

std::string table_of(Rows rows) {
  if (rows.empty()) {
    return {};
  }
  Table table{.columns = {{"memory"}, {"what"}, {"bytes", true}, {"of", true}}};
  table.rows = std::move(rows);
  return table.text(2);
}

std::string laid_out_text(const NnModelUse& model, const app::Planning& planning) {
  if (model.temporaries.count == model.temporaries.unknown ||
      planning.outcome.plan.blocks.empty()) {
    return {};
  }
  return fmt::format(
      "  between devices the runtime would lay out {} for the temporaries, and use no byte "
      "again\n",
      core::format_bytes(model.laid_out_by_runtime));
}

std::string preferred_text(const NnAccount& account) {
  std::size_t arguments = 0;
  core::Bytes extra;
  for (const NnRequestUse& request : account.requests) {
    arguments += request.not_preferred;
    extra = std::max(extra, request.preferred_extra);
  }
  return arguments == 0 ? std::string{}
                        : fmt::format(
                              "  {} not as the runtime prefers, which would cost {} a request: a "
                              "driver may copy them\n",
                              core::plural(arguments, "argument lies", "arguments lie"),
                              core::format_bytes(extra));
}

}  // namespace

std::string nnapi_text(const app::Planning& planning) {
  const NnAccount& account = *planning.nnapi;
  std::string text = nnapi_head(planning);
  if (account.models.size() <= 1) {
    Rows rows;
    for (const NnModelUse& model : account.models) {
      add_model(model, rows);
    }
    for (std::size_t i = 0; i < account.requests.size(); ++i) {
      add_request(account.requests[i], i + 1, rows);
    }
    text += table_of(std::move(rows));
  } else {
    for (std::size_t i = 0; i < account.models.size(); ++i) {
      const NnModelUse& model = account.models[i];
      Rows rows;
      add_model(model, rows);
      text += fmt::format(
          "\nmodel {} (line {}): {}, {}\n", i + 1, model.line, model.hal, model_title(model));
      text += table_of(std::move(rows));
    }
    Rows rows;
    for (std::size_t i = 0; i < account.requests.size(); ++i) {
      add_request(account.requests[i], i + 1, rows);
    }
    text += rows.empty() ? std::string{} : "\n" + table_of(std::move(rows));
  }
  for (const NnModelUse& model : account.models) {
    text += laid_out_text(model, planning);
  }
  text += preferred_text(account);
  for (const NnEventUse& events : account.events) {
    text += events_text(events);
  }
  return text;
}

}  // namespace memsize::cli
