#include "native/workflow/proofs.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "core/json/arena.hpp"
#include "core/json/record.hpp"
#include "core/json/sha256.hpp"
#include "native/base/file_bytes.hpp"
#include "native/command/work_folders.hpp"
#include "native/workflow/test_counts.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t proofs_max = 1'000;
constexpr std::uint64_t proofs_bytes_max = std::uint64_t{1} << 20U;

std::string proofs_file(const DeclaredAt& at) {
  return at.beside + "/proofs/" + json::sha256_hex(at.repository).substr(0, 32) + ".json";
}

std::vector<GateProof> all_proofs(const DeclaredAt& at) {
  const Result<std::string> text = read_file(proofs_file(at), proofs_bytes_max);
  json::Arena arena;
  const Result<json::Value> read = json::parse(text ? text.value() : "[]", arena);
  return read && read.value().is(json::Kind::array) ? json::records_of<GateProof>(read.value())
                                                    : std::vector<GateProof>();
}

auto proof_named(std::vector<GateProof>& all, const std::string& key) {
  return std::find_if(all.begin(), all.end(), [&](const GateProof& one) { return one.gate == key; });
}

}  // namespace

std::span<const json::Field> GateProof::fields() {
  static constexpr json::Field table[] = {json::field<&GateProof::gate>("gate"),
                                          json::field<&GateProof::proof>("proof"),
                                          json::field<&GateProof::at_ms>("at_ms")};
  return table;
}

std::vector<GateProof> kept_proofs(const DeclaredAt& at, std::span<const Gate> gates) {
  std::vector<GateProof> all = all_proofs(at), out;
  for (const Gate& gate : gates) {
    const auto found = proof_named(all, gate_key(gate));
    out.push_back(found == all.end() ? GateProof() : *found);
    out.back().gate = gate.name;
  }
  return out;
}

Result<bool> keep_proofs(const DeclaredAt& at, std::span<const Gate> gates, std::span<const GateProof> proofs) {
  if (Result<bool> made = command::WorkFolders::make(at.beside + "/proofs"); !made) {
    return made;
  }
  std::vector<GateProof> all = all_proofs(at);
  for (std::size_t i = 0; i < std::min(gates.size(), proofs.size()); ++i) {
    const std::string key = gate_key(gates[i]);
    if (const auto found = proof_named(all, key); found != all.end()) {
      all.erase(found);
    }
    all.push_back(proofs[i]);
    all.back().gate = key;
  }
  if (all.size() > proofs_max) {
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(proofs_max));
  }
  std::string text = "[";
  for (const GateProof& one : all) {
    text += (text.size() > 1 ? ",\n" : "") + json::record_text(one);
  }
  const std::string fresh = proofs_file(at) + "." + std::to_string(::getpid());
  if (Result<bool> written = write_file(fresh, text + "]\n"); !written) {
    return written;
  }
  return ::rename(fresh.c_str(), proofs_file(at).c_str()) == 0
             ? Result<bool>(true)
             : Result<bool>(Error{ErrorCode::unavailable, "cannot be written", proofs_file(at), 0, 0});
}

std::string day_of(std::uint64_t at_ms) {
  const auto seconds = static_cast<std::time_t>(at_ms / 1000);
  std::tm day{};
  std::array<char, 16> text{};
  ::gmtime_r(&seconds, &day);
  return std::string(text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &day));
}

}  // namespace plumb::workflow
