// Secret: a key that must never reach a client, whoever wrote it into an answer.
//
//   Secret secret("sk-...");                               // shorter than 8 bytes: hides nothing
//   out = secret.hidden(bytes, changed);                   // `bytes` itself if the key is not in it
//   std::size_t held = secret.begun_at_end(bytes);         // bytes at the end that may begin the key
//
// Every event of every answer is searched, so the search looks for the key's rarest byte first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::proxy {

class Secret {
 public:
  static constexpr std::string_view shown = "[key]";

  Secret() = default;
  explicit Secret(std::string_view text);

  bool any() const { return !text_.empty(); }
  std::size_t find(std::string_view bytes, std::size_t from = 0) const;
  std::string_view hidden(std::string_view bytes, std::string& changed) const;
  std::size_t begun_at_end(std::string_view bytes) const;

 private:
  std::string text_;
  std::size_t rare_ = 0;  // the position of its rarest byte
};

}  // namespace plumb::proxy
