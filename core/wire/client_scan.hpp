// The one walk over a client's body: where its top-level members are, and how much text is in it. Private to
// client_request.cpp; see client_request.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/equality.hpp"
#include "core/json/scanner.hpp"

namespace plumb::wire {

// The scanner's handler.
class ClientScan {
 public:
  static constexpr std::size_t members_max = 1'000;  // of the body itself

  struct Top {
    std::string key;
    std::size_t key_from = 0;
    std::size_t from = 0;
    std::size_t to = 0;
  };

  // Room for what most bodies need: of a small one, growing would take a good part of the time.
  explicit ClientScan(std::uint64_t hash_seed) : seed_(hash_seed) {
    levels_.reserve(8);
    keys_.reserve(16);
    members_.reserve(8);
  }

  const std::vector<Top>& members() const { return members_; }
  bool object() const { return object_; }
  std::uint32_t messages() const { return messages_; }
  std::uint32_t images() const { return images_; }
  std::uint64_t ascii_bytes() const { return ascii_; }
  std::uint64_t other_bytes() const { return other_; }
  // The text is no JSON, or none that is taken.
  const char* problem() const { return problem_; }
  std::size_t problem_at() const { return problem_at_; }

  void begin_object(std::uint64_t from);
  void end_object(std::uint64_t to);
  void begin_array(std::uint64_t from);
  void end_array(std::uint64_t to);
  void key(std::string_view text, std::uint64_t from, std::uint64_t to);
  void string(std::string_view text, std::uint64_t from, std::uint64_t to);
  bool string_decoded(std::string_view text, std::uint64_t from, std::uint64_t to) {
    string(text, from, to);
    return true;
  }
  static json::StringWant string_begin(std::uint64_t) { return json::StringWant::whole; }
  static void string_piece(std::string_view, std::uint64_t, std::uint64_t, bool) {}
  void string_end(std::string_view text, std::uint64_t from, std::uint64_t to) { string(text, from, to); }
  void scalar_begin(json::Kind, std::uint64_t) {}
  void number(std::string_view, std::uint64_t from, std::uint64_t to, std::uint64_t) { scalar(from, to); }
  void literal(json::Kind, bool, std::uint64_t from, std::uint64_t to) { scalar(from, to); }
  void lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t) {}
  void broken(json::ScanError what, std::uint64_t at, std::uint64_t decided);

 private:
  struct Level {
    bool object = false;
    std::size_t keys_from = 0;  // in keys_
  };
  struct Key {
    std::uint64_t hash = 0;
    std::size_t at = 0;
  };
  void begin_value(std::uint64_t from);
  void end_value(std::uint64_t to);
  void scalar(std::uint64_t from, std::uint64_t to) {
    begin_value(from);
    end_value(to);
  }
  void enter(bool object, std::uint64_t from);
  void fail(const char* problem, std::uint64_t at) {
    if (problem_ == nullptr) {
      problem_ = problem;
      problem_at_ = static_cast<std::size_t>(at);
    }
  }
  void find_repeated(std::size_t keys_from);

  std::uint64_t seed_;
  std::vector<Level> levels_;
  std::vector<Key> keys_;
  std::vector<Top> members_;
  bool object_ = false;
  bool counts_ = false;       // inside messages, system or a list of tools
  bool in_messages_ = false;  // inside messages
  bool image_key_ = false;    // the value is an address or data
  bool images_key_ = false;   // the value is Ollama's list of images
  std::uint32_t messages_ = 0;
  std::uint32_t images_ = 0;
  std::uint64_t ascii_ = 0;
  std::uint64_t other_ = 0;
  const char* problem_ = nullptr;
  std::size_t problem_at_ = 0;
};

}  // namespace plumb::wire
