#include "native/workflow/test_counts.hpp"

#include <unistd.h>

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/sha256.hpp"
#include "native/base/file_bytes.hpp"
#include "native/command/work_folders.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t counts_max = 1'000;
constexpr std::uint64_t bytes_max = std::uint64_t{4} << 20U;

struct Kept {
  std::string tree, gate;
  std::uint64_t tests = 0, skipped = 0;
  static std::span<const json::Field> fields() {
    static constexpr json::Field table[] = {json::field<&Kept::tree>("tree"), json::field<&Kept::gate>("gate"),
                                            json::field<&Kept::tests>("tests"), json::field<&Kept::skipped>("skipped")};
    return table;
  }
};

std::string file_of(const DeclaredAt& at) {
  return at.beside + "/counts/" + json::sha256_hex(at.repository).substr(0, 32) + ".json";
}

std::vector<Kept> read_kept(const DeclaredAt& at) {
  const Result<std::string> text = read_file(file_of(at), bytes_max);
  json::Arena arena;
  const Result<json::Value> read = json::parse(text ? text.value() : "[]", arena);
  return read && read.value().is(json::Kind::array) ? json::records_of<Kept>(read.value()) : std::vector<Kept>();
}

}  // namespace

std::string gate_key(const Gate& gate) {
  std::string text;
  json::Writer json(text);
  write_gate(json, gate);
  return gate.name + " " + json::sha256_hex(text).substr(0, 16);
}

std::vector<GateResult> kept_counts(const DeclaredAt& at, const std::string& tree, std::span<const Gate> gates) {
  std::vector<GateResult> out;
  const std::vector<Kept> all = read_kept(at);
  for (const Gate& gate : gates) {
    const std::string key = gate_key(gate);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Kept& one) { return one.tree == tree && one.gate == key; });
    if (found != all.end()) {
      GateResult one;
      one.gate = gate.name;
      one.tests.emplace();
      one.tests->tests = found->tests;
      one.tests->skipped = found->skipped;
      out.push_back(std::move(one));
    }
  }
  return out;
}

Result<bool> keep_counts(const DeclaredAt& at, const std::string& tree, std::span<const Gate> gates,
                         std::span<const GateResult> results) {
  if (Result<bool> made = command::WorkFolders::make(at.beside + "/counts"); !made) {
    return made;
  }
  std::vector<Kept> all = read_kept(at);
  for (const GateResult& one : results) {
    const auto gate = std::find_if(gates.begin(), gates.end(), [&](const Gate& its) { return its.name == one.gate; });
    if (gate == gates.end() || !one.tests || !one.passed()) {
      continue;
    }
    const std::string key = gate_key(*gate);
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Kept& known) { return known.tree == tree && known.gate == key; }),
              all.end());
    all.push_back({tree, key, one.tests->tests, one.tests->skipped});
  }
  if (all.size() > counts_max) {
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(counts_max));
  }
  std::string text = "[";
  for (const Kept& one : all) {
    text += (text.size() > 1 ? ",\n" : "") + json::record_text(one);
  }
  const std::string fresh = file_of(at) + "." + std::to_string(::getpid());
  if (Result<bool> written = write_file(fresh, text + "]\n"); !written) {
    return written;
  }
  return ::rename(fresh.c_str(), file_of(at).c_str()) == 0
             ? Result<bool>(true)
             : Result<bool>(Error{ErrorCode::unavailable, "cannot be written", file_of(at), 0, 0});
}

}  // namespace plumb::workflow
