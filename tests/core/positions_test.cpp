#include "core/json/positions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using plumb::json::Place;
using plumb::json::place_at;
using plumb::json::PlaceRequest;
using plumb::json::Positions;

namespace {

bool same(const Place& a, const Place& b) {
  return a.byte == b.byte && a.utf16 == b.utf16 && a.line == b.line && a.column == b.column;
}

// The places of all offsets of a text, one byte after the other, as the header says.
std::vector<Place> all_places(std::string_view text) {
  std::vector<Place> places(1);
  Place here;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned units = byte >= 0xF0 ? 2 : byte < 0x80 || byte >= 0xC0 ? 1 : 0;
    here.byte += 1;
    here.utf16 += units;
    if (byte == '\r' || byte == '\n') {
      here.line += byte == '\r' || i == 0 || text[i - 1] != '\r' ? 1 : 0;
      here.column = 1;
    } else {
      here.column += units;
    }
    places.push_back(here);
  }
  return places;
}

// Feeds the text in pieces that end at `cuts`, asking for one offset in `every`.
std::vector<Place> located(std::string_view text, const std::vector<std::size_t>& cuts, std::size_t every) {
  Positions positions;
  std::vector<Place> places;
  std::size_t from = 0;
  std::size_t next = 0;
  for (const std::size_t to : cuts) {
    std::vector<PlaceRequest> wanted;
    for (; next <= to; next += every) {
      wanted.push_back({next, {}});
    }
    positions.locate(text.data() + from, to - from, from, wanted);
    for (const PlaceRequest& request : wanted) {
      places.push_back(request.place);
    }
    from = to;
  }
  places.push_back(positions.here());
  return places;
}

}  // namespace

TEST_CASE("positions: every offset of every short text, cut anywhere, is where reading byte by byte puts it") {
  const std::vector<std::string> units = {"a", "\n", "\r", "\r\n", "é", "€", "😀"};
  std::size_t texts = 0;
  std::size_t wrong = 0;
  std::vector<std::string> all = {""};
  for (std::size_t begin = 0, length = 0; length < 4; ++length) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const std::string& unit : units) {
        all.push_back(all[begin] + unit);
      }
    }
  }
  for (const std::string& text : all) {
    const std::vector<Place> expected = all_places(text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      for (std::size_t second = cut; second <= text.size(); second += 3) {
        ++texts;
        const std::vector<Place> places = located(text, {cut, second, text.size()}, 1);
        bool right = places.size() == expected.size() + 1;
        for (std::size_t i = 0; right && i < expected.size(); ++i) {
          right = same(places[i], expected[i]);
        }
        wrong += right ? 0 : 1;
      }
    }
  }
  CHECK(texts > 30'000);
  CHECK(wrong == 0);
}

TEST_CASE("positions: long texts without requests agree with short steps, whatever the cuts") {
  std::uint64_t state = 88172645463325252U;
  const auto next = [&state] {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return static_cast<std::size_t>(state);
  };
  const std::vector<std::vector<std::string>> mixtures = {
      {"a"},
      {"text ", "more", "\n"},
      {"a", "é", "€uro", "😀", "\n", "plain text that is longer than the others"},
      {"a", "\r\n", "some words on a line", "\r", "\n", "\n\r"},
      {"\r\n"},
      {"\r"},
      {"\n"},
      {"😀"},
      {"\xFF\x80\xBF\xC0\xF7", "x"},
  };
  for (const std::vector<std::string>& mixture : mixtures) {
    for (const std::size_t size : {60U, 64U, 65U, 300U, 4'079U, 4'080U, 4'200U, 20'000U}) {
      std::string text;
      while (text.size() < size) {
        text += mixture[next() % mixture.size()];
      }
      const std::vector<Place> expected = all_places(text);
      CAPTURE(mixture[0]);
      CAPTURE(size);
      for (std::size_t round = 0; round < 6; ++round) {
        std::vector<std::size_t> cuts;
        const std::size_t step_max = round == 0 ? text.size() : round == 1 ? 20 : 1 + next() % 3'000;
        for (std::size_t at = 0; at < text.size();) {
          at = std::min(text.size(), at + (round == 0 ? step_max : 1 + next() % step_max));
          cuts.push_back(at);
        }
        CHECK(same(located(text, cuts, text.size() + 1).back(), expected.back()));
        const std::size_t every = 1 + next() % 200;
        const std::vector<Place> places = located(text, cuts, every);
        std::size_t wrong = 0;
        for (const Place& place : places) {
          wrong += same(place, expected[static_cast<std::size_t>(place.byte)]) ? 0 : 1;
        }
        CHECK(places.size() == text.size() / every + 2);
        CHECK(wrong == 0);
      }
      for (std::size_t at = 0; at <= text.size(); at += 1 + text.size() / 50) {
        CHECK(same(place_at(text, at), expected[at]));
      }
    }
  }
}

TEST_CASE("positions: columns count UTF-16 units and lines end at LF, CR LF and CR") {
  const std::string_view text = "a😀é\r\nb\rc\nd";
  const auto is = [&](std::uint64_t byte, std::uint32_t line, std::uint32_t column, std::uint64_t utf16) {
    const Place place = place_at(text, byte);
    return place.line == line && place.column == column && place.utf16 == utf16;
  };
  CHECK(is(0, 1, 1, 0));
  CHECK(is(1, 1, 2, 1));
  CHECK(is(5, 1, 4, 3));
  CHECK(is(7, 1, 5, 4));
  CHECK(is(9, 2, 1, 6));
  CHECK(is(10, 2, 2, 7));
  CHECK(is(11, 3, 1, 8));
  CHECK(is(13, 4, 1, 10));
  CHECK(is(14, 4, 2, 11));
  CHECK(place_at(text, 99).byte == text.size());
}

TEST_CASE("positions: several requests for one offset, and empty chunks, are fine") {
  Positions positions;
  PlaceRequest wanted[] = {{0, {}}, {0, {}}, {2, {}}, {2, {}}};
  positions.locate("", 0, 0, {});
  positions.locate("\nx", 2, 0, wanted);
  CHECK(wanted[1].place.line == 1);
  CHECK(wanted[3].place.line == 2);
  CHECK(wanted[3].place.column == 2);
  PlaceRequest at_end[] = {{2, {}}};
  positions.locate("", 0, 2, at_end);
  CHECK(same(at_end[0].place, wanted[3].place));
  positions.reset();
  CHECK(positions.here().byte == 0);
  CHECK(positions.here().line == 1);
}
