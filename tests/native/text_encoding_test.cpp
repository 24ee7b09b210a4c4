#include "native/base/text_encoding.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace plumb;
using namespace std::string_view_literals;

TEST_CASE("text encoding: marks, zero bytes and bytes beyond Latin-1 name what a text is in") {
  CHECK(likely_encoding("\xFF\xFE\0\0a\0\0\0"sv) == "utf-32le");
  CHECK(likely_encoding("\0\0\xFE\xFF\0\0\0a"sv) == "utf-32be");
  CHECK(likely_encoding("\xFF\xFE"
                        "a\0"sv) == "utf-16le");
  CHECK(likely_encoding("\xFE\xFF\0a"sv) == "utf-16be");
  CHECK(likely_encoding("a\0b\0c\0"sv) == "utf-16le");
  CHECK(likely_encoding("\0a\0b\0c"sv) == "utf-16be");
  CHECK(likely_encoding("gr\xFCn"sv) == "iso-8859-1");
  CHECK(likely_encoding("5 \x80"sv) == "windows-1252");
}

TEST_CASE("text encoding: UTF-8 stays, but for its mark, and all else is converted whole or refused with its place") {
  const auto text = [](std::string_view bytes, const std::string& encoding) {
    const Result<std::string> read = utf8_text(std::string(bytes), encoding);
    return read ? read.value() : "error: " + read.error().message;
  };
  CHECK(text("\xEF\xBB\xBFgrün 😀", "") == "grün 😀");
  CHECK(text("", "") == "");
  CHECK(text("gr\xFCn", "").rfind("error: is not UTF-8 (byte 0xFC at offset 2); it looks like iso-8859-1.", 0) == 0);
  CHECK(text("a\0b\0"sv, "").find("it looks like utf-16le") != std::string::npos);
  CHECK(text("5 \x80", "windows-1252") == "5 €");
  CHECK(text("a\x81", "windows-1252") == "error: is not windows-1252 (byte 0x81 at offset 1)");
  CHECK(text("\xFF\xFEg\0\xFC\0"sv, "utf-16") == "gü");
  CHECK(text("\x3D\xD8\x00\xDE"sv, "utf-16le") == "😀");
  CHECK(text("\x3D\xD8"sv, "utf-16le").rfind("error: is not utf-16le", 0) == 0);
  CHECK(text("a", "klingon").rfind("error: this system knows no encoding 'klingon'", 0) == 0);
  const std::string many(100'000, '\xFC');
  const Result<std::string> read = utf8_text(many, "latin1");
  REQUIRE(read);
  CHECK(read.value().size() == 200'000);
}
