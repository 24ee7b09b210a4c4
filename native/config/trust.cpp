#include "native/config/trust.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/sha256.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb {

namespace {

constexpr std::uint64_t trusted_bytes_max = std::uint64_t{64} << 20U;

using Trusted = std::map<std::string, KeptTrust>;  // by path

std::string folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  return state != nullptr && *state != '\0' ? std::string(state) + "/plumb"
         : home != nullptr && *home != '\0' ? std::string(home) + "/.local/state/plumb"
                                            : std::string();
}

Error wrong(const std::string& file, std::string what) {
  return Error{ErrorCode::unavailable, std::move(what), file, 0, 0};
}

// Nothing where there is no such file.
Result<Trusted> read_trusted() {
  const std::string file = folder() + "/trusted.json";
  Trusted out;
  struct stat about {};
  if (folder().empty() || ::lstat(file.c_str(), &about) != 0) {
    return out;
  }
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid() || (about.st_mode & 022U) != 0) {
    return wrong(file, "is not a file that you alone can write, so nothing in it counts");
  }
  const Result<std::string> text = read_file(file, trusted_bytes_max);
  if (!text) {
    return text.error();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(text.value(), arena);
  if (!read || !read.value().is(json::Kind::object)) {
    return wrong(file, "is not a JSON object; remove it, and say again what you trust");
  }
  for (const json::Member& member : read.value().object()) {
    if (member.value.is(json::Kind::string)) {  // as earlier versions kept it
      out[std::string(member.key)].hash = member.value.str();
    } else if (member.value.is(json::Kind::object)) {
      out[std::string(member.key)] = {std::string(json::text_of(member.value, "hash")),
                                      std::string(json::text_of(member.value, "text"))};
    }
  }
  return out;
}

}  // namespace

std::string proposals_hash(const ConfigFile& config) {
  if (config.proposals.empty()) {
    return {};
  }
  std::string all;
  json::Writer json(all);
  json.begin_array().string(absolute_path(config.path));
  for (const ConfigFile::Proposal& one : config.proposals) {
    json.string(one.name).string(one.text);
  }
  json.end_array();
  return json::sha256_hex(all);
}

std::optional<Error> not_trusted(const ConfigFile& config, std::string_view prefix) {
  const auto proposed = std::find_if(config.proposals.begin(), config.proposals.end(),
                                     [&](const ConfigFile::Proposal& one) { return one.name.starts_with(prefix); });
  if (config.path.empty() || proposed == config.proposals.end()) {
    return std::nullopt;
  }
  const Result<Trusted> trusted = read_trusted();
  if (!trusted) {
    return trusted.error();
  }
  const auto found = trusted.value().find(absolute_path(config.path));
  if (found != trusted.value().end() && found->second.hash == proposals_hash(config)) {
    return std::nullopt;
  }
  return Error{
      ErrorCode::unavailable,
      "proposes " + proposed->name + (found == trusted.value().end() ? "" : ", other than what you trusted") +
          ", and a file that is merely found decides on no commands, addresses or keys. " +
          (::isatty(STDIN_FILENO) == 1 ? "Review it with 'plumb trust', or name the file yourself with --config"
                                       : "The owner of this machine can review it at a terminal"),
      config.path, proposed->line, 0};
}

std::optional<KeptTrust> kept_trust(const std::string& path) {
  const Result<Trusted> trusted = read_trusted();
  const std::string absolute = absolute_path(path);
  if (!trusted || trusted.value().count(absolute) == 0) {
    return std::nullopt;
  }
  return trusted.value().at(absolute);
}

bool trusted_as_it_is(const ConfigFile& config) {
  const std::optional<KeptTrust> kept = kept_trust(config.path);
  return kept && kept->hash == proposals_hash(config) && kept->text == config.text;
}

Result<bool> set_trust(const ConfigFile& config, bool yes) {
  if (folder().empty()) {
    return wrong("HOME", "is not set: there is no place to keep what you trust");
  }
  Result<Trusted> trusted = read_trusted();
  if (!trusted) {
    return trusted.error();
  }
  const std::string path = absolute_path(config.path);
  if (yes && !config.proposals.empty()) {
    trusted.value()[path] = {proposals_hash(config), config.text};
  } else {
    trusted.value().erase(path);
  }
  std::string text;
  json::Writer json(text, 2);
  json.begin_object();
  for (const auto& [file, kept] : trusted.value()) {
    if (kept.text.empty()) {
      json.member(file, kept.hash);
    } else {
      json.key(file).begin_object().member("hash", kept.hash).member("text", kept.text).end_object();
    }
  }
  json.end_object();
  text += '\n';
  if (text.size() > trusted_bytes_max) {
    return wrong(folder() + "/trusted.json", "has no room for more: take back what you no longer trust");
  }
  std::error_code failed;
  std::filesystem::create_directories(folder(), failed);
  const std::string file = folder() + "/trusted.json";
  const std::string fresh = file + "." + std::to_string(::getpid());
  const int out = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out < 0) {
    return wrong(fresh, std::string("cannot be written: ") + std::strerror(errno));
  }
  const bool whole = ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(out) == 0;
  ::close(out);
  if (!whole || ::rename(fresh.c_str(), file.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(fresh.c_str());
    return wrong(file, "cannot be written: " + why);
  }
  return true;
}

}  // namespace plumb
