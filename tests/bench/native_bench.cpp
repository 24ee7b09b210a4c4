// The native benchmarks: plumb_bench DATA-FOLDER CONTRACTS-FOLDER [Google Benchmark's own flags].
//
// From bytes in memory to verdict, one artifact after another: ours whole and in pieces of 20 bytes, RapidJSON and
// simdjson (tests/bench/peers.hpp), and how long a contract takes to compile. Before it measures, it makes sure that
// every side finds the valid file valid and a damaged one broken, so that nobody is fast by not looking.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "tests/bench/peers.hpp"

namespace {

using plumb::bench::Artifact;
using plumb::bench::RapidJsonPeer;
using plumb::bench::SimdJsonPeer;
using plumb::contract::Check;
using plumb::contract::Contract;

struct Case {
  Artifact artifact;
  std::string contract;
  std::string file;
  std::string text;  // padded behind its size for simdjson
  std::size_t size = 0;
};

bool read_file(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  text.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

std::optional<Contract> read_contract(std::string_view name, std::string_view text) {
  plumb::contract::ReadOptions options;
  options.name = name;
  auto contract = Contract::read(text, options);
  if (!contract) {
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(name.size()), name.data(), contract.error().message.c_str());
    return std::nullopt;
  }
  return std::move(contract).value();
}

// The file with one thing broken: the first string that every contract wants filled is made blank.
std::string damaged(const Case& one) {
  std::string text = one.text.substr(0, one.size);
  const char* key = one.artifact == Artifact::quiz         ? "\"explanation\": \""
                    : one.artifact == Artifact::flashcards ? "\"back\": \""
                                                           : "\"label\": \"";
  const std::size_t from = text.rfind(key) + std::string_view(key).size();
  std::size_t to = from;
  while (text[to] != '"') {
    to += text[to] == '\\' ? 2U : 1U;
  }
  return text.replace(from, to - from, " ");
}

// The file with the member that ends it taken away: what a schema alone finds too.
std::string without_member(const Case& one) {
  std::string text = one.text.substr(0, one.size);
  const char* key = one.artifact == Artifact::quiz         ? "\"explanation\""
                    : one.artifact == Artifact::flashcards ? "\"back\""
                                                           : "\"children\"";
  const std::size_t at = text.rfind(key);
  return text.replace(at + 1, 1, "_");
}

struct Sides {
  const Contract& contract;
  const RapidJsonPeer& rapidjson;
  SimdJsonPeer& simdjson;
};

bool agree(const Case& one, const Sides& sides) {
  const auto padded = [](std::string text, std::size_t& size) {
    size = text.size();
    text.resize(size + SimdJsonPeer::padding(), ' ');
    return text;
  };
  bool good = true;
  const auto expect = [&](const char* who, bool broken, bool expected) {
    if (broken != expected) {
      std::fprintf(stderr, "%s: %s says %s\n", one.file.c_str(), who, broken ? "broken" : "valid");
      good = false;
    }
  };
  const std::string_view whole(one.text.data(), one.size);
  expect("plumb", !plumb::contract::check_text(sides.contract, whole).valid, false);
  expect("rapidjson", sides.rapidjson.broken(whole) != 0, false);
  expect("simdjson", sides.simdjson.broken(one.artifact, whole) != 0, false);
  std::size_t size = 0;
  const std::string blank = padded(damaged(one), size);
  expect("plumb (blank)", !plumb::contract::check_text(sides.contract, {blank.data(), size}).valid, true);
  expect("simdjson (blank)", sides.simdjson.broken(one.artifact, {blank.data(), size}) != 0, true);
  const std::string missing = padded(without_member(one), size);
  expect("plumb (missing)", !plumb::contract::check_text(sides.contract, {missing.data(), size}).valid, true);
  expect("rapidjson (missing)", sides.rapidjson.broken({missing.data(), size}) != 0, true);
  expect("simdjson (missing)", sides.simdjson.broken(one.artifact, {missing.data(), size}) != 0, true);
  return good;
}

void count_bytes(benchmark::State& state, std::size_t size) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(size));
}

