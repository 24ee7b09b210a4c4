// Research runs in memory: who is asked is a script, what is searched is a small corpus of texts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/machine.hpp"

namespace plumb::test {

// A search provider over a few texts: the passages that have most of the query's words, best first.
struct SmallCorpus {
  struct File {
    std::string name;
    std::string title;
    std::string text;
  };
  std::vector<File> files;
  // The value of the reply to a search effect.
  std::string search(const json::Value& request) const;
};
// Three files about a package manager, with numbers, options and paths in them.
SmallCorpus package_docs();

struct ResearchRun {
  // Answers of a role, first to last, the last one again and again; roles without a script are `extract`.
  std::map<std::string, std::vector<std::string>> script;
  // The reply to a search; empty: package_docs().
  std::function<run::Reply(const json::Value& request)> search;
  // What a person answers to each question.
  std::vector<std::string> person;
  // Before each effect is answered; may send signals or cancel.
  std::function<void(run::Machine& machine, const run::Want& want)> before;
  std::uint64_t call_ms = 1;
  std::uint64_t tokens_each = 0;  // that a scripted answer costs
  // What a scripted answer becomes where its provider holds it to the contract that is sent, by its text; empty:
  // itself.
  std::function<std::string(const std::string& contract, const std::string& text)> held;

  // Runs the request to its end, or until a person is asked and has no more answers.
  void go(const std::string& request);
  // Goes on with the first `count` entries of a journal.
  void go_on(const std::string& journal, std::size_t count);

  run::Machine& machine() { return *machine_; }
  const json::Value& result() const;
  std::string view() const;
  std::vector<const json::Value*> notes(std::string_view kind) const;
  // The gates that fired, each once: "researcher query-novel rejected".
  std::vector<std::string> gates() const;
  std::size_t calls(std::string_view role) const;
  std::string prompts(std::string_view role) const;  // all messages that a role was sent
  std::vector<std::string> phases;                   // of the calls, "brain brain": role and phase
  std::size_t searches = 0;
  std::string file;  // the journal

 private:
  void drive();
  run::Reply answer(const run::Want& want);
  std::unique_ptr<run::Machine> machine_;
  run::Pins pins_;
  std::map<std::string, std::size_t> asked_;
  std::map<std::string, std::string> prompts_;
  std::size_t person_asked_ = 0;
  std::uint64_t now_ = 1'760'000'000'000;
};

// A run in which authors break every gate of the roles at least once, and the report is cited all the same.
void every_gate(ResearchRun& run);
inline constexpr const char* every_gate_request =
    R"({"question":"Explore dpkg-ng.","constraints":["Debian"],"judge":"model",)"
    R"("search":{"providers":["corpus"],"lookup":["searxng"]}})";

inline constexpr const char* two_questions_request =
    R"({"question":"Who wrote the tool dpkg, and which option of apt-get removes configuration files?"})";

// The ids of the rules of a built-in contract that block.
std::vector<std::string> blocking_rules(std::string_view contract);
// The titles of all rules of a contract.
std::vector<std::string> rule_titles(const contract::Contract& contract);

}  // namespace plumb::test
