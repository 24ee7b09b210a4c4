// Normalisation form C: the Unicode Standard, section 3.11; Hangul by arithmetic, section 3.12.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "core/text/unicode.hpp"
#include "core/text/unicode_packing.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {

namespace {

using tables::RunMark;

constexpr std::uint32_t hangul_s = 0xAC00;
constexpr std::uint32_t hangul_l = 0x1100;
constexpr std::uint32_t hangul_v = 0x1161;
constexpr std::uint32_t hangul_t = 0x11A7;
constexpr std::uint32_t hangul_l_size = 19;
constexpr std::uint32_t hangul_v_size = 21;
constexpr std::uint32_t hangul_t_size = 28;
constexpr std::uint32_t hangul_s_size = hangul_l_size * hangul_v_size * hangul_t_size;

// Text in the middle of normalisation: code points, and malformed bytes as values beyond them, which nothing touches.
constexpr std::uint32_t malformed = 0x200000;

struct Decomposition {
  std::uint32_t first;
  std::uint32_t second;  // 0: none
  bool composes;
};

// Calls visit(code, decomposition) from the mark at or before `from` on, until it returns false.
template <class Visit>
void each_decomposition(std::uint32_t from, Visit visit) {
  const RunMark* const marks_end = tables::decomposition_marks + tables::decomposition_marks_size;
  const RunMark* mark = tables::decomposition_marks;
  if (from >= mark->first) {
    mark = mark_before(tables::decomposition_marks, tables::decomposition_marks_size, from);
  }
  for (; mark != marks_end; ++mark) {
    const std::uint8_t* at = tables::decompositions + mark->offset;
    const std::uint8_t* const end =
        tables::decompositions + (mark + 1 == marks_end ? tables::decompositions_size : mark[1].offset);
    std::uint32_t code = mark->first;
    std::uint32_t first = mark->first;
    while (at != end) {
      code += read_varint(at);
      first = static_cast<std::uint32_t>(static_cast<std::int32_t>(first) + read_zigzag(at));
      const std::uint32_t number = *at & 0x7FU;
      const bool excluded = (*at++ & 0x80U) != 0;
      const std::uint32_t second =
          number == 0 ? 0 : static_cast<std::uint32_t>(tables::decomposition_seconds[number - 1]);
      if (!visit(code, Decomposition{first, second, second != 0 && !excluded})) {
        return;
      }
    }
  }
}

void decompose(std::uint32_t code, std::vector<std::uint32_t>& out) {
  if (code - hangul_s < hangul_s_size) {
    const std::uint32_t index = code - hangul_s;
    out.push_back(hangul_l + index / (hangul_v_size * hangul_t_size));
    out.push_back(hangul_v + index % (hangul_v_size * hangul_t_size) / hangul_t_size);
    if (index % hangul_t_size != 0) {
      out.push_back(hangul_t + index % hangul_t_size);
    }
    return;
  }
  // The first character may decompose again, at most three times; what follows it never does.
  std::uint32_t tail[8];
  std::size_t tail_size = 0;
  for (bool found = code >= 0xC0 && code < malformed; found && tail_size < 8;) {
    found = false;
    each_decomposition(code, [&](std::uint32_t at, const Decomposition& entry) {
      if (at == code) {
        found = true;
        code = entry.first;
        if (entry.second != 0) {
          tail[tail_size++] = entry.second;
        }
        return false;
      }
      return at < code;
    });
  }
  out.push_back(code);
  while (tail_size != 0) {
    // A second character may decompose too (U+0344), but then has no first that does.
    const std::uint32_t second = tail[--tail_size];
    out.push_back(second);
  }
}

// The character that `first` and `second` make, or 0.
std::uint32_t compose(std::uint32_t first, std::uint32_t second) {
  if (first - hangul_l < hangul_l_size && second - hangul_v < hangul_v_size) {
    return hangul_s + ((first - hangul_l) * hangul_v_size + (second - hangul_v)) * hangul_t_size;
  }
  if (first - hangul_s < hangul_s_size && (first - hangul_s) % hangul_t_size == 0 && second > hangul_t &&
      second < hangul_t + hangul_t_size) {
    return first + (second - hangul_t);
  }
  const char32_t* const seconds_end = tables::decomposition_seconds + tables::decomposition_seconds_size;
  if (!std::binary_search(tables::decomposition_seconds, seconds_end, static_cast<char32_t>(second))) {
    return 0;
  }
  std::uint32_t result = 0;
  each_decomposition(0, [&](std::uint32_t code, const Decomposition& entry) {
    if (entry.composes && entry.first == first && entry.second == second) {
      result = code;
    }
    return result == 0;
  });
  return result;
}

bool below_combining(std::string_view text) {
  // Nothing before U+0300 composes with, or is put behind, another such character; U+0300 begins with 0xCC.
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0xCC; });
}

}  // namespace

std::string nfc(std::string_view text) {
  if (below_combining(text)) {
    return std::string(text);
  }
  std::vector<std::uint32_t> codes;
  codes.reserve(text.size());
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    const Decoded c = decode(at, end);
    if (c.valid) {
      decompose(static_cast<std::uint32_t>(c.code_point), codes);
    } else {
      codes.push_back(malformed + static_cast<unsigned char>(*at));
    }
    at += c.size;
  }
  std::vector<std::uint8_t> classes(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    classes[i] = codes[i] >= malformed ? std::uint8_t{0} : combining_class(static_cast<char32_t>(codes[i]));
  }
  // Canonical order: each stretch of marks by class, stable. They are counted, for a stretch may be as long as the
  // text.
  std::vector<std::uint32_t> marks;
  for (std::size_t i = 0; i < codes.size();) {
    std::size_t end = i;
    std::array<std::uint32_t, 257> places{};
    for (; end < codes.size() && classes[end] != 0; ++end) {
      ++places[classes[end] + 1U];
    }
    if (end - i < 2) {
      i = end + 1;
      continue;
    }
    for (std::size_t c = 1; c < places.size(); ++c) {
      places[c] += places[c - 1];
    }
    marks.assign(end - i, 0);
    for (std::size_t k = i; k < end; ++k) {
      marks[places[classes[k]]++] = codes[k];
    }
    for (const std::uint32_t code : marks) {
      codes[i] = code;
      classes[i++] = combining_class(static_cast<char32_t>(code));
    }
  }
  // Compose in place: `starter` is the last character that others may join.
  std::size_t size = 0;
  std::size_t starter = codes.size();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::uint8_t ccc = classes[i];
    if (starter < size) {
      const bool blocked = size - 1 != starter && (classes[size - 1] >= ccc);
      const std::uint32_t composed = blocked ? 0 : compose(codes[starter], codes[i]);
      if (composed != 0) {
        codes[starter] = composed;
        continue;
      }
    }
    if (ccc == 0) {
      starter = size;
    }
    codes[size] = codes[i];
    classes[size] = ccc;
    ++size;
  }
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < size; ++i) {
    if (codes[i] >= malformed) {
      out += static_cast<char>(codes[i] - malformed);
    } else {
      append_utf8(out, static_cast<char32_t>(codes[i]));
    }
  }
  return out;
}

bool is_nfc(std::string_view text) { return below_combining(text) || nfc(text) == text; }

}  // namespace plumb::text
