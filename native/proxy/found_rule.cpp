#include "native/proxy/found_rule.hpp"

#include "core/ascii.hpp"
#include "core/json/writer.hpp"

namespace plumb::proxy {

namespace {

// "/questions/0/options", of which the contract has every name, and says that there are lists: a name of the answer's
// own may be anything, and is "*".
std::string place_in_answer(std::string_view at, std::string_view schema_location) {
  constexpr std::size_t bytes_max = 200;
  const std::string known = std::string(schema_location) + "/";
  const bool lists = known.find("/items/") != known.npos || known.find("/prefixItems/") != known.npos;
  std::string out;
  while (!at.empty() && out.size() < bytes_max) {
    at.remove_prefix(1);
    const std::string_view name = at.substr(0, at.find('/'));
    at.remove_prefix(name.size());
    const bool index = lists && !name.empty() && name.size() <= 9 && ascii::only(name, ascii::digits);
    out += "/";
    out += index || known.find("/properties/" + std::string(name) + "/") != std::string::npos ? name : "*";
  }
  return out;
}

}  // namespace

void add_found(std::vector<FoundRule>& found, const contract::Verdict& verdict) {
  for (const contract::Finding& one : verdict.findings) {
    if (found.size() < FoundRule::kept_max && one.shadowed_by == 0) {
      found.push_back({json::excerpt(one.rule, 40), contract::severity_name(one.severity),
                       place_in_answer(one.at, one.schema_location), json::excerpt(one.schema_location, 200)});
    }
  }
}

}  // namespace plumb::proxy
