// What the native benchmark compares with. Each peer gets the same bytes and gives the number of broken rules.
//
// rapidjson: SAX reader into its SchemaValidator, on the plain JSON Schema part of the contract (it knows neither our
// vocabulary nor 2020-12's newer keywords, which it passes over).
// simdjson: on-demand with rules written by hand for each of the three contracts, all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace plumb::bench {

enum class Artifact : std::uint8_t { quiz, flashcards, mindmap };

class RapidJsonPeer {
 public:
  explicit RapidJsonPeer(std::string_view schema);
  ~RapidJsonPeer();
  RapidJsonPeer(const RapidJsonPeer&) = delete;
  RapidJsonPeer& operator=(const RapidJsonPeer&) = delete;
  // 0 or 1: it stops at the first broken rule.
  std::uint64_t broken(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class SimdJsonPeer {
 public:
  // Bytes that must be readable behind the text.
  static std::uint64_t padding();

  SimdJsonPeer();
  ~SimdJsonPeer();
  SimdJsonPeer(const SimdJsonPeer&) = delete;
  SimdJsonPeer& operator=(const SimdJsonPeer&) = delete;
  std::uint64_t broken(Artifact artifact, std::string_view padded_text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::bench
