#include "core/sample/format_text.hpp"

#include "core/json/number_text.hpp"
#include "core/require.hpp"
#include "core/sample/words.hpp"

namespace plumb::sample {

using text::Format;

namespace {

std::string two(std::size_t number) {
  std::string out(number < 10 ? "0" : "");
  return out + json::uint_text(number);
}

std::string date(Random& random) {
  return "20" + two(10 + random.below(20)) + "-" + two(1 + random.below(12)) + "-" + two(1 + random.below(28));
}

std::string day_time(Random& random) {
  return two(random.below(24)) + ":" + two(random.below(60)) + ":" + two(random.below(60)) + "Z";
}

std::string hex(Random& random, std::size_t digits) {
  std::string out;
  for (std::size_t i = 0; i < digits; ++i) {
    out += "0123456789abcdef"[random.below(16)];
  }
  return out;
}

std::string made(Format format, Random& random) {
  switch (format) {
    case Format::date_time:
      return date(random) + "T" + day_time(random);
    case Format::date:
      return date(random);
    case Format::time:
      return day_time(random);
    case Format::duration:
      return "P" + json::uint_text(1 + random.below(20)) + "DT" + json::uint_text(1 + random.below(20)) + "H";
    case Format::email:
      return word(random) + "@example.org";
    case Format::idn_email:
      return word(random) +
             "@b\xC3\xBC"
             "cher.example";
    case Format::hostname:
      return word(random) + ".example.org";
    case Format::idn_hostname:
      return word(random) +
             ".b\xC3\xBC"
             "cher.example";
    case Format::ipv4:
      return "192.0.2." + json::uint_text(1 + random.below(250));
    case Format::ipv6:
      return "2001:db8::" + hex(random, 3) + "1";
    case Format::uri:
    case Format::iri:
      return "https://example.org/" + word(random) + (format == Format::iri ? "/\xC3\xBC" : "");
    case Format::uri_reference:
    case Format::iri_reference:
      return "../" + word(random) + "#" + word(random) + (format == Format::iri_reference ? "-\xC3\xBC" : "");
    case Format::uuid:
      return hex(random, 8) + "-" + hex(random, 4) + "-4" + hex(random, 3) + "-a" + hex(random, 3) + "-" +
             hex(random, 12);
    case Format::uri_template:
      return "https://example.org/{" + word(random) + "}";
    case Format::json_pointer:
      return "/" + word(random) + "/" + json::uint_text(random.below(10));
    case Format::relative_json_pointer:
      return json::uint_text(random.below(4)) + "/" + word(random);
    case Format::regex:
      return "^" + word(random) + "s?$";
  }
  return {};
}

// Each is broken in more than one way for most formats; format_holds() takes out those that happen to be fine.
constexpr std::string_view misses[] = {"2024-13-45",
                                       "25:61:00",
                                       "not in this format",
                                       "example.org/lantern",
                                       "999.1.1.1",
                                       "P",
                                       "{lantern",
                                       "lantern@",
                                       "lantern/~2",
                                       "(",
                                       "a..b",
                                       "%zz",
                                       "\\",
                                       ""};

}  // namespace

std::string text_in_format(Format format, Random& random) {
  std::string out = made(format, random);
  PLUMB_REQUIRE(text::format_holds(format, out), "a text made for a format is in it");
  return out;
}

std::string text_not_in_format(Format format, std::size_t which) {
  for (std::string_view miss : misses) {
    if (!text::format_holds(format, miss)) {
      if (which == 0) {
        return std::string(miss);
      }
      --which;
    }
  }
  return {};
}

}  // namespace plumb::sample
