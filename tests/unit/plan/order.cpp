// Random small models against every order that their data allows, counted another way.
#include "memsize/plan/order.hpp"

#include "support.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::order_test {

namespace {

using core::Bytes;
using core::Code;
using model::Lifetime;

struct Op {
  std::vector<std::string> reads;
  std::vector<std::string> writes;
};

struct Net {
  std::map<std::string, std::uint64_t> sizes;
  std::set<std::string> inputs;
  std::set<std::string> outputs;
  std::set<std::string> persistent;
  std::vector<Op> ops;
};

using Order = std::vector<std::size_t>;

// Steps at which each tensor is used, and with them what is alive at each step.
std::uint64_t peak_of(const Net& net, const Order& order) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> lives;
  const auto use = [&](const std::string& id, std::size_t step) {
    const auto [life, is_new] = lives.try_emplace(id, step, step);
    life->second.second = step;
  };
  for (const std::string& id : net.inputs) {
    use(id, 0);
  }
  for (std::size_t step = 0; step < order.size(); ++step) {
    for (const std::string& id : net.ops[order[step]].reads) {
      use(id, step);
    }
    for (const std::string& id : net.ops[order[step]].writes) {
      use(id, step);
    }
  }
  for (const std::string& id : net.outputs) {
    use(id, order.size() - 1);
  }
  std::uint64_t peak = 0;
  for (std::size_t step = 0; step < order.size(); ++step) {
    std::uint64_t sum = 0;
    for (const auto& [id, life] : lives) {
      const bool is_scratch = net.sizes.contains(id) && !net.persistent.contains(id);
      sum += is_scratch && life.first <= step && step <= life.second ? net.sizes.at(id) : 0;
    }
    peak = std::max(peak, sum);
  }
  return peak;
}

bool share(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::ranges::any_of(
      some, [&](const std::string& id) { return std::ranges::find(others, id) != others.end(); });
}

// Whether the second must stay behind the first.
bool depends(const Net& net, const Op& first, const Op& second) {
  const bool is_kept = std::ranges::any_of(net.persistent, [&](const std::string& id) {
    const std::vector<std::string> one = {id};
    return (share(first.reads, one) || share(first.writes, one)) &&
           (share(second.reads, one) || share(second.writes, one));
  });
  return is_kept || share(first.writes, second.reads) || share(first.reads, second.writes) ||
         share(first.writes, second.writes);
}

bool is_allowed(const Net& net, const Order& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t k = i + 1; k < order.size(); ++k) {
      if (order[k] < order[i] && depends(net, net.ops[order[k]], net.ops[order[i]])) {
        return false;
      }
    }
  }
  return true;
}

model::PlanReport report_of(const Net& net) {
  model::PlanReport report{.path = "net", .format = "tflite"};
  Order given(net.ops.size());
  std::iota(given.begin(), given.end(), std::size_t{0});
  std::map<std::string, model::Interval> lives;
  const auto use = [&](const std::string& id, std::size_t step) {
    const auto at = static_cast<std::int64_t>(step);
    const auto [life, is_new] = lives.try_emplace(id, model::Interval{at, at + 1});
    life->second.upper = at + 1;
  };
  for (const std::string& id : net.inputs) {
    use(id, 0);
  }
  for (std::size_t i = 0; i < net.ops.size(); ++i) {
    report.network.operators.push_back(
        {.id = std::to_string(i), .reads = net.ops[i].reads, .writes = net.ops[i].writes});
    for (const auto* ids : {&net.ops[i].reads, &net.ops[i].writes}) {
      for (const std::string& id : *ids) {
        use(id, i);
      }
    }
  }
  for (const std::string& id : net.outputs) {
    use(id, net.ops.size() - 1);
  }
  for (const auto& [id, size] : net.sizes) {
    model::PlannedBlock block{.id = id, .memory = "default", .size = Bytes{size}};
    if (net.persistent.contains(id)) {
      block.role = Lifetime::kPersistent;
    } else if (!lives.contains(id)) {
      continue;
    } else {
      block.live = lives.at(id);
    }
    block.is_input = net.inputs.contains(id);
    block.is_output = net.outputs.contains(id);
    report.blocks.push_back(std::move(block));
  }
  return report;
}

