#include "native/control/content_coding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "core/ascii.hpp"

namespace plumb::control {

namespace {

struct Kind {
  std::string_view name;
  std::string_view ending;
};

constexpr std::array<Kind, 3> kinds = {{{"br", ".br"}, {"gzip", ".gz"}, {"", ""}}};
// Longer headers are not read further.
constexpr std::size_t header_bytes_max = 1024;

// "0.125" as 125; nothing where it is no weight.
std::optional<int> weight_of(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1') || (text.size() > 1 && text[1] != '.')) {
    return std::nullopt;
  }
  int thousandths = text[0] == '1' ? 1000 : 0;
  int place = 100;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (digit < '0' || digit > '9') {
      return std::nullopt;
    }
    thousandths += (digit - '0') * place;
    place /= 10;
  }
  return thousandths > 1000 ? std::nullopt : std::optional<int>(thousandths);
}

}  // namespace

std::string_view coding_name(Coding coding) { return kinds[static_cast<std::size_t>(coding)].name; }

std::string_view coding_ending(Coding coding) { return kinds[static_cast<std::size_t>(coding)].ending; }

std::vector<Coding> wanted_codings(std::string_view accept_encoding) {
  std::array<std::optional<int>, kinds.size()> weights;
  std::optional<int> others;
  std::string_view left = accept_encoding.substr(0, header_bytes_max);
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    const std::string_view entry = left.substr(0, comma);
    left.remove_prefix(std::min(comma + 1, left.size()));
    const std::size_t semicolon = std::min(entry.find(';'), entry.size());
    const std::string_view name = ascii::trim(entry.substr(0, semicolon), ascii::blanks);
    const std::string_view parameter = ascii::trim(entry.substr(std::min(semicolon + 1, entry.size())), ascii::blanks);
    std::optional<int> weight = 1000;
    if (!parameter.empty()) {
      const bool is_weight = parameter.size() > 2 && ascii::lower(parameter[0]) == 'q' && parameter[1] == '=';
      weight = is_weight ? weight_of(parameter.substr(2)) : std::nullopt;
    }
    if (!weight) {
      continue;  // what cannot be read asks for nothing
    }
    if (name == "*") {
      others = weight;
    } else if (ascii::equal_in_any_case(name, "br")) {
      weights[static_cast<std::size_t>(Coding::brotli)] = weight;
    } else if (ascii::equal_in_any_case(name, "gzip") || ascii::equal_in_any_case(name, "x-gzip")) {
      weights[static_cast<std::size_t>(Coding::gzip)] = weight;
    } else if (ascii::equal_in_any_case(name, "identity")) {
      weights[static_cast<std::size_t>(Coding::identity)] = weight;
    }
  }
  const auto weight = [&](Coding coding) {
    return weights[static_cast<std::size_t>(coding)].value_or(others.value_or(0));
  };
  std::vector<Coding> wanted;
  for (const Coding coding : {Coding::brotli, Coding::gzip, Coding::identity}) {
    if (weight(coding) > 0 || coding == Coding::identity) {
      wanted.push_back(coding);
    }
  }
  std::stable_sort(wanted.begin(), wanted.end(), [&](Coding a, Coding b) { return weight(a) > weight(b); });
  return wanted;
}

}  // namespace plumb::control
