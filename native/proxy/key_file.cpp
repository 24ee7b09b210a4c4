#include "native/proxy/key_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/ascii.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/run/stamp.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"
#include "native/proxy/setting_table.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t file_bytes_max = 16U << 20;
constexpr mode_t owner_only = 0600;

// One key. The first thing that is wrong is kept.
struct KeyReader {
  const std::string& where;
  std::string at;  // "/keys/3"
  KeyRow row = KeyRow::stored;
  std::optional<Error> error;

  void wrong(std::string message) {
    if (!error) {
      error = Error{ErrorCode::invalid_argument, at + ": " + std::move(message), where, 0, 0};
    }
  }
  std::string text(const json::Value& value, std::string_view name) {
    if (!value.is(json::Kind::string) || value.str().empty()) {
      wrong("'" + std::string(name) + "' must be a text that is not empty");
    }
    return std::string(value.str());
  }
  std::uint64_t time(const json::Value& value, std::string_view name) {
    const std::optional<std::uint64_t> read = read_utc(text(value, name));
    if (!read) {
      wrong("'" + std::string(name) + "' must be a time such as 2026-12-31T23:59:59Z");
    }
    return read.value_or(0);
  }
  std::vector<std::string> list(const json::Value& value, std::string_view name) {
    std::vector<std::string> out;
    if (!value.is(json::Kind::array)) {
      wrong("'" + std::string(name) + "' must be a list of texts");
    }
    for (const json::Value& one : value.array()) {
      out.push_back(text(one, name));
    }
    return out;
  }
  std::optional<Mode> mode(const json::Value& value, std::string_view name) {
    for (const Mode one : {Mode::off, Mode::observe, Mode::enforce, Mode::hold_back}) {
      if (value.str() == mode_name(one)) {
        return one;
      }
    }
    wrong("'" + std::string(name) + "' must be off, observe, enforce or hold-back");
    return std::nullopt;
  }
  KeyDigest digest(const json::Value& value) {
    const std::string_view hex = value.str();
    KeyDigest out = {};
    bool good = hex.size() == 2 * out.size();
    const auto digit = [&good](char c) {
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        good = false;
      }
      return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    for (std::size_t i = 0; good && i < out.size(); ++i) {
      out[i] = static_cast<std::uint8_t>(digit(hex[2 * i]) * 16U + digit(hex[2 * i + 1]));
    }
    if (!good) {
      wrong("'sha256' must be 64 lower-case hexadecimal digits");
    }
    return out;
  }
  Limits limits(const json::Value& value) {
    Limits out;
    if (!value.is(json::Kind::object)) {
      wrong("'limits' must be an object");
    }
    for (const json::Member& member : value.object()) {
      const LimitField* field = limit_field(member.key);
      const std::optional<std::uint64_t> read =
          field == nullptr ? std::nullopt : read_limit(*field, member.value.str());
      if (field == nullptr) {
        wrong("there is no limit '" + std::string(member.key) + "'");
      } else if (!read) {
        wrong("the limit '" + std::string(member.key) + "' must be a number above 0");
      } else {
        out.*field->member = *read;
      }
    }
    return out;
  }

  // Members that the row does not have, or that are read elsewhere.
  bool is_left_out(std::string_view name) const {
    return row == KeyRow::shown ? name == "state" : row == KeyRow::wanted && name == "expires";
  }
  bool is_foreign(std::string_view name) const {
    return row == KeyRow::wanted && (name == "id" || name == "sha256" || name == "created" || name == "revoked");
  }

