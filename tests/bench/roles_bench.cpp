// roles_bench FOLDER [faults]: the labelled sets of FOLDER judged by the rules of the role contracts, as a table of
// each half, and what scorecards and near-duplicate checks cost. With `faults`: each line that was judged wrongly.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/json/writer.hpp"
#include "core/text/novelty.hpp"
#include "tests/roles/labelled_sets.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Cost {
  double median = 0;
  double best = 0;
};

Cost milliseconds(const std::function<void()>& work, int times) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    const auto began = Clock::now();
    work();
    all.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
  }
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all.front()};
}

std::string quoted(const std::string& text) {
  std::string out;
  plumb::json::append_string(out, text);
  return out;
}

// About `size` bytes of questions, no two alike.
std::string prose(std::size_t size) {
  std::string out;
  for (int i = 0; out.size() < size; ++i) {
    out += "How many cars of type " + std::to_string(i) + " did the firm in region " + std::to_string(i * 7 % 97) +
           " deliver in 2022, and at which price? ";
  }
  return out;
}

std::vector<std::string> queries(std::size_t count) {
  const char* firms[] = {"Tesla", "Siemens", "Nokia", "Zalando", "OMV", "Bosch", "Lidl", "Infineon", "Spotify", "BYD"};
  const char* asked[] = {"revenue", "headcount", "deliveries", "net profit", "energy use", "market share", "patents"};
  const char* places[] = {"Norway", "Austria", "Chile", "Japan", "Kenya", "Peru", "Spain"};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back("What was the " + std::string(asked[i % 7]) + " of " + firms[i / 7 % 10] + " unit " +
                  std::to_string(i / 490) + " in " + places[i / 70 % 7] + " in " + std::to_string(1990 + i % 35) + "?");
  }
  return out;
}

void costs() {
  using namespace plumb;
  std::puts("\n| what | ms, median | ms, best |\n| --- | --: | --: |");
  const auto row = [](const char* what, Cost ms) { std::printf("| %s | %.3f | %.3f |\n", what, ms.median, ms.best); };

  const contract::Contract intake = contract::Contract::read(contract::built_in_contract("intake")->text).value();
  const std::string objective = R"([{"tool":"startResearch","arguments":{"objective":)" + quoted(prose(7600)) +
                                R"(,"successCriteria":["At least three sources from 2022 are cited."]}}])";
  contract::Check check(intake);
  row("scorecard of intake, 8 KB", milliseconds(
                                       [&] {
                                         check.whole(objective);
                                         check.reset();
                                       },
                                       200));

  const contract::Contract brain =
      contract::Contract::read(contract::built_in_contract("brain-evaluate")->text).value();
  const std::string plan = R"({"decision":"continue","questions":[{"question":)" + quoted(prose(2600)) +
                           R"(,"description":)" + quoted(prose(2600)) + R"(,"goal":)" + quoted(prose(2600)) + "}]}";
  contract::Check brain_check(brain);
  row("scorecard of brain-evaluate, 8 KB", milliseconds(
                                               [&] {
                                                 brain_check.whole(plan);
                                                 brain_check.reset();
                                               },
                                               200));

  const contract::Contract search = contract::Contract::read(contract::built_in_contract("search")->text).value();
  const std::string result =
      R"({"answer":)" + quoted(prose(7600)) + R"(,"sources":[{"title":"Report","url":"https://example.org/report"}]})";
  contract::CheckOptions no_history;
  no_history.context = R"({"history":[]})";
  contract::Check search_check(search, no_history);
  row("scorecard of search, 8 KB", milliseconds(
                                       [&] {
                                         search_check.whole(result);
                                         search_check.reset();
                                       },
                                       200));

  const std::vector<std::string> earlier = queries(10000);
  text::Earlier known;
  row("10,000 queries read into the index", milliseconds(
                                                [&] {
                                                  known = {};
                                                  for (const std::string& query : earlier) {
                                                    known.add(query);
                                                  }
                                                },
                                                5));
  std::size_t i = 0;
  row("near-duplicate check against 10,000 queries, new",
      milliseconds(
          [&] { known.judge("Which minister of " + std::to_string(i++) + " signed the treaty on rivers in Peru?"); },
          200));
  row("near-duplicate check against 10,000 queries, near",
      milliseconds([&] { known.judge("the " + earlier[i++ * 37 % 10000].substr(13)); }, 200));

  const contract::Contract researcher =
      contract::Contract::read(contract::built_in_contract("researcher-evaluate")->text).value();
  std::string history = R"({"history":[)";
  for (std::size_t n = 0; n < 20; ++n) {
    history += (n == 0 ? "" : ",") + std::string(R"({"query":)") + quoted(earlier[n * 13]) + R"(,"answer":)" +
               quoted(prose(2000)) + R"(,"sources":[{"title":"Report","url":"https://example.org/)" +
               std::to_string(n) + R"("}]})";
  }
  history += "]}";
  contract::CheckOptions with_history;
  with_history.context = history;
  const std::string next =
      R"({"reasoning":"The one missing evidence piece is: the revenue.","decision":"continue",)"
      R"("missing":{"entity":"Nokia","attribute":"revenue"},"query":"What was the revenue of Nokia?"})";
  row("researcher-evaluate with a history of 20 answers of 2 KB, measured anew", milliseconds(
                                                                                     [&] {
                                                                                       contract::Check anew(
                                                                                           researcher, with_history);
                                                                                       anew.whole(next);
                                                                                     },
                                                                                     50));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: roles_bench FOLDER [faults]\n", stderr);
    return 2;
  }
  const bool faults = argc > 2 && std::string(argv[2]) == "faults";
  for (const char* half : {"tuning", "heldout"}) {
    const std::vector<plumb::roles_test::Confusion> all = plumb::roles_test::measure(argv[1], half);
    std::printf("%s\n\n%s\n", half, plumb::roles_test::table(all).c_str());
    for (const plumb::roles_test::Confusion& one : all) {
      for (const std::string& fault : one.faults) {
        if (faults) {
          std::printf("%s: %s\n", half, fault.c_str());
        }
      }
    }
  }
  costs();
  return 0;
}