void in_pieces(benchmark::State& state, const Contract& contract, std::string_view text, std::size_t piece) {
  Check check(contract);
  std::vector<plumb::contract::Finding> certain;
  for (auto _ : state) {
    for (std::size_t i = 0; i < text.size(); i += piece) {
      check.push(text.substr(i, piece), certain);
    }
    benchmark::DoNotOptimize(check.end());
    check.reset();
    certain.clear();
  }
  count_bytes(state, text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: plumb_bench DATA-FOLDER CONTRACTS-FOLDER [--benchmark_...]\n");
    return 2;
  }
  const std::string data = std::string(argv[1]) + "/";
  const std::string contracts = std::string(argv[2]) + "/";
  argv[2] = argv[0];
  argc -= 2;
  argv += 2;
  benchmark::Initialize(&argc, argv);

  struct Row {
    Artifact artifact;
    const char* contract;
    const char* file;
  };
  constexpr Row rows[] = {
      {Artifact::quiz, "quiz", "quiz_10"},
      {Artifact::quiz, "quiz", "quiz_8kb"},
      {Artifact::quiz, "quiz", "quiz_1000"},
      {Artifact::quiz, "quiz", "quiz_20000"},
      {Artifact::flashcards, "flashcards", "flashcards_10"},
      {Artifact::flashcards, "flashcards", "flashcards_1000"},
      {Artifact::flashcards, "flashcards", "flashcards_20000"},
      {Artifact::mindmap, "mindmap", "mindmap_50"},
      {Artifact::mindmap, "mindmap", "mindmap_5000"},
      {Artifact::mindmap, "mindmap", "mindmap_100000"},
  };
  std::vector<std::unique_ptr<Case>> cases;
  std::vector<std::unique_ptr<Contract>> read;
  std::vector<std::unique_ptr<RapidJsonPeer>> rapid;
  SimdJsonPeer simd;
  bool good = true;
  for (const Row& row : rows) {
    auto one = std::make_unique<Case>();
    one->artifact = row.artifact;
    one->contract = row.contract;
    one->file = row.file;
    std::string contract_text;
    if (!read_file(data + row.file + ".json", one->text) ||
        !read_file(contracts + row.contract + ".json", contract_text)) {
      return 1;
    }
    one->size = one->text.size();
    one->text.resize(one->size + SimdJsonPeer::padding(), ' ');
    std::optional<Contract> contract = read_contract(row.contract, contract_text);
    if (!contract) {
      return 1;
    }
    read.push_back(std::make_unique<Contract>(std::move(*contract)));
    rapid.push_back(std::make_unique<RapidJsonPeer>(contract_text));
    cases.push_back(std::move(one));
    const Case& added = *cases.back();
    const Contract& its_contract = *read.back();
    const RapidJsonPeer& its_rapid = *rapid.back();
    good = agree(added, {its_contract, its_rapid, simd}) && good;

    const std::string_view text(added.text.data(), added.size);
    const std::string name = std::string("/") + row.file;
    benchmark::RegisterBenchmark(("plumb" + name).c_str(), [text, &its_contract](benchmark::State& state) {
      Check check(its_contract);
      for (auto _ : state) {
        benchmark::DoNotOptimize(check.whole(text));
        check.reset();
      }
      count_bytes(state, text.size());
    });
    benchmark::RegisterBenchmark(("plumb check_text" + name).c_str(), [text, &its_contract](benchmark::State& state) {
      for (auto _ : state) {
        benchmark::DoNotOptimize(plumb::contract::check_text(its_contract, text));
      }
      count_bytes(state, text.size());
    });
    benchmark::RegisterBenchmark(("plumb 20 bytes" + name).c_str(), [text, &its_contract](benchmark::State& state) {
      in_pieces(state, its_contract, text, 20);
    });
    benchmark::RegisterBenchmark(("rapidjson" + name).c_str(), [text, &its_rapid](benchmark::State& state) {
      for (auto _ : state) {
        benchmark::DoNotOptimize(its_rapid.broken(text));
      }
      count_bytes(state, text.size());
    });
    benchmark::RegisterBenchmark(("simdjson" + name).c_str(), [&added, text, &simd](benchmark::State& state) {
      for (auto _ : state) {
        benchmark::DoNotOptimize(simd.broken(added.artifact, text));
      }
      count_bytes(state, text.size());
    });
  }
  if (!good) {
    return 1;
  }

  std::string quiz;
  std::string large;
  if (!read_file(contracts + "quiz.json", quiz) || !read_file(data + "schema_1mb.json", large)) {
    return 1;
  }
  if (!read_contract("schema_1mb", large)) {
    return 1;
  }
  benchmark::RegisterBenchmark("contract/quiz", [&quiz](benchmark::State& state) {
    for (auto _ : state) {
      benchmark::DoNotOptimize(Contract::read(quiz));
    }
    count_bytes(state, quiz.size());
  });
  benchmark::RegisterBenchmark("contract/schema_1mb", [&large](benchmark::State& state) {
    for (auto _ : state) {
      benchmark::DoNotOptimize(Contract::read(large));
    }
    count_bytes(state, large.size());
  });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
