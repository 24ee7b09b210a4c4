#include "native/base/text_encoding.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/text/utf8.hpp"

namespace plumb {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
constexpr std::size_t looked_at = 4096;

Error refused(std::string message) { return {ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

std::string byte_name(std::string_view bytes, std::size_t at) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(bytes[at]);
  return std::string("byte 0x") + digits[byte >> 4U] + digits[byte & 0xFU] + " at offset " + std::to_string(at);
}

class Converter {
 public:
  explicit Converter(const std::string& from) : made_(::iconv_open("UTF-8", from.c_str())) {}
  ~Converter() {
    if (known()) {
      ::iconv_close(made_);
    }
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  // iconv's own mark of an error is a pointer of all ones.
  bool known() const { return made_ != reinterpret_cast<iconv_t>(-1); }  // NOLINT

  // Converts to UTF-8. Returns the offset of the first byte that is invalid in the encoding, or bytes.size() if all are
  // valid.
  std::size_t convert(std::string& bytes, std::string& out) {
    char* in = bytes.data();
    std::size_t left = bytes.size();
    std::array<char, 16384> piece{};
    for (bool ends = false; !ends;) {
      char* into = piece.data();
      std::size_t room = piece.size();
      ends = left == 0;
      const std::size_t done = ::iconv(made_, ends ? nullptr : &in, &left, &into, &room);
      const int error = done == static_cast<std::size_t>(-1) ? errno : 0;
      out.append(piece.data(), piece.size() - room);
      if (error != 0 && error != E2BIG) {
        return static_cast<std::size_t>(in - bytes.data());
      }
      ends = ends && error == 0;
    }
    return bytes.size();
  }

 private:
  iconv_t made_;
};

}  // namespace

std::string_view likely_encoding(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> marks = {{{"\xFF\xFE\0\0"sv, "utf-32le"},
                                                                                   {"\0\0\xFE\xFF"sv, "utf-32be"},
                                                                                   {"\xFF\xFE"sv, "utf-16le"},
                                                                                   {"\xFE\xFF"sv, "utf-16be"}}};
  for (const auto& [mark, name] : marks) {
    if (bytes.starts_with(mark)) {
      return name;
    }
  }
  std::array<std::size_t, 2> zeros{};
  const std::string_view begin = bytes.substr(0, looked_at);
  for (std::size_t i = 0; i < begin.size(); ++i) {
    zeros[i % 2] += begin[i] == '\0' ? 1U : 0U;
  }
  if (zeros[0] + zeros[1] > begin.size() / 5) {
    return zeros[1] > zeros[0] ? "utf-16le" : "utf-16be";
  }
  const bool beyond_latin1 = std::any_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 && byte < 0xA0;
  });
  return beyond_latin1 ? "windows-1252" : "iso-8859-1";
}

Result<std::string> utf8_text(std::string bytes, const std::string& encoding) {
  if (encoding.empty()) {
    // A zero byte is UTF-8, and no text: UTF-16 without its mark has many.
    const std::size_t bad = std::min(text::utf8_error(bytes), bytes.find('\0'));
    if (bad == text::utf8_valid) {
      bytes.erase(0, bytes.starts_with(utf8_mark) ? utf8_mark.size() : 0);
      return bytes;
    }
    const std::string likely(likely_encoding(bytes));
    if (bytes.find('\0') != std::string::npos && !likely.starts_with("utf-")) {
      return refused("is not text (" + byte_name(bytes, bytes.find('\0')) + ")");
    }
    return refused("is not UTF-8 (" + byte_name(bytes, bad) + "); it looks like " + likely +
                   ". Read it with --encoding " + likely + ", or save it as UTF-8");
  }
  Converter converter(encoding);
  if (!converter.known()) {
    return refused("this system knows no encoding '" + encoding +
                   "'; examples are utf-8, utf-16, windows-1252, iso-8859-15 and shift_jis");
  }
  std::string out;
  if (const std::size_t bad = converter.convert(bytes, out); bad < bytes.size()) {
    return refused("is not " + encoding + " (" + byte_name(bytes, bad) + ")");
  }
  if (!text::is_utf8(out)) {
    return refused("is not " + encoding);
  }
  out.erase(0, out.starts_with(utf8_mark) ? utf8_mark.size() : 0);
  return out;
}

}  // namespace plumb
