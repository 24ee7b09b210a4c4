// Fast acceptance held against judging in full: whole and in pieces of any size, a text must give the same verdict,
// whatever is wrong with it, and each finding must be told with the same piece.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/fast_path.hpp"
#include "core/contract/program.hpp"
#include "core/contract/render.hpp"

namespace plumb::test {

using namespace plumb::contract;

class Numbers {  // xorshift: the seed is the bug report
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::size_t below(std::size_t bound) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::size_t>(state_ % bound);
  }

 private:
  std::uint64_t state_;
};

inline Contract contract_of(std::string_view text) {
  auto contract = Contract::read(text);
  REQUIRE(contract);
  return contract.value();
}

inline std::string whole(const Contract& contract, std::string_view text, std::uint32_t depth_max = 1024) {
  CheckOptions options;
  options.limits.depth_max = depth_max;
  return verdict_json(check_text(contract, text, options));
}

// The contract with nothing that accepts fast: the engine judges every value in full.
inline Contract judged_in_full(std::string_view text) {
  Contract contract = contract_of(text);
  Program& program = const_cast<Program&>(contract.program());  // the contract is this function's own
  for (Plan& plan : program.fast_paths.plans) {
    plan.usable = false;
  }
  for (Node& node : program.nodes) {
    node.fast_scalar = false;
    node.fast_member = false;
    if (node.number) {
      node.number->fast = false;
    }
    if (node.array) {
      node.array->simple = false;
    }
    if (node.object) {
      node.object->simple = false;
    }
  }
  return contract;
}

// The verdict on a text that comes in pieces, and what was told with which of them.
inline std::string in_pieces(const Contract& contract, std::string_view text, std::size_t piece,
                             std::uint32_t depth_max = 1024) {
  CheckOptions options;
  options.limits.depth_max = depth_max;
  Check check(contract, options);
  std::vector<Finding> certain;
  std::string told;
  const auto tell = [&](std::size_t at) {
    for (const Finding& finding : certain) {
      told += std::to_string(at) + " " + finding_json(finding) + "\n";
    }
    certain.clear();
  };
  for (std::size_t at = 0; at < text.size(); at += piece) {
    check.push({}, certain);  // nothing, at no place, between all pieces
    check.push(text.substr(at, piece), certain);
    tell(at);
  }
  check.push({}, certain);
  const Verdict verdict = check.end(certain);
  tell(text.size());
  return told + verdict_json(verdict);
}

// One small fault, or none that matters.
inline void damage(std::string& text, Numbers& numbers) {
  const std::size_t at = numbers.below(text.size());
  switch (numbers.below(7)) {
    case 0:
      text.erase(at, 1);
      break;
    case 1:
      text.insert(at, 1, "{}[]\",:0 e\\\x01\xC3"[numbers.below(13)]);
      break;
    case 2:
      text[at] = "{}[]\",:0 x"[numbers.below(10)];
      break;
    case 3: {  // a part a second time
      const std::size_t size = 1 + numbers.below(60);
      text.insert(at, text.substr(numbers.below(text.size()), size));
      break;
    }
    case 4: {  // one string in the place of another
      const std::size_t from = text.find('"', at);
      const std::size_t to = from == std::string::npos ? from : text.find('"', from + 1);
      const std::size_t other = text.find('"', numbers.below(text.size()));
      const std::size_t other_to = other == std::string::npos ? other : text.find('"', other + 1);
      if (to != std::string::npos && other_to != std::string::npos) {
        const std::string copy = text.substr(other, other_to - other + 1);
        text.replace(from, to - from + 1, copy);
      }
      break;
    }
    case 5:
      text.resize(at);
      break;
    default: {  // a member twice
      const std::size_t from = text.find('{', at);
      const std::size_t to = from == std::string::npos ? from : text.find(',', from);
      if (to != std::string::npos) {
        text.insert(to, "," + text.substr(from + 1, to - from - 1));
      }
      break;
    }
  }
}

struct Both {
  explicit Both(std::string_view text) : contract(contract_of(text)), in_full(judged_in_full(text)) {}
  Contract contract;
  Contract in_full;
};

inline void agree(const Both& both, const std::string& text, std::uint64_t seed = 0, std::uint32_t depth_max = 1024) {
  const bool same = whole(both.contract, text, depth_max) == whole(both.in_full, text, depth_max);
  CHECK_MESSAGE(same, "seed " << seed << ", whole: " << text);
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{20}, std::size_t{33}, std::size_t{100}, std::size_t{3000}}) {
    const std::string told = in_pieces(both.contract, text, piece, depth_max);
    const std::string expected = in_pieces(both.in_full, text, piece, depth_max);
    CHECK_MESSAGE(told == expected, "seed " << seed << ", in pieces of " << piece << ": " << text << "\ntold:\n"
                                            << told << "\nin full:\n"
                                            << expected);
  }
}

}  // namespace plumb::test
