// Short pieces, which nearly all are, are joined by looking for the lowest rank again each time; long ones with a heap
// of the pairs, in which a pair that has changed since is passed over.

#include "core/text/bpe.hpp"

#include <algorithm>
#include <cstring>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {

namespace {

constexpr std::size_t file_bytes_max = std::size_t{64} << 20;
constexpr std::uint32_t ranks_max = 1U << 24;
constexpr std::size_t short_max = 64;

std::uint32_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325U ^ bytes.size();
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < left; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return static_cast<std::uint32_t>(hash >> 32U);
}

int base64_value(char c) {
  return ascii::is_upper(c)   ? c - 'A'
         : ascii::is_lower(c) ? c - 'a' + 26
         : ascii::is_digit(c) ? c - '0' + 52
         : c == '+'           ? 62
         : c == '/'           ? 63
                              : -1;
}

bool base64(std::string_view text, std::string& out) {
  out.clear();
  if (text.empty() || text.size() % 4 != 0) {
    return false;
  }
  std::uint32_t bits = 0;
  std::uint32_t have = 0;
  std::size_t end = text.size();
  while (end > 0 && text[end - 1] == '=' && text.size() - end < 2) {
    --end;
  }
  for (const char c : text.substr(0, end)) {
    const int value = base64_value(c);
    if (value < 0) {
      return false;
    }
    bits = (bits << 6U | static_cast<std::uint32_t>(value)) & 0xFFFFFFU;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out += static_cast<char>(bits >> have & 0xFFU);
    }
  }
  return true;
}

Error wrong_line(std::size_t line, std::string message) {
  return {ErrorCode::invalid_argument, std::move(message) + "; a line is a base64 token, a blank and its rank", "",
          line, 1};
}

// A part of a piece, and the rank of its union with the next one.
struct Part {
  std::uint32_t from = 0;
  std::uint32_t rank = 0;
};

// A pair of neighbours in a long piece, for the heap.
struct Pair {
  std::uint32_t rank = 0;
  std::uint32_t left = 0;
  std::uint32_t end = 0;  // of the union when the pair was seen
};
bool after(const Pair& a, const Pair& b) { return a.rank != b.rank ? a.rank > b.rank : a.left > b.left; }

}  // namespace

Result<Bpe> Bpe::read(std::string_view file, Encoding encoding) {
  if (file.size() > file_bytes_max) {
    return Error{ErrorCode::limit, "a file of ranks has at most 64 MB", "", 0, 0};
  }
  Bpe out;
  out.slots_.resize(std::size_t{1} << 19U);
  std::string token;
  std::size_t number = 0;
  while (!file.empty()) {
    ++number;
    const std::size_t line_end = std::min(file.find('\n'), file.size());
    std::string_view line = file.substr(0, line_end);
    file.remove_prefix(std::min(line_end + 1, file.size()));
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      continue;
    }
    const std::size_t blank = std::min(line.find(' '), line.size());
    std::uint64_t rank = 0;
    if (!base64(line.substr(0, blank), token)) {
      return wrong_line(number, "this is not a base64 token");
    }
    if (blank == line.size() || !json::read_uint(line.substr(blank + 1), rank) || rank >= ranks_max) {
      return wrong_line(number, "this has no rank");
    }
    if (out.rank(token) != none) {
      return wrong_line(number, "this token is listed twice");
    }
    out.add(token, static_cast<std::uint32_t>(rank));
  }
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (out.rank({&c, 1}) == none) {
      return Error{
          ErrorCode::invalid_argument,
          "the ranks have no token for byte " + json::uint_text(byte) + ", so not every text can be counted with them",
          "", 0, 0};
    }
  }
  out.encoding_ = encoding != Encoding::unknown ? encoding
                  : out.tokens_ > 150'000       ? Encoding::o200k_base
                                                : Encoding::cl100k_base;
  return out;
}

std::uint32_t Bpe::rank(std::string_view piece) const {
  const std::uint32_t hash = hash_of(piece);
  for (std::size_t i = hash & (slots_.size() - 1); slots_[i].size != 0; i = (i + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[i];
    if (slot.hash == hash && slot.size == piece.size() &&
        std::memcmp(bytes_.data() + slot.from, piece.data(), piece.size()) == 0) {
      return slot.rank;
    }
  }
  return none;
}

void Bpe::add(std::string_view token, std::uint32_t rank) {
  if (tokens_ * 2 >= slots_.size()) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.size != 0) {
        std::size_t i = slot.hash & (slots_.size() - 1);
        while (slots_[i].size != 0) {
          i = (i + 1) & (slots_.size() - 1);
        }
        slots_[i] = slot;
      }
    }
  }
  const std::uint32_t hash = hash_of(token);
  std::size_t i = hash & (slots_.size() - 1);
  while (slots_[i].size != 0) {
    i = (i + 1) & (slots_.size() - 1);
  }
  slots_[i] = {static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(token.size()), rank, hash};
  bytes_ += token;
  ++tokens_;
}

