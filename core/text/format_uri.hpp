// URIs and IRIs (RFC 3986, RFC 3987) and URI templates (RFC 6570).
//
// Syntax only: a host of digits and dots that is no IPv4 address is a registered name, a port is any digits. An IRI
// holds no bidirectional formatting characters (RFC 3987 4.1); its host is not checked as a host name.
#pragma once

#include <string_view>

namespace plumb::text {

// URI: with a scheme, with or without a fragment.
bool is_uri(std::string_view text);
// URI-reference: a URI or a relative reference; the empty text is one.
bool is_uri_reference(std::string_view text);
bool is_iri(std::string_view text);
bool is_iri_reference(std::string_view text);
bool is_uri_template(std::string_view text);

}  // namespace plumb::text
