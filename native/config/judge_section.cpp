#include "native/config/judge_section.hpp"

#include "core/ascii.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/config/setting_table.hpp"

namespace plumb {

namespace {

constexpr std::size_t digits_max = 4;  // behind the point

// "0.1" in ten-thousandths.
std::optional<std::uint64_t> read_share(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (point != 1 || text.size() == point + 1 || fraction.size() > digits_max || !ascii::only(fraction, ascii::digits) ||
      (text[0] != '0' && text[0] != '1')) {
    return std::nullopt;
  }
  std::uint64_t share = text[0] == '1' ? judge::whole_share : 0;
  std::uint64_t unit = judge::whole_share;
  for (const char c : fraction) {
    unit /= 10;
    share += unit * static_cast<std::uint64_t>(c - '0');
  }
  return share <= judge::whole_share ? std::optional(share) : std::nullopt;
}

struct JudgeReader : YamlReading {
  judge::JudgeLimits& out;

  std::optional<Error> section(const YAML::Node& node) const {
    if (!node.IsMap()) {
      return at(node.Mark(), "'judge' must be a map such as {max_false_accept: 0.1}, not " + yaml_kind(node));
    }
    if (std::optional<Error> error = only_keys(node, keys_below(config_settings(), "judge"), " in 'judge'")) {
      return error;
    }
    if (const YAML::Node share = node["max_false_accept"]) {
      std::string said;
      if (std::optional<Error> error = text(share, "max_false_accept", said)) {
        return error;
      }
      const std::optional<std::uint64_t> read = read_share(said);
      if (!read) {
        return at(share.Mark(),
                  "'max_false_accept' must be a number from 0 to 1 with at most 4 digits behind the "
                  "point, such as 0.1");
      }
      out.missed_max = *read;
    }
    if (const YAML::Node must = node["must_be_measured"]) {
      std::string said;
      if (std::optional<Error> error = one_of(must, "must_be_measured", {"true", "false"}, said)) {
        return error;
      }
      out.must_be_measured = said == "true";
    }
    return std::nullopt;
  }
};

}  // namespace

Result<judge::JudgeLimits> read_judge_section(const std::string& file, const YAML::Node& node) {
  judge::JudgeLimits out;
  const JudgeReader reader{{file}, out};
  if (std::optional<Error> error = reader.section(node)) {
    return *error;
  }
  return out;
}

}  // namespace plumb
