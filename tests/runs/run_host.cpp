// run_host: a host in the smallest sense, for tests that hand runs from one host to another. Effects are answered by
// scripted_reply(); a journal file comes out.
//
//   run_host start PIPELINE ID NOW [ENTRIES] < request.json    begins a run; stops when it has so many entries
//   run_host resume NOW [ENTRIES] < journal                    goes on with one; a signal "sign" comes when it waits
//   run_host replay < journal                                  "same N", or "differs N" and both lines; exit code 1
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"
#include "core/run/replay.hpp"
#include "tests/runs/pipelines.hpp"

namespace {

using namespace plumb;
using namespace plumb::run;

int fails(const Error& error) {
  std::cerr << error.message << " (" << error.where << ", line " << error.line << ")\n";
  return 2;
}

// Until the run ends or its journal has so many entries. Nothing waits for ever: what waits for no reply gets its
// signal, once.
int drive(Machine machine, std::uint64_t now, std::uint64_t entries_max, std::string file) {
  std::uint64_t entries = 0;
  bool stopped = false;
  const auto store = [&] {
    for (const Stored& one : machine.take()) {
      if (one.number >= entries_max) {
        stopped = true;
        return;
      }
      append_to_file(file, one);
      entries = one.number;
    }
  };
  bool signed_once = false;
  while (!stopped && machine.step(++now) == State::waiting) {
    store();
    for (const Want& want : machine.wanted()) {
      machine.attempt(want.key, ++now);
    }
    store();
    const std::vector<Want> under_way = machine.under_way();
    if (stopped) {
      break;
    }
    if (!under_way.empty()) {
      machine.reply(under_way.back().key, test::scripted_reply(under_way.back()), ++now);
    } else if (!std::exchange(signed_once, true)) {
      machine.signal("sign", Data::string("native"), ++now);
    } else {
      std::cerr << "the run waits for nothing that this host has\n";
      return 2;
    }
    store();
  }
  store();
  std::cout << file;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string input{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  const auto number = [&](std::size_t at) {
    return at < words.size() ? std::strtoull(words[at].c_str(), nullptr, 10)
                             : std::numeric_limits<std::uint64_t>::max();
  };
  if (words.size() >= 4 && words[0] == "start") {
    const pipelines::Known* known = test::run_pipeline(words[1]);
    json::Arena arena;
    const Result<json::Value> request = json::parse(input, arena);
    if (known == nullptr || !request) {
      std::cerr << "no such pipeline, or no JSON\n";
      return 2;
    }
    const Result<pipelines::Prepared> prepared = known->prepare(request.value(), {});
    if (!prepared) {
      return fails(prepared.error());
    }
    return drive(
        Machine::start(known->pipeline, words[2], prepared.value().input, prepared.value().pins, {}, number(3)),
        number(3), number(4), {});
  }
  const Result<JournalFile> file = JournalFile::read(input);
  if (!file) {
    return fails(file.error());
  }
  Result<Journal> journal = file.value().journal();
  if (!journal) {
    return fails(journal.error());
  }
  const pipelines::Known* known = test::run_pipeline(journal.value().begin().name);
  if (known == nullptr) {
    std::cerr << "no such pipeline\n";
    return 2;
  }
  if (words.size() >= 2 && words[0] == "resume") {
    Result<Machine> machine = Machine::resume(known->pipeline, std::move(journal).value(), {}, number(1));
    if (!machine) {
      return fails(machine.error());
    }
    return drive(std::move(machine).value(), number(1), number(2), input);
  }
  if (!words.empty() && words[0] == "replay") {
    const Result<Replayed> again = replay(known->pipeline, file.value());
    if (!again) {
      return fails(again.error());
    }
    std::cout << (again.value().same ? "same " : "differs ") << again.value().entries << "\n";
    if (!again.value().same) {
      std::cout << again.value().stored << "\n" << again.value().now << "\n";
    }
    return again.value().same ? 0 : 1;
  }
  std::cerr << "run_host start PIPELINE ID NOW [ENTRIES] | resume NOW [ENTRIES] | replay\n";
  return 2;
}