Order order_in(const model::PlanReport& report) {
  Order order;
  for (const model::Operator& each : report.network.operators) {
    order.push_back(std::stoul(each.id));
  }
  return order;
}

// Two branches of an input: large in the middle, small at the end. Given side by side.
Net branches() {
  Net net;
  net.sizes = {{"in", 10}, {"a1", 100}, {"b1", 100}, {"a2", 5}, {"b2", 5}, {"out", 1}};
  net.inputs = {"in"};
  net.outputs = {"out"};
  net.ops = {{{"in"}, {"a1"}},
             {{"in"}, {"b1"}},
             {{"a1"}, {"a2"}},
             {{"b1"}, {"b2"}},
             {{"a2", "b2"}, {"out"}}};
  return net;
}

Code refused(model::PlanReport report) {
  const auto order = reorder(report, {});
  REQUIRE_FALSE(order.has_value());
  CHECK_FALSE(order.error().front().hint.empty());
  return order.error().front().code;
}

// All first halves, then all second ones.
Net wide() {
  Net net;
  net.inputs = {"in"};
  net.sizes["in"] = 8;
  Op last{{}, {"out"}};
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < 40; ++i) {
      const std::string id = std::to_string(i);
      net.sizes["large" + id] = static_cast<std::uint64_t>(100 + i);
      net.sizes["small" + id] = static_cast<std::uint64_t>(60 + i * 7 % 13);
      net.ops.push_back(half == 0 ? Op{{"in"}, {"large" + id}}
                                  : Op{{"large" + id}, {"small" + id}});
      if (half == 0) {
        last.reads.push_back("small" + id);
      }
    }
  }
  net.sizes["out"] = 1;
  net.outputs = {"out"};
  net.ops.push_back(last);
  return net;
}

}  // namespace

TEST_SUITE_BEGIN("plan");

TEST_CASE("a branch ends before the next one begins") {
  model::PlanReport report = report_of(branches());
  report.blocks.front().offset = Bytes{64};
  const auto order = reorder(report, {});
  REQUIRE(order.has_value());
  CHECK(order->given == Bytes{210});
  CHECK(order->found == Bytes{115});
  CHECK(order->is_least);
  CHECK(order->operators == std::vector<std::string>{"0", "2", "1", "3", "4"});
  CHECK(report.network.operators[1].id == "2");
  for (const model::PlannedBlock& block : report.blocks) {
    CHECK_FALSE(block.offset.has_value());
    if (block.id == "a1") {
      CHECK(block.live == model::Interval{0, 2});
    }
    if (block.id == "out") {
      CHECK(block.live == model::Interval{4, 5});
    }
  }
}

TEST_CASE("slots count, not sizes") {
  model::PlanReport report = report_of(branches());
  for (model::PlannedBlock& block : report.blocks) {
    block.alignment = core::Align::make(16);
  }
  const auto order = reorder(report, {});
  REQUIRE(order.has_value());
  CHECK(order->found == Bytes{16 + 112 + 16});
}

TEST_CASE("what lies in the bytes of another keeps them alive") {
  Net net = branches();
  // A view of the first branch's result, of which it takes no bytes.
  net.ops[4].reads = {"view", "b2"};
  net.ops.insert(net.ops.begin() + 3, Op{{"a2"}, {"view"}});
  net.sizes["view"] = 5;
  model::PlanReport report = report_of(net);
  std::ranges::find(report.blocks, "view", &model::PlannedBlock::id)->alias_of = "a2";
  const auto order = reorder(report, {});
  REQUIRE(order.has_value());
  CHECK(order->given == Bytes{210});
  CHECK(order->found == Bytes{115});
  CHECK(order->is_least);
}

