#include "native/workflow/trusted_section.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "native/base/file_bytes.hpp"
#include "native/base/yaml_json.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/config/trust.hpp"

namespace plumb::workflow {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t text_bytes_max = std::uint64_t{1} << 20U;
constexpr std::string_view semspec_end = "/.semspec/config.yaml";

FileFinding blocking(const std::string& path, const std::string& message) {
  return in_file(
      path, 0,
      make_finding("configuration", contract::Severity::error, contract::FindingClass::inner, "", "", message));
}

std::optional<std::string> text_of_file(const std::string& path) {
  const Result<std::string> text = read_file(path, text_bytes_max);
  return text ? std::optional<std::string>(text.value()) : std::nullopt;
}

}  // namespace

Result<SectionText> section_of(const std::string& path, const std::string& text) {
  SectionText out;
  const bool semspec = path.ends_with(semspec_end);
  const std::optional<Error> wrong = read_yaml(path, text, [&](const YAML::Node& root) -> std::optional<Error> {
    const char* member = semspec ? "gates" : "workflow";
    if (!root.IsMap() || !root[member].IsDefined()) {
      return std::nullopt;
    }
    out.canonical = yaml_json(root[member]);
    Result<WorkflowSection> read = semspec ? read_semspec_gates(path, text) : read_workflow_section(path, root[member]);
    if (!read) {
      return read.error();
    }
    out.section = std::move(read).value();
    out.section.there = true;
    return std::nullopt;
  });
  return wrong ? Result<SectionText>(*wrong) : Result<SectionText>(std::move(out));
}

std::optional<TrustedSection> trusted_section(const std::string& path, const std::string& kept_of) {
  const std::optional<KeptTrust> kept = kept_trust(kept_of.empty() ? path : kept_of);
  if (!kept || kept->text.empty()) {
    return std::nullopt;
  }
  Result<SectionText> section = section_of(path, kept->text);
  if (!section || !section.value().section.there) {
    return std::nullopt;
  }
  TrustedSection out{path, std::move(section).value(), ""};
  out.edit = edit_of(out, text_of_file(path));
  return out;
}

std::string edit_of(const TrustedSection& trusted, const std::optional<std::string>& text) {
  if (!text) {
    return "was trusted and is gone";
  }
  const Result<SectionText> now = section_of(trusted.path, *text);
  const bool semspec = trusted.path.ends_with(semspec_end);
  const Result<ConfigFile> whole = semspec ? Result<ConfigFile>(ConfigFile()) : read_config_text(trusted.path, *text);
  if (!now || !whole) {
    return "cannot be read: " + (now ? whole.error().message : now.error().message);
  }
  if (!now.value().section.there) {
    return "has lost its `workflow` section, which was trusted";
  }
  return now.value().canonical == trusted.kept.canonical ? "" : "says other than what you trusted";
}

Result<std::vector<FileFinding>> configuration_findings(const std::vector<TrustedSection>& trusted,
                                                        const git::View& view, const std::vector<std::string>& changed,
                                                        const std::string& top, const std::string& folder) {
  constexpr std::string_view meanwhile =
      ". The trusted text judged this change. Put the file back, or have the owner of this machine review it";
  std::vector<FileFinding> out;
  for (const TrustedSection& one : trusted) {
    const bool inside = one.path.starts_with(top + "/");
    const std::string path = inside ? one.path.substr(top.size() + 1) : one.path;
    const bool among = std::find(changed.begin(), changed.end(), path) != changed.end();
    std::string edit = one.edit;
    if (inside) {
      const Result<std::optional<std::string>> text = view.text(path);
      if (!text) {
        return text.error();
      }
      if (text.value() || among) {
        const std::string in_view = edit_of(one, text.value());
        // What the change does not touch, and lies there as it was trusted, is not the change's fault.
        edit = among || !edit.empty() ? in_view : "";
      }
    }
    if (!edit.empty()) {
      out.push_back(blocking(path, "'" + path + "' " + edit + std::string(meanwhile)));
    }
  }
  std::error_code failed;
  fs::path at = fs::canonical(folder, failed);
  for (; !failed && at.string().size() > top.size() && at.string().starts_with(top + "/"); at = at.parent_path()) {
    for (const char* name : {"plumb.yaml", "plumb.yml"}) {
      const std::string path = (at / name).string();
      const std::optional<std::string> text = text_of_file(path);
      const Result<SectionText> nearer = text ? section_of(path, *text) : Result<SectionText>(SectionText{});
      if (!nearer || nearer.value().section.there) {
        const std::string shown = path.substr(top.size() + 1);
        out.push_back(blocking(shown, "'" + shown +
                                          "' has a `workflow` section below the top of the repository, so it does not "
                                          "count: move the section to the plumb.yaml at the top, or remove it"));
      }
    }
  }
  return out;
}

}  // namespace plumb::workflow