std::uint64_t Bpe::join(std::string_view piece, std::vector<std::uint32_t>* out) const {
  const auto size = static_cast<std::uint32_t>(piece.size());
  const auto give = [&](std::uint32_t from, std::uint32_t end) {
    if (out != nullptr) {
      out->push_back(rank(piece.substr(from, end - from)));
    }
  };
  if (size <= short_max) {
    Part parts[short_max + 2];
    std::uint32_t count = size + 1;
    const auto rank_at = [&](std::uint32_t i) {
      return i + 2 < count ? rank(piece.substr(parts[i].from, parts[i + 2].from - parts[i].from)) : none;
    };
    for (std::uint32_t i = 0; i <= size; ++i) {
      parts[i] = {i, none};
    }
    for (std::uint32_t i = 0; i < size; ++i) {
      parts[i].rank = rank_at(i);
    }
    while (count > 2) {
      std::uint32_t best = 0;
      for (std::uint32_t i = 1; i + 1 < count; ++i) {
        best = parts[i].rank < parts[best].rank ? i : best;
      }
      if (parts[best].rank == none) {
        break;
      }
      std::copy(parts + best + 2, parts + count, parts + best + 1);
      --count;
      parts[best].rank = rank_at(best);
      if (best > 0) {
        parts[best - 1].rank = rank_at(best - 1);
      }
    }
    for (std::uint32_t i = 0; i + 1 < count; ++i) {
      give(parts[i].from, parts[i + 1].from);
    }
    return count - 1;
  }
  // next[i]: where the part that begins at i ends; before[i]: where the part before it begins.
  std::vector<std::uint32_t> next(size + 1);
  std::vector<std::uint32_t> before(size + 1);
  std::vector<Pair> heap;
  const auto push = [&](std::uint32_t left) {
    const std::uint32_t middle = next[left];
    if (middle >= size) {
      return;
    }
    const std::uint32_t end = next[middle];
    if (const std::uint32_t found = rank(piece.substr(left, end - left)); found != none) {
      heap.push_back({found, left, end});
      std::push_heap(heap.begin(), heap.end(), after);
    }
  };
  for (std::uint32_t i = 0; i <= size; ++i) {
    next[i] = i + 1;
    before[i] = i == 0 ? none : i - 1;
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    push(i);
  }
  std::uint64_t count = size;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), after);
    const Pair best = heap.back();
    heap.pop_back();
    const std::uint32_t middle = next[best.left];
    if (middle == none || middle >= size || next[middle] != best.end) {
      continue;  // one of both has been joined with another since
    }
    next[best.left] = best.end;
    next[middle] = none;
    if (best.end <= size) {
      before[best.end] = best.left;
    }
    --count;
    push(best.left);
    if (before[best.left] != none) {
      push(before[best.left]);
    }
  }
  for (std::uint32_t at = 0; at < size; at = next[at]) {
    give(at, next[at]);
  }
  return count;
}

std::uint64_t Bpe::run(std::string_view utf8, std::vector<std::uint32_t>* out) const {
  std::string mended;
  if (!is_utf8(utf8)) {
    for (std::size_t i = 0; i < utf8.size();) {
      const Decoded next = decode(utf8.data() + i, utf8.data() + utf8.size());
      append_utf8(mended, is_surrogate(next.code_point) ? replacement_character : next.code_point);
      i += next.size;
    }
    utf8 = mended;
  }
  std::uint64_t count = 0;
  for (std::size_t from = 0; from < utf8.size();) {
    const std::size_t end = piece_end(utf8, from, encoding_, kinds_);
    const std::string_view piece = utf8.substr(from, end - from);
    if (const std::uint32_t whole = rank(piece); whole != none) {
      ++count;
      if (out != nullptr) {
        out->push_back(whole);
      }
    } else {
      count += join(piece, out);
    }
    from = end;
  }
  return count;
}

std::uint64_t Bpe::count(std::string_view utf8) const { return run(utf8, nullptr); }

std::vector<std::uint32_t> Bpe::encode(std::string_view utf8) const {
  std::vector<std::uint32_t> out;
  run(utf8, &out);
  return out;
}

}  // namespace plumb::text
