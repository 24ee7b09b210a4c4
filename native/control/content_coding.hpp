// Which coding of a file a client wants (RFC 9110, 12.5.3). Files are never coded here: the page's build leaves
// `index.js.br` and `index.js.gz` beside `index.js`, and these are what is given.
//
//   wanted_codings("gzip;q=0.8, br")   // brotli, gzip, identity
//   wanted_codings("br;q=0, *")        // gzip, identity
//   wanted_codings("")                 // identity
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace plumb::control {

enum class Coding : std::uint8_t { brotli, gzip, identity };

// In Content-Encoding: "br"; empty for the file as it is.
std::string_view coding_name(Coding coding);

// What follows the name of a file in this coding: ".br".
std::string_view coding_ending(Coding coding);

// The codings that a client takes, best first by its weights, of equal ones the smallest first. The file as it is
// comes last where it is not asked for, and also where it is refused: better an answer than none.
std::vector<Coding> wanted_codings(std::string_view accept_encoding);

}  // namespace plumb::control
