// SHA-256 (FIPS 180-4), for the hashes that name contracts and other texts.
//
//   sha256_hex("abc")            "ba7816bf 8f01cfea ..." without the blanks: 64 lower-case digits
//   Sha256 hash;
//   hash.update("a");
//   hash.update("bc");
//   hash.hex();                  the same; ends the hash
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::json {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256();
  void update(std::string_view bytes);
  // The hash of all that was given. After it only reset() is allowed.
  Digest digest();
  std::string hex();
  void reset() { *this = Sha256(); }

 private:
  void blocks(const char* p, std::size_t count);  // of 64 bytes

  std::array<std::uint32_t, 8> state_;
  std::array<char, 64> pending_ = {};  // the beginning of a block that is not full
  std::size_t pending_size_ = 0;
  std::uint64_t size_ = 0;
  bool ended_ = false;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace plumb::json
