#include "core/wire/sse.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace plumb::wire;

namespace {

// Every event as one line of text: type, id and data between bars; then what the reader says of itself.
std::string events_of(std::string_view stream, std::size_t piece_size, SseLimits limits = {}) {
  SseReader reader(limits);
  std::string out;
  for (std::size_t from = 0; from < stream.size(); from += piece_size) {
    const std::string piece(stream.substr(from, piece_size));  // of its own, so that nothing reads beyond it
    reader.push(piece);
    for (SseEvent event; reader.next(event);) {
      out += event.type;
      out += '|';
      out += event.id;
      out += '|';
      out += event.data;
      out += ";";
    }
  }
  if (reader.has_retry()) {
    out += "retry " + std::to_string(reader.retry_ms()) + ";";
  }
  if (reader.failed()) {
    out += "failed: ";
    out += reader.problem();
  }
  return out;
}

void check_all_splits(std::string_view stream, std::string_view expected, SseLimits limits = {}) {
  CHECK(events_of(stream, stream.size(), limits) == expected);
  for (std::size_t size = 1; size < stream.size(); ++size) {
    CAPTURE(size);
    REQUIRE(events_of(stream, size, limits) == expected);
  }
}

}  // namespace

TEST_CASE("sse: the examples of the specification give its events, cut anywhere") {
  check_all_splits("data: YHOO\ndata: +2\ndata: 10\n\n", "message||YHOO\n+2\n10;");
  check_all_splits(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                   "message|1|first event;message||second event;message|| third event;");
  check_all_splits("data\n\ndata\ndata\n\ndata:\n", "message||;message||\n;");
  check_all_splits("data:test\n\ndata: test\n\n", "message||test;message||test;");
  check_all_splits("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\ndata: 1\n\n",
                   "add||73857293;remove||2153;message||1;");
}

TEST_CASE("sse: lines end at CR, LF and CRLF, mixed too") {
  check_all_splits("data: a\rdata: b\r\r", "message||a\nb;");
  check_all_splits("data: a\r\ndata: b\r\n\r\n", "message||a\nb;");
  check_all_splits("data: a\ndata: b\r\n\rdata: c\r\r\ndata: d\n\r", "message||a\nb;message||c;message||d;");
}

TEST_CASE("sse: one byte order mark at the beginning is passed over, a second one belongs to a field's name") {
  check_all_splits(
      "\xEF\xBB\xBF"
      "data: a\n\n",
      "message||a;");
  check_all_splits(
      "\xEF\xBB\xBF\xEF\xBB\xBF"
      "data: a\n\ndata: b\n\n",
      "message||b;");
  check_all_splits("\xEF\xBBx\n\ndata: b\n\n", "message||b;");
}

TEST_CASE("sse: an event without data is none, and its type is forgotten") {
  check_all_splits("event: gone\n\ndata: a\n\n", "message||a;");
  check_all_splits("event: gone\nevent: kept\ndata: a\n\n", "kept||a;");
  check_all_splits("id: 7\n\ndata: a\n\n", "message|7|a;");
}

TEST_CASE("sse: what no empty line has ended is no event") {
  check_all_splits("data: a\n\ndata: b\n", "message||a;");
  check_all_splits("data: a\n\ndata: b", "message||a;");
}

TEST_CASE("sse: inside() tells that something was begun") {
  SseReader reader;
  SseEvent event;
  reader.push("data: a\n\n");
  CHECK(reader.next(event));
  CHECK_FALSE(reader.next(event));
  CHECK_FALSE(reader.inside());
  reader.push("da");
  CHECK_FALSE(reader.next(event));
  CHECK(reader.inside());
}

TEST_CASE("sse: an id with a NUL is ignored, retry takes digits only") {
  check_all_splits(std::string_view("id: 1\nid: 2\0\ndata: a\n\n", 22), "message|1|a;");
  check_all_splits("retry: 1500\nretry: 1.5\nretry: -1\nretry\ndata: a\n\n", "message||a;retry 1500;");
  check_all_splits("retry: 99999999999999999999999\n", "retry 18446744073709551615;");
}

TEST_CASE("sse: fields that are not known, and names with spaces, are ignored") {
  check_all_splits("datas: x\n data: x\nDATA: x\nx\ndata: a\n\n", "message||a;");
}

TEST_CASE("sse: a character that is split between pieces is whole, and a broken one is one U+FFFD") {
  check_all_splits("data: \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n\n", "message||\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80;");
  check_all_splits("data: a\xE2\x82\ndata: \x80z\xF0\x9F\xFFy\n\n",
                   "message||a\xEF\xBF\xBD\n\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBDy;");
}

TEST_CASE("sse: a line and an event have bounds, reached at the same event however the bytes are cut") {
  check_all_splits("data: ok\n\ndata: 0123456789\n\ndata: never\n\n",
                   "message||ok;failed: A line of the stream is longer than 12 bytes", {12, 1000});
  check_all_splits("data: 012345\n\n:01234567890\n\n", "message||012345;", {12, 1000});
  check_all_splits("data: ok\n\ndata: 01234\ndata: 56789\n\ndata: never\n\n",
                   "message||ok;failed: An event of the stream is longer than 8 bytes", {100, 8});
  check_all_splits("data: 0123456\n\n", "message||0123456;", {100, 8});
}

TEST_CASE("sse: what is written is read again as it was") {
  std::string stream;
  append_sse_comment(stream, "keep\nalive");
  append_sse_retry(stream, 250);
  append_sse(stream, "one\ntwo\r\nthree\rfour", "kind", "5");
  append_sse(stream, "");
  append_sse(stream, " spaces are kept", "a\nb");
  CHECK(stream ==
        ": keepalive\n\nretry: 250\n\nevent: kind\nid: 5\ndata: one\ndata: two\ndata: three\ndata: four\n\n"
        "data: \n\nevent: ab\ndata:  spaces are kept\n\n");
  check_all_splits(stream, "kind|5|one\ntwo\nthree\nfour;message|5|;ab|5| spaces are kept;retry 250;");
}
