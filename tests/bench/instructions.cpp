// plumb_instructions CONTRACT FILE WAY: one artifact judged as WAY says, for callgrind, which collects in `measured`
// alone. Ways: whole; pieces, of 20 bytes; broken, whole with every text of one kind blank, so that the engine judges
// it all and has findings; broken_pieces; contract, only compiled. Called by tests/bench/instructions.py. Every way
// runs once before, so that memory is there.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"

namespace {

using plumb::contract::Check;
using plumb::contract::Contract;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The artifact with every text blank that each of the measured contracts wants filled.
std::string blanked(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto begins = [&](std::string_view key) { return text.compare(at, key.size(), key) == 0; };
    std::size_t key_size = 0;
    for (const std::string_view key : {"\"explanation\": \"", "\"back\": \"", "\"label\": \""}) {
      key_size = begins(key) ? key.size() : key_size;
    }
    if (key_size == 0) {
      out += text[at++];
      continue;
    }
    out.append(text, at, key_size).append(" ");
    for (at += key_size; at < text.size() && text[at] != '"';) {
      at += text[at] == '\\' ? 2U : 1U;
    }
  }
  return out;
}

std::size_t judge(Check& check, std::string_view text, std::size_t piece) {
  std::vector<plumb::contract::Finding> certain;
  std::size_t findings = 0;
  if (piece == 0) {
    findings = check.whole(text).findings.size();
  } else {
    for (std::size_t at = 0; at < text.size(); at += piece) {
      check.push(text.substr(at, piece), certain);
    }
    findings = check.end().findings.size();
  }
  check.reset();
  return findings;
}

}  // namespace

// Named, and never inlined: what is counted.
extern "C" __attribute__((noinline)) std::size_t measured(Check& check, std::string_view text, std::size_t piece) {
  return judge(check, text, piece);
}
extern "C" __attribute__((noinline)) bool measured_contract(std::string_view text) {
  return static_cast<bool>(Contract::read(text));
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: plumb_instructions CONTRACT FILE whole|pieces|broken|broken_pieces|contract\n");
    return 2;
  }
  const std::string way = argv[3];
  const std::string contract_text = read_file(argv[1]);
  auto contract = Contract::read(contract_text);
  if (!contract) {
    std::fprintf(stderr, "%s: %s\n", argv[1], contract.error().message.c_str());
    return 1;
  }
  if (way == "contract") {
    return measured_contract(contract_text) ? 0 : 1;
  }
  const bool broken = way.rfind("broken", 0) == 0;
  const std::string file = read_file(argv[2]);
  const std::string text = broken ? blanked(file) : file;
  const std::size_t piece = way.find("pieces") != std::string::npos ? 20 : 0;
  Check check(contract.value());
  judge(check, text, piece);
  const std::size_t findings = measured(check, text, piece);
  if (text.empty() || (findings != 0) != broken) {
    std::fprintf(stderr, "%s: %zu findings\n", argv[2], findings);
    return 1;
  }
  return 0;
}
