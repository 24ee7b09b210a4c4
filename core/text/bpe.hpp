// Tokens counted exactly, with the ranks of a vocabulary (byte-pair encoding as o200k_base and cl100k_base do it).
//
//   Result<Bpe> bpe = Bpe::read(file, Encoding::o200k_base);   // a line a token: base64, a blank, its rank
//   bpe.value().count("Every question needs four options.");
//
// A text is cut into pieces first, as the encoding's pattern says: core/text/bpe_pieces.hpp. A piece that is a token
// costs one; of any other the pair of neighbours whose union has the lowest rank is joined again and again, the first
// of equals. Joining takes n log n steps for a piece of n bytes, so that no text is slow. Markers such as <|endoftext|>
// are text here. Bytes that are no UTF-8 are taken for U+FFFD, as a text would hold them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/text/bpe_pieces.hpp"
#include "core/text/tokens.hpp"

namespace plumb::text {

class Bpe {
 public:
  // The file's lines may end in CRLF; an error says which line. At most 64 MB and 2^24 ranks. An encoding that is
  // unknown is o200k_base for more than 150,000 tokens, else cl100k_base.
  static Result<Bpe> read(std::string_view file, Encoding encoding);

  Encoding encoding() const { return encoding_; }
  std::uint64_t count(std::string_view utf8) const;
  // The ranks, in order.
  std::vector<std::uint32_t> encode(std::string_view utf8) const;

 private:
  struct Slot {
    std::uint32_t from = 0;  // in bytes_
    std::uint32_t size = 0;  // 0: free
    std::uint32_t rank = 0;
    std::uint32_t hash = 0;
  };
  static constexpr std::uint32_t none = 0xFFFFFFFFU;

  std::uint32_t rank(std::string_view piece) const;
  void add(std::string_view token, std::uint32_t rank);
  std::uint64_t join(std::string_view piece, std::vector<std::uint32_t>* out) const;
  std::uint64_t run(std::string_view utf8, std::vector<std::uint32_t>* out) const;

  Encoding encoding_ = Encoding::unknown;
  CharacterKinds kinds_;
  std::string bytes_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  std::size_t tokens_ = 0;
};

}  // namespace plumb::text
