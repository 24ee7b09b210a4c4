// boundary_bench                what a boundary over 10,000 items costs, beyond its models: ./dev bench boundary
// boundary_bench soak SEEDS     so many runs among hostile models, and whether the laws held: ./dev soak boundary
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "tests/runs/hostile_boundary.hpp"
#include "tests/runs/hostile_client.hpp"

using namespace plumb;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint64_t items = 10'000;

constexpr std::string_view contract = R"({"$id":"plumb:bench-brief","itemId":"/area","type":"object",
  "required":["area","problem","evidence"],"properties":{"area":{"type":"string","notBlank":true},
  "problem":{"type":"string","minLength":1},"evidence":{"type":"array","minItems":1}},
  "rules":[{"id":"actionable","ask":"Can a developer find the surface?"}]})";

std::string request() {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("contract").raw(contract).member_uint("window_tokens", 128'000).key("items").begin_array();
  for (std::uint64_t i = 0; i < items; ++i) {
    json.begin_object().member("area", "screen " + json::uint_text(i)).member("problem", "it is slow when many look");
    json.key("evidence").begin_array().string("c" + json::uint_text(i)).end_array().end_object();
  }
  json.end_array().end_object();
  return out;
}

run::Reply reply(std::string text) {
  std::string value;
  json::Writer(value).begin_object().member("text", text).end_object();
  run::Reply out;
  out.value = run::Data::written(std::move(value));
  return out;
}

// The time of all that is not the model, and how many calls it was asked for. `rejected`: how many items of 1,000.
void cross(std::uint64_t rejected, double most_ms) {
  const run::Data asked = run::Data::written(request());
  const pipelines::Known& known = *pipelines::known_pipeline("boundary");
  const Result<pipelines::Prepared> prepared = known.prepare(asked.value(), {});
  if (!prepared) {
    std::printf("%s\n", prepared.error().message.c_str());
    std::exit(2);
  }
  double best = 1e9;
  std::uint64_t calls = 0;
  for (int round = 0; round < 5; ++round) {
    double spent = 0;
    calls = 0;
    std::uint64_t now = 1;
    const Clock::time_point begin = Clock::now();
    run::Machine machine =
        run::Machine::start(known.pipeline, "r1", prepared.value().input, prepared.value().pins, {}, now);
    for (;;) {
      const bool waits = machine.step(++now) == run::State::waiting;
      (void)machine.take();
      if (!waits) {
        break;
      }
      for (const run::Want& want : machine.wanted()) {
        (void)machine.attempt(want.key, ++now);
        const Clock::time_point model = Clock::now();
        ++calls;
        std::string text = R"({"items":[{"area":"cart","problem":"slow","evidence":["c"]}]})";
        if (want.request.value().find("phase")->str() == "validate") {
          text = R"({"rejected_items":[)";
          for (std::uint64_t i = 0; i < items && want.key.find("~2") == std::string::npos; ++i) {
            if (i % 1000 < rejected) {
              text += (text.back() == '[' ? "" : ",") + std::string(R"({"item_id":")") + json::uint_text(i + 1) +
                      R"(","rule":"actionable","rejection_reason":"vague"})";
            }
          }
          text += "]}";
        }
        run::Reply answer = reply(std::move(text));
        spent += std::chrono::duration<double, std::milli>(Clock::now() - model).count();
        (void)machine.reply(want.key, std::move(answer), ++now);
      }
    }
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count() - spent);
  }
  std::printf("10,000 items, %4llu rejected once, %4llu calls   %9.1f ms",
              static_cast<unsigned long long>(rejected * 10), static_cast<unsigned long long>(calls), best);
  std::printf(most_ms > 0 ? "  at most %.0f%s\n" : "\n", most_ms, best > most_ms ? "  !" : "");
}

void row(const char* what, std::uint64_t number) {
  std::printf("%-44s %12llu\n", what, static_cast<unsigned long long>(number));
}

int soak(std::uint64_t seeds) {
  test::HostileCounts counts;
  std::uint64_t broken = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::string wrong = test::play_hostile(seed, counts);
    if (!wrong.empty() && broken++ < 20) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    }
  }
  row("runs", counts.runs);
  row("items", counts.items);
  row("  accepted", counts.accepted);
  row("  of these and others unverified", counts.unverified);
  row("  with a warning", counts.warned);
  row("  failed", counts.failed);
  row("  parts of a split item", counts.parts);
  row("validation calls", counts.validations);
  row("  failed or unreadable", counts.calls_failed);
  row("revision calls", counts.revisions);
  row("  that could not be used", counts.skipped);
  row("ids that nobody has", counts.unknown_ids);
  row("rejections without a rule or a reason", counts.unfounded);
  row("items that no answer mentioned", counts.unmentioned);
  row("runs that broke a law", broken);
  return broken == 0 ? 0 : 1;
}

int soak_clients(std::uint64_t seeds) {
  test::ClientCounts counts;
  std::uint64_t broken = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const std::string wrong = test::play_client(seed, counts);
    if (!wrong.empty() && broken++ < 20) {
      std::printf("client seed %llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    }
  }
  std::printf("\nclient programs as judge and producer\n");
  row("runs", counts.runs);
  row("questions", counts.asks);
  row("  answers in another form", counts.refused);
  row("  that failed", counts.failed);
  row("  without an answer in time", counts.timed_out);
  row("  answered twice", counts.twice);
  row("  answered late", counts.late);
  row("runs that broke a law", broken);
  return broken == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "soak") {
    std::uint64_t seeds = 100'000;
    if (argc > 2 && !json::read_uint(argv[2], seeds)) {
      std::fprintf(stderr, "'%s' is no number of seeds\n", argv[2]);
      return 2;
    }
    return std::max(soak(seeds), soak_clients(seeds));
  }
  cross(0, 100);
  cross(50, 0);
  cross(500, 0);
  return 0;
}