TEST_CASE("no order that data allows is less busy, of random models") {
  std::mt19937 random{28};  // NOLINT(cert-msc51-cpp): the same cases each time
  const auto any = [&](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>{0, below - 1}(random);
  };
  int lower = 0;
  for (int round = 0; round < 400; ++round) {
    Net net;
    const std::size_t count = any(6) + 2;
    std::vector<std::string> made;
    const auto tensor = [&] {
      const std::string id = std::to_string(net.sizes.size());
      net.sizes[id] = any(60) + 1;
      made.push_back(id);
      return id;
    };
    for (std::size_t i = any(3); i > 0; --i) {
      net.inputs.insert(tensor());
    }
    net.sizes["v"] = 7;
    net.persistent = {"v"};
    for (std::size_t i = 0; i < count; ++i) {
      Op op;
      for (std::size_t k = any(3); k > 0 && !made.empty(); --k) {
        op.reads.push_back(made[any(made.size())]);
      }
      for (std::size_t k = any(2) + 1; k > 0; --k) {
        // Sometimes what is there already is written again.
        op.writes.push_back(any(8) == 0 && !made.empty() ? made[any(made.size())] : tensor());
      }
      if (any(4) == 0) {
        (any(2) == 0 ? op.reads : op.writes).emplace_back("v");
      }
      if (any(9) == 0) {
        op.reads.emplace_back("weights");
      }
      net.ops.push_back(std::move(op));
    }
    net.outputs.insert(made[any(made.size())]);
    Order order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::uint64_t given = peak_of(net, order);
    std::uint64_t least = given;
    do {
      if (is_allowed(net, order)) {
        least = std::min(least, peak_of(net, order));
      }
    } while (std::ranges::next_permutation(order).found);
    CAPTURE(round);
    model::PlanReport report = report_of(net);
    const auto found = reorder(report, {});
    REQUIRE_MESSAGE(found.has_value(), (found ? "" : test::all_text(found.error())));
    CHECK(found->given == Bytes{given});
    CHECK(found->found == Bytes{least});
    CHECK(found->is_least);
    const Order chosen = order_in(report);
    CHECK(is_allowed(net, chosen));
    CHECK(peak_of(net, chosen) == least);
    lower += least < given ? 1 : 0;
    // What was found needs no other order.
    const auto again = reorder(report, {});
    REQUIRE(again.has_value());
    CHECK(again->given == Bytes{least});
    CHECK(again->found == Bytes{least});
  }
  CHECK(lower > 50);
}

TEST_CASE("a subgraph stays with the operator that calls it") {
  Net net = branches();
  net.persistent = {"v"};
  net.sizes["v"] = 3;
  net.ops.insert(net.ops.begin(), {{}, {"v"}});
  net.ops.insert(net.ops.begin(), {{}, {}});
  net.ops.back().reads.emplace_back("v");
  model::PlanReport report = report_of(net);
  report.network.operators[1].caller = "0";
  const auto order = reorder(report, {});
  REQUIRE(order.has_value());
  CHECK(order->found == Bytes{115});
  const auto& ids = order->operators;
  const auto caller = std::ranges::find(ids, "0");
  REQUIRE(caller != ids.end());
  CHECK(*(caller + 1) == "1");
}

TEST_CASE("a wide model ends, and is never busier than it was") {
  const Net net = wide();
  // With no time left, the least busy of what was begun goes on.
  for (const auto& time :
       {std::optional<std::chrono::milliseconds>{}, {std::chrono::milliseconds{0}}}) {
    PackLimits limits;
    limits.steps = 1'000'000;
    limits.time = time;
    model::PlanReport report = report_of(net);
    const auto order = reorder(report, limits);
    REQUIRE(order.has_value());
    CHECK(order->found < order->given);
    CHECK(is_allowed(net, order_in(report)));
    CHECK(Bytes{peak_of(net, order_in(report))} == order->found);
  }
}

TEST_CASE("what has no order that is known is refused") {
  model::PlanReport report = report_of(branches());
  report.network.operators.clear();
  CHECK(refused(report) == Code::kPlanOrder);
  report = report_of(branches());
  report.blocks[0].live->upper += 1;
  CHECK(refused(report) == Code::kPlanOrder);
  report = report_of(branches());
  report.blocks[0].live.reset();
  CHECK(refused(report) == Code::kPlanOrder);
  report = report_of(branches());
  report.blocks[0].windows = {{{0, 1}, Bytes{0}, Bytes{1}}};
  CHECK(refused(report) == Code::kPlanOrder);
  report = report_of(branches());
  for (model::PlannedBlock& block : report.blocks) {
    block.size = model::kLargestPlan;
  }
  CHECK(refused(report) == Code::kPlanOrder);
  report = report_of(branches());
  report.network.operators.resize(kMostOrdered + 1);
  CHECK(refused(report) == Code::kPlanOrder);
}

TEST_SUITE_END();

}  // namespace memsize::plan::order_test
