#include "core/json/record.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/field_as.hpp"
#include "core/run/data.hpp"
#include "core/run/data_record.hpp"

using plumb::json::Arena;
using plumb::json::Field;
using plumb::json::field;
using plumb::json::field_if_set;
using plumb::json::parse;
using plumb::json::record_of;
using plumb::json::record_text;
using plumb::json::records_of;
using plumb::run::Data;

namespace {

enum class Colour : unsigned char { red, dark_blue };
std::span<const std::string_view> names_of(Colour) {
  static constexpr std::array<std::string_view, 2> names = {"red", "dark blue"};
  return names;
}

struct Place {
  std::string file;
  std::uint32_t line = 1;
  bool operator==(const Place&) const = default;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Place::file>("file"), field<&Place::line>("line")};
    return table;
  }
};

struct Seat {
  std::string name;
  Place place;
  bool taken = false;
  bool operator==(const Seat&) const = default;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Seat::name>("name"), plumb::json::members_of<&Seat::place>(),
                                      field<&Seat::taken>("taken")};
    return table;
  }
};

struct Claim {
  std::string text;
  bool verified = true;
  Colour colour = Colour::red;
  std::vector<Place> places;
  std::vector<std::string> words;
  std::optional<std::uint64_t> confidence;
  Place first;
  bool operator==(const Claim&) const = default;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {
        field<&Claim::text>("claim"),         field<&Claim::verified>("verified"),
        field<&Claim::colour>("colour"),      field_if_set<&Claim::places>("places"),
        field<&Claim::words>("words"),        field_if_set<&Claim::confidence>("confidence"),
        field_if_set<&Claim::first>("first"),
    };
    return table;
  }
};

// A flag that is one of two words.
constexpr plumb::json::FieldType day_type = {
    [](const plumb::json::Value& value, void* at) { return *static_cast<bool*>(at) = value.str() == "day"; },
    [](plumb::json::Writer& json, const void* at) { json.string(*static_cast<const bool*>(at) ? "day" : "night"); },
    [](const void* at) { return *static_cast<const bool*>(at); }};

struct Sky {
  bool day = false;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {plumb::json::field_as<&Sky::day>("time", day_type)};
    return table;
  }
};

struct Holder {
  Data whole;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&Holder::whole>("whole")};
    return table;
  }
};

Claim read(std::string_view text) {
  Arena arena;
  return record_of<Claim>(parse(text, arena).value());
}

Claim full() {
  Claim out;
  out.text = "two \"words\"";
  out.verified = false;
  out.colour = Colour::dark_blue;
  out.places = {{"a", 7}, {"b", 0}};
  out.words = {"x", ""};
  out.confidence = 0;
  out.first = {"c", 2};
  return out;
}

}  // namespace

TEST_CASE("record: what was written is read as the same, in the order of the table") {
  const std::string text = record_text(full());
  CHECK(text == R"({"claim":"two \"words\"","verified":false,"colour":"dark blue","places":[{"file":"a","line":7},)"
                R"({"file":"b","line":0}],"words":["x",""],"confidence":0,"first":{"file":"c","line":2}})");
  CHECK(read(text) == full());
}

TEST_CASE("record: what is not set is left out where the table says so, else written") {
  Claim claim;
  claim.first.line = 0;
  CHECK(record_text(claim) == R"({"claim":"","verified":true,"colour":"red","words":[]})");
  claim.first.line = 1;
  CHECK(record_text(claim).find(R"("first":{"file":"","line":1})") != std::string::npos);
}

TEST_CASE("record: what is missing, of another kind or no such name keeps what the struct begins with") {
  CHECK(read("{}") == Claim());
  CHECK(read("[1]") == Claim());
  CHECK(read(R"({"claim":1,"verified":"no","colour":"green","places":{},"words":"x","confidence":-1,"first":[]})") ==
        Claim());
  CHECK(read(R"({"confidence":null})").confidence == std::nullopt);
  CHECK(read(R"({"first":{"line":4294967296}})").first.line == 1);
  CHECK(read(R"({"first":{"line":4294967295}})").first.line == 4294967295);
  CHECK(read(R"({"first":{"line":1.5}})").first.line == 1);
}

TEST_CASE("record: items of another kind are left out of a list, and unknown members passed over") {
  const Claim claim = read(R"({"words":["a",2,"b",null],"places":[{"file":"x","more":[{}]},3,[],{}],"unknown":{}})");
  CHECK(claim.words == std::vector<std::string>{"a", "b"});
  CHECK(claim.places == std::vector<Place>{{"x", 1}, {"", 1}});
  Arena arena;
  CHECK(records_of<Place>(parse(R"([{"line":3},"no"])", arena).value()) == std::vector<Place>{{"", 3}});
}

TEST_CASE("record: a member may be read and written in a way of its own") {
  CHECK(record_text(Sky{true}) == R"({"time":"day"})");
  CHECK(record_text(Sky{}) == R"({"time":"night"})");
  CHECK(Data::written(R"({"time":"day"})").as<Sky>().day);
}

TEST_CASE("record: the members of a record within another's object") {
  const Seat seat{"4a", {"hall", 2}, true};
  CHECK(record_text(seat) == R"({"name":"4a","file":"hall","line":2,"taken":true})");
  Arena arena;
  CHECK(record_of<Seat>(parse(record_text(seat), arena).value()) == seat);
  CHECK(record_of<Seat>(parse(R"({"line":7,"name":"b"})", arena).value()) == Seat{"b", {"", 7}, false});
  CHECK(record_of<Seat>(parse("[]", arena).value()) == Seat());
}

TEST_CASE("record: a document is a record, read once and shared by its copies") {
  const Data data = Data::read(R"({"file":"a","line":3})").value();
  const Data copy = data;
  const Place& place = data.as<Place>();
  CHECK(place == Place{"a", 3});
  CHECK(&copy.as<Place>() == &place);
  CHECK(data.as<Claim>() == Claim());  // another record of the same text
  CHECK(&copy.as<Place>() == &place);
  CHECK(Data().as<Place>() == Place());
  CHECK(Data::string("x").as<Place>() == Place());
  const Data made = Data::of(Place{"b", 9});
  CHECK(made.text() == R"({"file":"b","line":9})");
  CHECK(made.as<Place>() == Place{"b", 9});
}

TEST_CASE("record: a document in a record is written as it was") {
  Holder holder;
  CHECK(record_text(holder) == R"({"whole":null})");
  holder.whole = Data::written(R"({"b":1.50,"a":[]})");
  CHECK(record_text(holder) == R"({"whole":{"b":1.50,"a":[]}})");
  CHECK(Data::of(holder).as<Holder>().whole.text() == R"({"b":1.50,"a":[]})");
  CHECK(Data::written(R"({"whole":{"b":1.50,"a":[]}})").as<Holder>().whole.text() == R"({"b":1.50,"a":[]})");
}
