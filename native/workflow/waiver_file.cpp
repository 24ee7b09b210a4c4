#include "native/workflow/waiver_file.hpp"

#include <yaml-cpp/yaml.h>

#include <optional>
#include <utility>

#include "native/base/file_bytes.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/config/trust.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t waivers_max = 1'000;
constexpr std::size_t files_max = 100;
constexpr std::uint64_t bytes_max = std::uint64_t{1} << 20U;

struct WaiverReader : YamlReading {
  std::optional<Error> globs(const YAML::Node& node, std::vector<std::string>& into) const {
    if (node.IsScalar()) {
      into.push_back(node.Scalar());
      return std::nullopt;
    }
    if (!node.IsSequence() || node.size() > files_max) {
      return at(node.Mark(),
                "'files' must be a list of at most " + std::to_string(files_max) + " globs, not " + yaml_kind(node));
    }
    for (const YAML::Node& one : node) {
      into.emplace_back();
      if (std::optional<Error> error = text(one, "files", into.back())) {
        return error;
      }
    }
    return std::nullopt;
  }

  std::optional<Error> entry(const YAML::Node& node, WaiverText& out) const {
    out.line = static_cast<std::uint32_t>(node.Mark().line) + 1;
    if (!node.IsMap()) {
      return at(node.Mark(),
                "a waiver is a map such as {gate: lint, owner: ann, reason: ..., expires: 2027-02-28}, not " +
                    yaml_kind(node));
    }
    if (std::optional<Error> error =
            only_keys(node, {"rule", "gate", "files", "owner", "reason", "expires"}, " in a waiver")) {
      return error;
    }
    for (const auto& [key, into] :
         {std::pair{"rule", &out.rule}, std::pair{"gate", &out.gate}, std::pair{"owner", &out.owner},
          std::pair{"reason", &out.reason}, std::pair{"expires", &out.expires}}) {
      if (node[key] && !node[key].IsNull()) {
        if (std::optional<Error> error = text(node[key], key, *into)) {
          return error;
        }
      }
    }
    return node["files"] ? globs(node["files"], out.files) : std::nullopt;
  }
};

}  // namespace

FileFinding waiver_finding(const std::string& path, std::uint32_t line, contract::Severity severity,
                           std::string message) {
  return in_file(path, line,
                 make_finding("waiver", severity, contract::FindingClass::inner, "", "", std::move(message)));
}

WaiverFile read_waiver_file(const std::string& path, const std::string& text) {
  WaiverFile out;
  const WaiverReader reader{{path}};
  const auto add = [&](const Error& error) {
    out.findings.push_back(
        waiver_finding(path, static_cast<std::uint32_t>(error.line), contract::Severity::error, error.message));
  };
  if (text.size() > bytes_max) {
    add({ErrorCode::limit,
         "has " + std::to_string(text.size()) + " bytes; a file of waivers may have " + std::to_string(bytes_max) +
             ", so none of its waivers counts",
         path, 0, 0});
    return out;
  }
  const std::optional<Error> failed = read_yaml(path, text, [&](const YAML::Node& root) -> std::optional<Error> {
    if (!root || root.IsNull()) {
      return std::nullopt;
    }
    if (!root.IsMap()) {
      return reader.at(root.Mark(), "a file of waivers is a map with the list 'waivers', not " + yaml_kind(root));
    }
    if (std::optional<Error> error = reader.only_keys(root, {"waivers"}, " in a file of waivers")) {
      return error;
    }
    const YAML::Node list = root["waivers"];
    if (!list || list.IsNull()) {
      return std::nullopt;
    }
    if (!list.IsSequence() || list.size() > waivers_max) {
      return reader.at(list.Mark(), "'waivers' must be a list of at most " + std::to_string(waivers_max) + " waivers");
    }
    for (const YAML::Node& node : list) {
      WaiverText one;
      if (const std::optional<Error> error = reader.entry(node, one)) {
        add(*error);
      } else {
        out.waivers.push_back(std::move(one));
      }
    }
    return std::nullopt;
  });
  if (failed) {
    add(*failed);
  }
  return out;
}

ConfigFile proposed_waivers(const std::string& top, const std::string& path) {
  ConfigFile out;
  const Result<std::string> text = read_file(top + "/" + path, bytes_max);
  out.path = top + "/" + path;
  out.text = text ? text.value() : std::string();
  for (const WaiverText& one : read_waiver_file(path, out.text).waivers) {
    out.proposals.push_back(
        {"waiver of " + Waiver{one}.name(), "by " + one.owner + " until " + one.expires + ": " + one.reason, one.line});
  }
  return out;
}

bool text_is_trusted(const std::string& top, const std::string& path, const std::string& text) {
  const std::optional<KeptTrust> kept = kept_trust(top + "/" + path);
  return kept && !kept->text.empty() && kept->text == text;
}

}  // namespace plumb::workflow
