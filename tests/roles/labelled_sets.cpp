#include "tests/roles/labelled_sets.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/json/writer.hpp"

namespace plumb::roles_test {

namespace {

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

bool has(const Labelled& one, std::string_view letters) {
  return one.labels != "ok" && one.labels.find_first_of(letters) != std::string::npos;
}

// A rule: the contract, how an item becomes an artifact and a context, and which labels break it.
struct Rule {
  const char* set;
  const char* name;      // of the table, and of the rule in a built-in contract
  std::string contract;  // the name of a built-in one, or a text
  const char* letters;
  std::function<std::string(const Labelled&)> artifact;
  std::function<bool(const Labelled&)> counts;  // which items are about this rule
};

std::string brief(const std::string& objective, const std::string& criterion) {
  return R"([{"tool":"startResearch","arguments":{"objective":)" + quoted(objective) + R"(,"successCriteria":[)" +
         quoted(criterion) + "]}}]";
}

std::string decision(const Labelled& one) {
  std::string missing = R"({"entity":"x","attribute":"y"})";
  if (!one.missing.empty()) {
    static const char* const names[] = {"entity", "attribute", "scope"};
    missing = "{";
    std::size_t from = 0;
    for (const char* name : names) {
      if (from > one.missing.size()) {
        break;
      }
      const std::size_t to = std::min(one.missing.find("; ", from), one.missing.size());
      missing += (missing.size() > 1 ? "," : "") + quoted(name) + ":" + quoted(one.missing.substr(from, to - from));
      from = to + 2;
    }
    missing += "}";
  }
  return R"({"reasoning":"-","decision":"continue","missing":)" + missing + R"(,"query":)" + quoted(one.text) + "}";
}

std::string plan(const Labelled& one) {
  return R"({"decision":"continue","questions":[{"question":)" + quoted(one.text) +
         R"(,"description":"-","goal":"-"}]})";
}

std::vector<Rule> rules() {
  const auto every = [](const Labelled&) { return true; };
  const auto alone = [](const Labelled& one) { return quoted(one.text); };
  const auto objective = [](const Labelled& one) { return brief(one.text, "-"); };
  const auto criterion = [](const Labelled& one) { return brief("-", one.text); };
  return {
      {"objectives", "maxSentences", R"({"maxSentences":1})", "S", alone, every},
      {"objectives", "avoids exploratory, vague", R"({"avoids":["exploratory","vague"]})", "W", alone, every},
      {"objectives", "avoids bare-topic", R"({"avoids":["bare-topic"]})", "T", alone, every},
      {"objectives", "objective-concrete", "intake", "SWT", objective, every},
      {"criteria", "criteria-checkable", "intake", "V", criterion, every},
      {"questions", "single-unknown", "brain-evaluate", "U", plan, every},
      {"questions", "standalone", "brain-evaluate", "A", plan, every},
      {"questions", "evidence-aimed", "brain-evaluate", "P", plan, every},
      {"questions", "no-broad-exploration", "brain-evaluate", "W", plan, every},
      {"questions", "no-search-query", "brain-evaluate", "Q", plan, every},
      {"queries", "query-not-vague", "researcher-evaluate", "W", decision, every},
      {"queries", "avoids keyword-soup", R"({"avoids":["keyword-soup"]})", "K", alone, every},
      {"queries", "avoids search-operators", R"({"avoids":["search-operators"]})", "O", alone, every},
      {"queries", "query-natural", "researcher-evaluate", "KO", decision, every},
      {"queries", "query-specific", "researcher-evaluate", "M", decision,
       [](const Labelled& one) { return !one.missing.empty(); }},
      {"queries", "query-novel", "researcher-evaluate", "D", decision,
       [](const Labelled& one) { return !one.earlier.empty(); }},
  };
}

contract::Outcome judge(const Rule& rule, const contract::Contract& contract, const Labelled& one) {
  const std::string context =
      one.earlier.empty() ? std::string(R"({"history":[]})")
                          : R"({"history":[{"query":)" + quoted(one.earlier) + R"(,"answer":"-","sources":[]}]})";
  contract::CheckOptions options;
  options.context = context;
  const contract::Verdict verdict = contract::check_text(contract, rule.artifact(one), options);
  if (rule.contract.front() == '{') {
    return !verdict.valid              ? contract::Outcome::broken
           : verdict.undecided.empty() ? contract::Outcome::holds
                                       : contract::Outcome::undecided;
  }
  for (const contract::ScorecardLine& line : verdict.scorecard) {
    if (line.id == rule.name) {
      return line.outcome;
    }
  }
  return contract::Outcome::undecided;
}

void count(Confusion& confusion, const Labelled& one, bool positive, contract::Outcome outcome) {
  using contract::Outcome;
  const auto fault = [&](const char* what) {
    confusion.faults.push_back(std::string(what) + " " + confusion.rule + " | " + one.labels + " | " + one.text);
  };
  if (positive) {
    confusion.caught += outcome == Outcome::broken ? 1 : 0;
    confusion.left_open += outcome == Outcome::undecided ? 1 : 0;
    if (outcome == Outcome::holds) {
      ++confusion.missed;
      fault("missed");
    }
    return;
  }
  confusion.passed += outcome == Outcome::holds ? 1 : 0;
  confusion.open_though_good += outcome == Outcome::undecided ? 1 : 0;
  if (outcome == Outcome::broken) {
    ++confusion.wrongly_broken;
    fault("wrongly broken");
  }
}

std::string percent(unsigned permille) {
  return std::to_string(permille / 10) + "." + std::to_string(permille % 10) + " %";
}

}  // namespace

std::vector<Labelled> read_set(const std::string& path) {
  std::vector<Labelled> set;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (line.front() == ' ') {
      const std::size_t colon = line.find(": ");
      std::string& to = line.substr(2, colon - 2) == "missing" ? set.back().missing : set.back().earlier;
      to = line.substr(colon + 2);
      continue;
    }
    Labelled one;
    const std::size_t bar = line.find(" | ");
    one.labels = line.substr(0, bar);
    one.text = line.substr(bar + 3);
    one.line = number;
    for (std::size_t at = one.text.find("\\n"); at != std::string::npos; at = one.text.find("\\n", at)) {
      one.text.replace(at, 2, "\n");
    }
    set.push_back(std::move(one));
  }
  return set;
}

