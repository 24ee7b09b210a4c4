#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/budget/assembly.hpp"
#include "core/budget/assign.hpp"
#include "core/budget/operations.hpp"
#include "core/budget/pressure.hpp"
#include "core/budget/risk.hpp"
#include "core/budget/shares.hpp"
#include "core/budget/task_size.hpp"
#include "core/budget/window.hpp"

using namespace plumb::budget;

namespace {

WindowPlan plan_leaving(Tokens available) {
  WindowPlan plan;
  plan.profile.context_window = 100'000;  // a margin of 20,000
  plan.task = 80'000 - available;
  return plan;
}

Source source(Severity severity, Tokens parent, std::vector<Tokens> chunks) {
  Source out;
  out.severity = severity;
  out.parent = parent;
  out.chunks = std::move(chunks);
  return out;
}

std::vector<Tokens> many(std::size_t count, Tokens tokens) { return std::vector<Tokens>(count, tokens); }

Element element(ElementKind kind, Tokens tokens) {
  Element out;
  out.kind = kind;
  out.tokens = tokens;
  return out;
}

Element sop(Source given) {
  Element out;
  out.kind = ElementKind::sop;
  out.source = std::move(given);
  out.tokens = out.source.parent;
  for (const Tokens tokens : out.source.chunks) {
    out.tokens += tokens;
  }
  return out;
}

std::string ask(const char* operation, std::string_view request) {
  const Operation* found = operation_named(operation);
  REQUIRE(found != nullptr);
  return answer(*found, request);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("window: what is left is the window without system, plan, task, output and 20 % margin") {
  WindowPlan plan;
  plan.profile.context_window = 32'000;
  plan.system = 2'000;
  plan.plan = 1'500;
  plan.task = 6'000;
  plan.output = 1'000;
  const WindowBudget budget = budget_window(plan);
  CHECK(budget.margin == 6'400);
  CHECK(budget.available == 15'100);
  CHECK(budget.fit == Fit::fits);
}

TEST_CASE("window: 8,000 tokens left fit and 7,999 are decomposed") {
  CHECK(budget_window(plan_leaving(8'000)).fit == Fit::fits);
  CHECK(budget_window(plan_leaving(8'000)).available == 8'000);
  CHECK(budget_window(plan_leaving(7'999)).fit == Fit::decompose);
}

TEST_CASE("window: the margin of an odd window is rounded up, to the safe side") {
  WindowPlan plan;
  plan.profile.context_window = 8'192;
  CHECK(budget_window(plan).margin == 1'639);  // 1,638.4
}

TEST_CASE("window: what exceeds the window is told as a number below 0") {
  WindowPlan plan = plan_leaving(0);
  plan.task += 5'000;
  CHECK(budget_window(plan).available == -5'000);
  CHECK(budget_window(plan).fit == Fit::decompose);
}

TEST_CASE("window: one that is not known is unknown, never a default") {
  WindowPlan plan;
  plan.task = 10;
  CHECK(budget_window(plan).fit == Fit::unknown);
  CHECK(has(ask("window", R"({"model":"nobody/knows","task":10})"), R"("fit":"unknown")"));
  CHECK(has(ask("window", R"({"model":"nobody/knows","task":10})"), R"("available":null)"));
}

TEST_CASE("window: a profile's effective context and overhead count") {
  WindowPlan plan;
  plan.profile.context_window = 100'000;
  plan.profile.effective_context = 60'000;
  plan.profile.system_prompt_overhead = 4'000;
  plan.system = 1'000;  // less than the overhead, which counts
  const WindowBudget budget = budget_window(plan);
  CHECK(budget.window == 64'000);
  CHECK(budget.system == 4'000);
  CHECK(budget.available == 64'000 - 4'000 - 20'000);
}

TEST_CASE("size: three files fit, four warn, five are too large") {
  const auto size_of = [](std::size_t count) { return size_task(std::vector<TaskFile>(count, TaskFile{10, {}})).size; };
  CHECK(size_of(0) == Size::fits);
  CHECK(size_of(3) == Size::fits);
  CHECK(size_of(4) == Size::warn);
  CHECK(size_of(5) == Size::too_large);
}

TEST_CASE("size: files stay under 40 % of the working memory, and may reach what the model recommends") {
  SizeLimits limits;
  limits.working_memory = 10'000;
  CHECK(size_task(std::vector<TaskFile>{{3'999, {}}}, limits).size == Size::fits);
  CHECK(size_task(std::vector<TaskFile>{{4'000, {}}}, limits).size == Size::too_large);
  limits.recommended_max_file_tokens = 2'000;
  CHECK(size_task(std::vector<TaskFile>{{2'000, {}}}, limits).size == Size::fits);
  CHECK(size_task(std::vector<TaskFile>{{2'001, {}}}, limits).size == Size::too_large);
}

TEST_CASE("size: a decomposition holds every file once, within the limits, behind what it needs") {
  SizeLimits limits;
  limits.working_memory = 10'000;
  std::vector<TaskFile> files = {{2'000, {3}}, {1'500, {}}, {1'000, {}}, {900, {}}, {5'000, {}}, {100, {4}}};
  const TaskSize size = size_task(files, limits);
  CHECK(size.size == Size::too_large);
  std::vector<std::uint32_t> order;
  for (const TaskPart& part : size.parts) {
    CHECK(part.files.size() <= 3);
    CHECK((part.tokens <= 3'999 || part.too_large));
    order.insert(order.end(), part.files.begin(), part.files.end());
  }
  CHECK(order == std::vector<std::uint32_t>{1, 2, 3, 0, 4, 5});
}

TEST_CASE("size: files that wait for each other are named and not cut up") {
  std::vector<TaskFile> files(6);
  files[1].after = {4};
  files[4].after = {2};
  files[2].after = {1};
  const TaskSize size = size_task(files);
  CHECK(size.cycle == std::vector<std::uint32_t>{1, 4, 2});
  CHECK(size.parts.empty());
  files.resize(2);
  files[1].after = {1};
  CHECK(size_task(files).cycle == std::vector<std::uint32_t>{1});
}

TEST_CASE("shares: 8,000 tokens with three parents of 500 leave 3,250, 2,275 and 975") {
  const std::vector<Source> sources = {source(Severity::error, 500, many(100, 50)),
                                       source(Severity::warning, 500, many(100, 25)),
                                       source(Severity::info, 500, many(100, 25))};
  const Shares shares = share_out(8'000, sources);
  CHECK(shares.remaining == 6'500);
  CHECK(shares.share == std::array<Tokens, 3>{3'250, 2'275, 975});
  CHECK(shares.used == std::array<Tokens, 3>{3'250, 2'275, 975});
  CHECK(shares.left == 0);
}

TEST_CASE("shares: what one severity does not use goes to the others, errors first") {
  const std::vector<Source> sources = {source(Severity::error, 0, many(10, 100)),
                                       source(Severity::warning, 0, many(1, 100)),
                                       source(Severity::info, 0, many(10, 100))};
  const Shares shares = share_out(1'000, sources);
  // 500, 350 and 150 are the shares; of 300 left over, errors take three more chunks, info none.
  CHECK(shares.chunks_taken == std::vector<std::uint32_t>{8, 1, 1});
  CHECK(shares.left == 0);
}

TEST_CASE("shares: chunks are taken whole and from the first on") {
  const Shares shares = share_out(100, std::vector<Source>{source(Severity::error, 0, {60, 50, 10})});
  CHECK(shares.chunks_taken == std::vector<std::uint32_t>{1});  // the third would fit, but not in order
  CHECK(shares.left == 40);
}

TEST_CASE("shares: parents that exceed the budget are an overrun, and equal to it they are not") {
  const std::vector<Source> sources = {source(Severity::info, 600, {1}), source(Severity::error, 401, {1})};
  CHECK(share_out(1'000, sources).too_large);
  CHECK(share_out(1'000, sources).overrun == 1);
  CHECK_FALSE(share_out(1'001, sources).too_large);
}

TEST_CASE("assembly: the seed's window of 32K leaves 18,200 tokens for context and the task's output") {
  Layout layout;
  layout.window = 32'000;
  CHECK(layout_parts(layout).margin == 4'800);
  CHECK(layout_parts(layout).context == 18'200);
  layout.task_output = 3'200;
  CHECK(layout_parts(layout).context == 15'000);
  layout.task_output = 18'201;
  CHECK(layout_parts(layout).context == 0);
  CHECK(layout_parts(layout).overrun == 1);
}

TEST_CASE("assembly: conventions are dropped before summaries are trimmed, and these before chunks are cut") {
  const std::vector<Element> elements = {sop(source(Severity::error, 100, many(4, 100))),
                                         element(ElementKind::decision, 100),
                                         element(ElementKind::file_summary, 200),
                                         element(ElementKind::file_summary, 200),
                                         element(ElementKind::convention, 50),
                                         element(ElementKind::convention, 50)};
  const auto tokens_of = [&](Tokens budget) {
    std::vector<Tokens> out;
    for (const Placed& placed : assemble(budget, elements).placed) {
      out.push_back(placed.tokens);
    }
    return out;
  };
  CHECK(tokens_of(1'100) == std::vector<Tokens>{500, 100, 200, 200, 50, 50});
  CHECK(tokens_of(1'099) == std::vector<Tokens>{500, 100, 200, 200, 50, 0});
  CHECK(tokens_of(1'000) == std::vector<Tokens>{500, 100, 200, 200, 0, 0});
  CHECK(tokens_of(950) == std::vector<Tokens>{500, 100, 200, 150, 0, 0});
  CHECK(tokens_of(600) == std::vector<Tokens>{500, 100, 0, 0, 0, 0});
  CHECK(tokens_of(500) == std::vector<Tokens>{400, 100, 0, 0, 0, 0});
  CHECK(tokens_of(200) == std::vector<Tokens>{100, 100, 0, 0, 0, 0});
  CHECK(assemble(200, elements).fit == AssemblyFit::trimmed);
  CHECK(assemble(1'100, elements).fit == AssemblyFit::fits);
}

TEST_CASE("assembly: parents and decisions that exceed the budget are too large, with the overrun, and stay in") {
  const std::vector<Element> elements = {sop(source(Severity::info, 300, {10})), element(ElementKind::decision, 200),
                                         element(ElementKind::convention, 1)};
  const Assembly assembly = assemble(499, elements);
  CHECK(assembly.fit == AssemblyFit::too_large);
  CHECK(assembly.overrun == 1);
  CHECK(assembly.used == 500);
  CHECK(assembly.placed[0].cut == Cut::trimmed);
  CHECK(assembly.placed[1].cut == Cut::whole);
  CHECK(assembly.placed[2].cut == Cut::dropped);
}

TEST_CASE("pressure: each colour begins and ends where it is written") {
  const auto color = [](Tokens used) { return pressure(used, 10'000).color; };
  CHECK(color(0) == Color::green);
  CHECK(color(4'999) == Color::green);
  CHECK(color(5'000) == Color::yellow);
  CHECK(color(6'499) == Color::yellow);
  CHECK(color(6'500) == Color::orange);
  CHECK(color(7'499) == Color::orange);
  CHECK(color(7'500) == Color::red);
  CHECK(color(8'500) == Color::red);
  CHECK(color(8'501) == Color::critical);
  CHECK(color(20'000) == Color::critical);
  CHECK(pressure(1, std::nullopt).color == Color::unknown);
}

TEST_CASE("pressure: 70 % considers a checkpoint, and above it the run pauses") {
  CHECK(pressure(7'000, 10'000).response == Response::warn);
  CHECK_FALSE(pressure(7'000, 10'000).checkpoint);
  CHECK(pressure(7'001, 10'000).response == Response::pause);
  CHECK(pressure(7'001, 10'000).color == Color::orange);
  CHECK(pressure(7'001, 10'000).checkpoint);
}

TEST_CASE("monitor: the larger of estimate and report counts, and growth is the mean since the last checkpoint") {
  const std::vector<ContextSize> readings = {{9'000, {}}, {1'000, 1'200}, {2'000, 1'900}, {{}, 3'200},
                                             {3'000, {}}, {4'100, {}},    {5'000, 5'001}};
  const Monitored now = monitor(readings, 10'000);
  CHECK(now.context_tokens_used == 5'001);
  CHECK(now.pressure.color == Color::yellow);
  CHECK(now.tokens_per_iteration == 1'001);  // 3,000 to 5,001 in two iterations, rounded up
  CHECK(now.iterations_remaining_estimate == 4);
  CHECK(now.iterations_until_pause == 2);  // 7,003
}

TEST_CASE("monitor: one reading has no growth, and what does not grow never ends") {
  CHECK_FALSE(monitor(std::vector<ContextSize>{{100, {}}}, 1'000).tokens_per_iteration);
  const Monitored now = monitor(std::vector<ContextSize>{{100, {}}, {100, {}}}, 1'000);
  CHECK(now.tokens_per_iteration == 0);
  CHECK_FALSE(now.iterations_remaining_estimate);
  CHECK(monitor({}, 1'000).pressure.color == Color::green);
}

TEST_CASE("risk: each signal is quiet at its threshold and answers above it") {
  RiskState state;
  state.retries = 3;
  state.utilization = 7'000;
  CHECK(judge_risk(state).response == Response::observe);
  state.utilization = 7'001;
  CHECK(judge_risk(state).response == Response::pause);
  state.retries = 4;
  CHECK(judge_risk(state).response == Response::escalate);
}

TEST_CASE("risk: files beyond the task warn, and one file of two tasks halts") {
  RiskState state;
  state.task_files = {"src/", "docs/*.md", "./Makefile"};
  state.written = {{"src/a/b.cpp", "docs/x.md", "Makefile"}};
  CHECK(judge_risk(state).response == Response::observe);
  state.written->push_back("docs/deep/x.md");
  state.written->push_back("src/../etc/passwd");
  const Risks risks = judge_risk(state);
  CHECK(risks.response == Response::warn);
  CHECK(risks.signals[2].files == std::vector<std::string>{"docs/deep/x.md", "etc/passwd"});
  state.tasks = {{"one", {"src/a.cpp", "src/a.cpp"}}, {"two", {"src/b.cpp"}}};
  CHECK(judge_risk(state).signals[3].response == Response::observe);
  state.tasks->push_back({"three", {"./src//a.cpp"}});
  CHECK(judge_risk(state).response == Response::halt);
}

TEST_CASE("risk: a policy's steps climb the ladder, and an empty one turns a signal off") {
  Policy policy = policy_default();
  policy[0] = {{0, Response::log}, {1, Response::warn}, {2, Response::escalate}};
  RiskState state;
  for (const auto& [retries, response] :
       {std::pair{0, Response::observe}, {1, Response::log}, {2, Response::warn}, {3, Response::escalate}}) {
    state.retries = static_cast<std::uint64_t>(retries);
    CHECK(judge_risk(state, policy).response == response);
  }
  policy[0].clear();
  CHECK(judge_risk(state, policy).response == Response::observe);
}

TEST_CASE("risk: patterns of files match as paths do") {
  CHECK(path_fits("a/**/z.c", "a/z.c"));
  CHECK(path_fits("a/**/z.c", "a/b/c/z.c"));
  CHECK_FALSE(path_fits("a/*/z.c", "a/b/c/z.c"));
  CHECK(path_fits("**", "anything/at/all"));
  // A name may have a backslash in it: the file is at the top.
  CHECK(path_fits("*.py", "x\\y.py"));
  CHECK_FALSE(path_fits("src/**", "src\\conftest.py"));
  CHECK(path_fits("*.c", "x.c"));
  CHECK_FALSE(path_fits("*.c", "d/x.c"));
  CHECK(path_fits("src\\", "src/x"));
  CHECK_FALSE(path_fits("src/", "srcx/x"));
  CHECK_FALSE(path_fits("a", ""));
  CHECK(path_fits("a?c", "abc"));
  CHECK_FALSE(path_fits("a?c", "a/c"));
}

TEST_CASE("assign: capability, then capacity, then history, then best fit decide, and the reason says so") {
  std::vector<ModelProfile> models(4);
  models[0].name = "large";
  models[0].capabilities = {"coding"};
  models[0].context = {128'000, 100'000, 60'000, 0, {}};
  models[1].name = "small";
  models[1].capabilities = {"coding"};
  models[1].context = {40'000, 32'000, 16'000, 0, {}};
  models[2].name = "writer";
  models[2].capabilities = {"writing"};
  models[2].context = {1'000'000, 1'000'000, 1'000'000, 0, {}};
  models[3].name = "nobody";
  models[3].capabilities = {"coding"};
  Wanted wanted;
  wanted.capability = "coding";
  wanted.window.task = 16'000;
  CHECK(assign(wanted, models, {}).model == 1);  // the smallest sweet spot that fits
  wanted.window.task = 16'001;
  CHECK(assign(wanted, models, {}).model == 0);
  wanted.window.task = 60'001;
  CHECK(assign(wanted, models, {}).model == 0);
  CHECK(assign(wanted, models, {}).beyond_sweet_spot);
  wanted.window.task = 100'001;
  CHECK(assign(wanted, models, {}).model == static_cast<std::size_t>(-1));
  wanted.window.task = 1'000;
  const std::vector<History> history = {{"large", "generate", 100, 95, 5, 0, 0},
                                        {"small", "generate", 100, 60, 9, 0, 0}};
  wanted.phase = "generate";
  CHECK(assign(wanted, models, history).model == 0);
  CHECK(assign(wanted, models, history).reason ==
        "large: 1000 tokens fit its sweet spot of 60000; valid at first in 95 of 100 calls");
  wanted.phase = "judge";
  CHECK(assign(wanted, models, history).model == 1);
}

TEST_CASE("assign: a sweet spot that is not known is none, and comes after one that is") {
  std::vector<ModelProfile> models(2);
  models[0].name = "undescribed";
  models[0].context = {32'000, {}, {}, 0, {}};
  models[1].name = "described";
  models[1].context = {200'000, {}, 50'000, 0, {}};
  Wanted wanted;
  wanted.window.task = 10'000;
  CHECK(assign(wanted, models, {}).model == 1);
  CHECK_FALSE(assign(wanted, models, {}).beyond_sweet_spot);
  models.resize(1);
  const Assignment alone = assign(wanted, models, {});
  CHECK(alone.model == 0);
  CHECK(alone.beyond_sweet_spot);
  CHECK(alone.reason ==
        "undescribed: 10000 tokens fit its window of 32000, its sweet spot is not known; no history; "
        "no model has a known sweet spot that large");
}

TEST_CASE("assign: whom it takes, the window says the task fits; whom the window refuses, it does not take") {
  const std::vector<Tokens> tasks = {0,      1'000,  5'000,  30'000, 35'200,  35'201,
                                     43'200, 43'201, 94'400, 94'401, 120'000, 160'000};
  for (const Tokens context_window : std::vector<Tokens>{16'000, 64'000, 128'000, 200'000}) {
    for (const Tokens task : tasks) {
      for (const bool effective : {false, true}) {
        std::vector<ModelProfile> models(1);
        models[0].name = "one";
        models[0].context.context_window = context_window;
        models[0].context.system_prompt_overhead = 500;
        if (effective) {
          models[0].context.effective_context = context_window * 3 / 4;
          models[0].context.sweet_spot = context_window / 2;
        }
        Wanted wanted;
        wanted.window.task = task;
        WindowPlan plan = wanted.window;
        plan.profile = models[0].context;
        CAPTURE(context_window);
        CAPTURE(task);
        CHECK((assign(wanted, models, {}).model == 0) == (budget_window(plan).fit == Fit::fits));
      }
    }
  }
}

TEST_CASE("models: one model has one name, with or without its provider, and snapshots count for it") {
  std::vector<ModelProfile> models(4);
  models[0].name = "openai/gpt-4o";
  models[1].name = "azure/gpt-4o";
  models[2].name = "gpt-4o-2024-05-13";
  models[3].name = "qwen3:8b";
  CHECK(find_model(models, "openai/gpt-4o") == 0);
  CHECK(find_model(models, "azure/gpt-4o") == 1);
  CHECK(find_model(models, "gpt-4o") == 0);
  CHECK(find_model(models, "openai/gpt-4o-2024-08-06") == 0);
  CHECK(find_model(models, "azure/gpt-4o-2024-08-06") == 1);
  CHECK(find_model(models, "openai/gpt-4o-2024-05-13") == 2);  // described of its own
  CHECK(find_model(models, "ollama/qwen3:8b") == 3);
  CHECK(find_model(models, "ollama/qwen3:14b") == no_model);
  CHECK(find_model(models, "openai/gpt-4o-mini") == no_model);
  CHECK(find_model(models, "other/gpt-4o") == no_model);
  CHECK(find_model(models, "4o") == no_model);
  Wanted wanted;
  wanted.phase = "generate";
  models[0].context.context_window = 128'000;
  const std::vector<History> history = {{"openai/gpt-4o-2024-08-06", "generate", 6, 5, 0, 0, 0},
                                        {"gpt-4o", "generate", 4, 4, 1, 0, 0}};
  const Assignment out = assign(wanted, models, history);
  CHECK(out.candidates[0].calls == 10);
  CHECK(out.candidates[0].valid_at_first == 9);
  CHECK(out.candidates[1].calls == 0);
}

TEST_CASE("profile: one that contradicts itself is named, member by member") {
  const auto count = [](const ContextProfile& profile) { return contradictions(profile).size(); };
  CHECK(count({100, 90, 80, 10, 50}) == 0);
  CHECK(count({100, 101, {}, 0, {}}) == 1);
  CHECK(count({100, 91, {}, 10, {}}) == 1);
  CHECK(count({100, {}, 101, 0, {}}) == 1);
  CHECK(count({100, {}, {}, 100, {}}) == 1);
  CHECK(count({0, {}, {}, 0, {}}) == 1);
  CHECK(count({{}, {}, {}, 0, {}}) == 0);
}

TEST_CASE("models: snapshots and prefixes are found under the name itself, and nothing else is") {
  CHECK(built_in_model("gpt-4o-2024-08-06")->name == "gpt-4o");
  CHECK(built_in_model("openai/gpt-4o-mini")->name == "gpt-4o-mini");
  CHECK(built_in_model("claude-3-5-sonnet-20241022")->name == "claude-3-5-sonnet");
  CHECK(built_in_model("openrouter/openai/gpt-4o-2024-08-06")->name == "gpt-4o");
  CHECK(built_in_model("claude-sonnet-4@20250514")->name == "claude-sonnet-4");
  CHECK(built_in_model("claude-sonnet-4-5-20250929")->name == "claude-sonnet-4-5");  // no snapshot of claude-sonnet-4
  CHECK(built_in_model("claude-sonnet-4-6-20260101") == nullptr);
  CHECK(built_in_model("gpt-4-32k") == nullptr);
  CHECK(built_in_model("gpt-4o-audio-preview") == nullptr);
  CHECK(built_in_model("") == nullptr);
}

TEST_CASE("requests: every fault is a finding with its place, and nothing is answered") {
  CHECK(has(ask("window", ""), R"({"valid":false,"findings":[{"rule":"syntax","severity":"error","at":"",)"));
  CHECK(has(ask("window", ""), "must be one JSON object: "));
  for (const char* bad : {R"({"window":-1})", R"({"window":0})", R"({"window":1.5})", R"({"window":1e300})",
                          R"({"window":1000000000001})", R"({"window":"many"})", R"({"task":true})", R"({"windw":1})",
                          R"({"margin_percent":101})", R"({"margin_percent":1.234})", R"([])", R"("x")", "null"}) {
    CAPTURE(bad);
    const std::string said = ask("window", bad);
    CHECK(has(said, R"({"valid":false,"findings":[{"rule":")"));
    CHECK_FALSE(has(said, "available"));
  }
  CHECK(has(ask("window", R"({"windw":1})"), "did you mean 'window'?"));
  CHECK(has(ask("window", R"({"window":null,"task":null})"), R"("valid":true,"fit":"unknown")"));
  CHECK(has(ask("window", R"({"window":1000000000000,"task":1e12})"), R"("available":-200000000000)"));
}

TEST_CASE("requests: every operation takes an empty object, null and the wrong kinds without a crash") {
  for (const Operation& operation : operations()) {
    CAPTURE(std::string(operation.name));
    for (const char* text : {"{}", "null", "[]", "{",
                             R"({"files":[null,1,{}],"elements":[{}],"sources":[[]],)"
                             R"("readings":[{}],"calls":[{"tool":1}],"models":[{"name":1}]})"}) {
      const std::string said = answer(operation, text);
      CHECK((has(said, R"({"valid":true,)") || has(said, R"({"valid":false,"findings":[{"rule")")));
    }
  }
}

TEST_CASE("requests: more findings than can be listed are counted") {
  std::string text = R"({"files":[)";
  for (int i = 0; i < 300; ++i) {
    text += i == 0 ? "1" : ",1";
  }
  const std::string said = ask("size", text + "]}");
  CHECK(has(said, R"("findings_more":)"));
}

TEST_CASE("loops: the same call three times is one, and a poll, another result or a change between is none") {
  const std::string same = R"({"tool":"read","arguments":{"path":"a","n":1}})";
  const std::string other_order = R"({"tool":"read","arguments":{"n":1.0,"path":"a"}})";
  CHECK(has(ask("loops", R"({"calls":[)" + same + "," + same + "]}"), R"("looping":false)"));
  CHECK(has(ask("loops", R"({"calls":[)" + same + "," + other_order + "," + same + "]}"), R"("looping":true,)"));
  CHECK(has(ask("loops", R"({"polling":["read"],"calls":[)" + same + "," + same + "," + same + "]}"),
            R"("looping":false)"));
  CHECK(has(ask("loops", R"({"calls":[)" + same + "," + same + R"(,{"tool":"edit","changes":true},)" + same + "]}"),
            R"("looping":false)"));
  CHECK(has(ask("loops", R"({"calls":[{"tool":"t","result":1},{"tool":"t","result":2},{"tool":"t","result":3}]})"),
            R"("looping":false)"));
}

TEST_CASE("loops: the same question in other words is one, and another page is another question") {
  const auto search = [](const char* query) {
    return std::string(R"({"tool":"search","arguments":{"query":")") + query + "\"}}";
  };
  CHECK(has(ask("loops", R"({"calls":[)" + search("revenue of Acme in 2023") + "," + search("Acme revenue in 2023") +
                             "," + search("the revenue of Acme, 2023") + "," + search("2023 revenue of Acme") + "]}"),
            R"("kind":"near_identical")"));
  CHECK(has(ask("loops", R"({"calls":[)" + search("results page 1") + "," + search("results page 2") + "," +
                             search("results page 3") + "," + search("results page 4") + "]}"),
            R"("looping":false)"));
}