  void member(const json::Member& member, ClientKey& key) {
    const json::Value& value = member.value;
    if (is_left_out(member.key)) {
      return;
    }
    if (is_foreign(member.key)) {
      wrong("'" + std::string(member.key) + "' cannot be chosen");
    } else if (member.key == "id") {
      key.id = text(value, "id");
    } else if (member.key == "name") {
      key.name = text(value, "name");
    } else if (member.key == "sha256") {
      key.digest = digest(value);
    } else if (member.key == "created") {
      key.created_ms = time(value, "created");
    } else if (member.key == "expires") {
      key.expires_ms = time(value, "expires");
    } else if (member.key == "revoked") {
      key.revoked_ms = time(value, "revoked");
    } else if (member.key == "models") {
      key.models = list(value, "models");
    } else if (member.key == "contracts") {
      key.contracts = list(value, "contracts");
    } else if (member.key == "origins") {
      key.origins = list(value, "origins");
    } else if (member.key == "limits") {
      key.limits = limits(value);
    } else if (member.key == "response_format") {
      key.response_format = mode(value, "response_format");
    } else if (member.key == "tools") {
      key.tools = mode(value, "tools");
    } else if (member.key == "project") {
      key.project = text(value, "project");
      if (!is_project_name(key.project)) {
        wrong("'project' has 1 to 32 letters, digits, '-' and '_'");
      }
    } else {
      wrong("unknown member '" + std::string(member.key) + "'" +
            plumb::did_you_mean(member.key, plumb::keys_below(key_file_settings(), "keys[]")));
    }
  }
  ClientKey key(const json::Value& value) {
    ClientKey out;
    if (!value.is(json::Kind::object)) {
      wrong("must be an object");
    }
    for (const json::Member& one : value.object()) {
      member(one, out);
    }
    for (const std::string_view needed : {"id", "name", "sha256"}) {
      const bool there = needed == "name" || row == KeyRow::stored || (row == KeyRow::shown && needed == "id");
      if (there && value.find(needed) == nullptr) {
        wrong("has no '" + std::string(needed) + "'");
      }
    }
    return out;
  }
};

void append_list(json::Writer& json, std::string_view name, const std::vector<std::string>& list) {
  if (list.empty()) {
    return;
  }
  json.key(name).begin_array();
  for (const std::string& one : list) {
    json.string(one);
  }
  json.end_array();
}

void append_time(json::Writer& json, std::string_view name, std::uint64_t at_ms) {
  if (at_ms != 0) {
    json.member(name, run::iso_time(at_ms));
  }
}

// Held while the file is changed. It is not opened through a link, since somebody else may own the folder.
class FileLock {
 public:
  explicit FileLock(const std::string& path) {
    const std::string name = path + ".lock";
    constexpr int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    descriptor_ = ::open(name.c_str(), flags | O_CREAT | O_EXCL, owner_only);
    if (descriptor_ >= 0) {
      plumb::give_to_folder_owner(descriptor_, name);
    } else if (errno == EEXIST) {
      descriptor_ = ::open(name.c_str(), flags);
    }
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  bool held() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

}  // namespace

Result<std::vector<ClientKey>> read_keys(std::string_view text, const std::string& where) {
  std::vector<ClientKey> keys;
  if (ascii::only(text, ascii::spaces)) {
    return keys;
  }
  json::Arena arena;
  Result<json::Value> read = json::parse(text, arena, {16, file_bytes_max});
  if (!read) {
    Error error = read.error();
    error.where = where;
    return error;
  }
  const json::Value* version = read.value().find("plumb_keys");
  const json::Value* list = read.value().find("keys");
  if (version == nullptr || version->str() != "1" || list == nullptr || !list->is(json::Kind::array)) {
    return Error{ErrorCode::invalid_argument,
                 R"(is not a file of client keys ({"plumb_keys": 1, "keys": [...]}); `plumb keys create` writes one)",
                 where, 0, 0};
  }
  if (list->array().size() > keys_max) {
    return Error{ErrorCode::limit, "has more than " + std::to_string(keys_max) + " keys", where, 0, 0};
  }
  for (std::size_t i = 0; i < list->array().size(); ++i) {
    KeyReader reader{where, "/keys/" + std::to_string(i), KeyRow::stored, std::nullopt};
    keys.push_back(reader.key(list->array()[i]));
    const auto same = [&](const ClientKey& other) {
      return other.id == keys.back().id || other.digest == keys.back().digest;
    };
    if (std::any_of(keys.begin(), keys.end() - 1, same)) {
      reader.wrong("the key '" + keys.back().id + "' is there twice");
    }
    if (reader.error) {
      return *reader.error;
    }
  }
  return keys;
}

Result<ClientKey> read_key_members(const json::Value& value, KeyRow row) {
  const std::string nowhere;
  KeyReader reader{nowhere, "the key", row, std::nullopt};
  ClientKey key = reader.key(value);
  return reader.error ? Result<ClientKey>(*reader.error) : Result<ClientKey>(std::move(key));
}

void append_key_members(json::Writer& json, const ClientKey& key, bool with_digest) {
  if (!key.id.empty()) {
    json.member("id", key.id);
  }
  json.member("name", key.name);
  if (with_digest) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string digest;
    for (const std::uint8_t byte : key.digest) {
      digest += hex[byte >> 4U];
      digest += hex[byte & 15U];
    }
    json.member("sha256", digest);
  }
  append_time(json, "created", key.created_ms);
  append_time(json, "expires", key.expires_ms);
  append_time(json, "revoked", key.revoked_ms);
  append_list(json, "models", key.models);
  append_list(json, "contracts", key.contracts);
  append_list(json, "origins", key.origins);
  if (key.limits.any()) {
    json.key("limits").begin_object();
    for (const LimitField& field : limit_fields) {
      if (key.limits.*field.member != 0) {
        json.member(field.name, limit_text(field, key.limits.*field.member));
      }
    }
    json.end_object();
  }
  if (key.response_format) {
    json.member("response_format", mode_name(*key.response_format));
  }
  if (key.tools) {
    json.member("tools", mode_name(*key.tools));
  }
  if (!key.project.empty()) {
    json.member("project", key.project);
  }
}