unsigned Confusion::precision_permille() const {
  const unsigned all = caught + wrongly_broken;
  return all == 0 ? 1000 : (caught * 1000 + all / 2) / all;
}

unsigned Confusion::recall_permille() const {
  const unsigned all = caught + missed + left_open;
  return all == 0 ? 1000 : (caught * 1000 + all / 2) / all;
}

std::vector<Confusion> measure(const std::string& folder, std::string_view half) {
  std::vector<Confusion> all;
  for (const Rule& rule : rules()) {
    const contract::BuiltIn* built_in = contract::built_in_contract(rule.contract);
    const contract::Contract contract =
        contract::Contract::read(built_in != nullptr ? built_in->text : rule.contract).value();
    Confusion confusion;
    confusion.set = rule.set;
    confusion.rule = rule.name;
    for (const Labelled& one : read_set(folder + "/" + rule.set + "_" + std::string(half) + ".txt")) {
      if (rule.counts(one)) {
        count(confusion, one, has(one, rule.letters), judge(rule, contract, one));
      }
    }
    all.push_back(std::move(confusion));
  }
  return all;
}

std::string table(const std::vector<Confusion>& all) {
  std::string out =
      "| set | rule | caught | missed | left open | wrongly broken | good, left open | good, passed | precision | "
      "recall |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  for (const Confusion& one : all) {
    out += "| " + one.set + " | " + one.rule;
    for (const unsigned number :
         {one.caught, one.missed, one.left_open, one.wrongly_broken, one.open_though_good, one.passed}) {
      out += " | " + std::to_string(number);
    }
    out += " | " + percent(one.precision_permille()) + " | " + percent(one.recall_permille()) + " |\n";
  }
  return out;
}

}  // namespace plumb::roles_test
