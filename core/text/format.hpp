// The formats of JSON Schema 2020-12 (specification, "Validation", section 7.3), each exact by the document it names.
//
//   if (const std::optional<Format> format = format_named("date-time")) {
//     bool ok = format_holds(*format, text);
//   }
//
// `text` is the decoded string as UTF-8. Every test runs in time linear in the text and allocates nothing that grows
// beyond it; what is longer than a format can be (a host name, a mailbox) is refused at once.
//
// | format                | by                                                                                       |
// | --------------------- | ---------------------------------------------------------------------------------------- |
// | date-time, date, time | RFC 3339 5.6: `T` and `Z` in either case; second 60 only where UTC reads 23:59:60, in a   |
// |                       | date-time also only at the end of a month; the offset -00:00 is allowed                   |
// | duration              | RFC 3339 appendix A: whole numbers; PT1H2S and P1Y2D skip a unit and are refused; letters |
// |                       | in either case, as ABNF reads them                                                       |
// | email                 | RFC 5321 4.1.2 Mailbox: quoted local parts, address literals, at most 64 and 255 octets   |
// | idn-email             | RFC 6531: the same with UTF-8 in local parts and U-labels in domains                      |
// | hostname              | RFC 1123 2.1, at most 253 octets, labels of at most 63, no dot at the end, not #.#.#.#;   |
// |                       | a label xn-- must be an A-label: decoded (RFC 3492), checked as below, written back       |
// | idn-hostname          | RFC 5890 2.3.2.3: labels that are LDH, A-labels or U-labels; U-labels by RFC 5891 5.4,    |
// |                       | RFC 5892 with contextual rules, and RFC 5893 (bidirectional names); not mapped before     |
// | ipv4                  | RFC 2673 3.2, four decimal octets, no leading zeros                                       |
// | ipv6                  | RFC 4291 2.2: `::` stands for at least one group; no zone                                 |
// | uri, uri-reference    | RFC 3986; uri wants a scheme                                                              |
// | iri, iri-reference    | RFC 3987                                                                                  |
// | uuid                  | RFC 4122: 8-4-4-4-12 hexadecimal digits in either case, any version                       |
// | uri-template          | RFC 6570, operators reserved for extensions included                                     |
// | json-pointer          | RFC 6901                                                                                 |
// | relative-json-pointer | draft-bhutton-relative-json-pointer-00, with index manipulation                          |
// | regex                 | ECMA-262 with the flag u, its early errors included                                      |
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumb::text {

enum class Format : std::uint8_t {
  date_time,
  date,
  time,
  duration,
  email,
  idn_email,
  hostname,
  idn_hostname,
  ipv4,
  ipv6,
  uri,
  uri_reference,
  iri,
  iri_reference,
  uuid,
  uri_template,
  json_pointer,
  relative_json_pointer,
  regex,
};

inline constexpr unsigned formats_count = 19;

// Nothing for a name that is no format of the specification: such a `format` asserts nothing.
std::optional<Format> format_named(std::string_view name);
// "date-time".
std::string_view format_name(Format format);

bool format_holds(Format format, std::string_view decoded_utf8);

}  // namespace plumb::text
