#include "core/text/format.hpp"

#include "core/require.hpp"
#include "core/text/format_address.hpp"
#include "core/text/format_host.hpp"
#include "core/text/format_mail.hpp"
#include "core/text/format_pointer.hpp"
#include "core/text/format_regex.hpp"
#include "core/text/format_time.hpp"
#include "core/text/format_uri.hpp"

namespace plumb::text {
namespace {

struct Entry {
  std::string_view name;
  bool (*holds)(std::string_view text);
};

// In the order of the enumeration.
constexpr Entry formats[formats_count] = {
    {"date-time", is_date_time},
    {"date", is_date},
    {"time", is_time},
    {"duration", is_duration},
    {"email", is_email},
    {"idn-email", is_idn_email},
    {"hostname", is_hostname},
    {"idn-hostname", is_idn_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"uri", is_uri},
    {"uri-reference", is_uri_reference},
    {"iri", is_iri},
    {"iri-reference", is_iri_reference},
    {"uuid", is_uuid},
    {"uri-template", is_uri_template},
    {"json-pointer", is_json_pointer},
    {"relative-json-pointer", is_relative_json_pointer},
    {"regex", is_regex},
};

const Entry& entry(Format format) {
  const auto index = static_cast<unsigned>(format);
  PLUMB_REQUIRE(index < formats_count, "a format is one of the enumeration");
  return formats[index];
}

}  // namespace

std::optional<Format> format_named(std::string_view name) {
  for (unsigned i = 0; i < formats_count; ++i) {
    if (formats[i].name == name) {
      return static_cast<Format>(i);
    }
  }
  return std::nullopt;
}

std::string_view format_name(Format format) { return entry(format).name; }

bool format_holds(Format format, std::string_view decoded_utf8) { return entry(format).holds(decoded_utf8); }

}  // namespace plumb::text