std::string keys_text(const std::vector<ClientKey>& keys) {
  std::string out;
  json::Writer json(out, 2);
  json.begin_object().member_uint("plumb_keys", 1).key("keys").begin_array();
  for (const ClientKey& key : keys) {
    json.begin_object();
    append_key_members(json, key, true);
    json.end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

Result<std::vector<ClientKey>> read_keys_file(const std::string& path, bool* blank) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::vector<ClientKey>{};
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return Error{ErrorCode::unavailable,
                 "cannot be read: keys are in an ordinary file, not in a pipe, device or folder", path, 0, 0};
  }
  const Result<std::string> text = plumb::read_file(path, file_bytes_max);
  if (!text) {
    return text.error();
  }
  if (blank != nullptr) {
    *blank = ascii::only(text.value(), ascii::spaces);
  }
  return read_keys(text.value(), path);
}

bool keys_were_made(const std::string& path) {
  // Only what is certainly not there counts as absent.
  const auto absent = [](const std::string& one) {
    return one.empty() || (::access(one.c_str(), F_OK) != 0 && errno == ENOENT);
  };
  return !absent(path) || (!path.empty() && !absent(path + ".lock"));
}

Result<bool> change_keys_file(const std::string& path,
                              const std::function<Result<bool>(std::vector<ClientKey>&)>& change) {
  const FileLock lock(path);
  if (!lock.held()) {
    return Error{ErrorCode::unavailable,
                 "cannot be locked for a change: " + plumb::reason_of(errno) + " (" + path + ".lock)", path, 0, 0};
  }
  Result<std::vector<ClientKey>> keys = read_keys_file(path);
  if (!keys) {
    return keys.error();
  }
  Result<bool> changed = change(keys.value());
  if (!changed) {
    return changed;
  }
  if (keys.value().size() > keys_max) {
    return Error{ErrorCode::limit, "has " + std::to_string(keys_max) + " keys, more are not kept; take out old ones",
                 path, 0, 0};
  }
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  return plumb::write_file(path, keys_text(keys.value()), there ? status.st_mode & 0777U : owner_only);
}

}  // namespace plumb::proxy
