#include "native/proxy/key_sharing.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "native/base/file_bytes.hpp"
#include "native/proxy/key_file.hpp"

namespace plumb::proxy {

namespace {

constexpr unsigned owner_only = 0600;

std::map<std::string, ClientKey> by_id(const std::vector<ClientKey>& keys) {
  std::map<std::string, ClientKey> out;
  for (const ClientKey& one : keys) {
    out.emplace(one.id, one);
  }
  return out;
}

bool same(const ClientKey& a, const ClientKey& b) { return keys_text({a}) == keys_text({b}); }

// Of a key that both have.
ClientKey newer_of(const ClientKey* last, const ClientKey& mine, const ClientKey& theirs) {
  ClientKey out = last != nullptr && same(*last, mine) ? theirs : mine;
  if (mine.revoked_ms != 0 && theirs.revoked_ms != 0) {
    out.revoked_ms = std::min(mine.revoked_ms, theirs.revoked_ms);
  } else {
    out.revoked_ms = std::max(mine.revoked_ms, theirs.revoked_ms);
  }
  return out;
}

}  // namespace

std::vector<ClientKey> merged_keys(const std::vector<ClientKey>& last, const std::vector<ClientKey>& mine,
                                   const std::vector<ClientKey>& theirs) {
  const std::map<std::string, ClientKey> before = by_id(last);
  const std::map<std::string, ClientKey> here = by_id(mine);
  const std::map<std::string, ClientKey> there = by_id(theirs);
  std::vector<ClientKey> out;
  const auto had = [&](const std::string& id) -> const ClientKey* {
    const auto found = before.find(id);
    return found == before.end() ? nullptr : &found->second;
  };
  // What one side alone has was made there, or taken out on the other one.
  const auto add_lone = [&](const ClientKey& one) {
    const ClientKey* const was = had(one.id);
    if (was == nullptr || !same(*was, one)) {
      out.push_back(one);
    }
  };
  // In the order of theirs, then what is new here: the same on every host.
  for (const ClientKey& one : theirs) {
    const auto mine_too = here.find(one.id);
    if (mine_too != here.end()) {
      out.push_back(newer_of(had(one.id), mine_too->second, one));
    } else {
      add_lone(one);
    }
  }
  for (const ClientKey& one : mine) {
    if (there.count(one.id) == 0) {
      add_lone(one);
    }
  }
  return out;
}

Result<std::string> share_keys(const std::string& file, std::string_view theirs_text) {
  const std::string shared = file + ".shared";
  const Result<std::vector<ClientKey>> theirs = read_keys(theirs_text, "the keys of the other proxies");
  const Result<std::vector<ClientKey>> last = read_keys_file(shared);
  bool blank = ::access(file.c_str(), F_OK) != 0;
  const Result<std::vector<ClientKey>> mine = read_keys_file(file, &blank);
  for (const auto* one : {&theirs, &last, &mine}) {
    if (!*one) {
      return one->error();
    }
  }
  // An accident here, or an editor at work, takes no key from anybody.
  if (blank && mine.value().empty() && !last.value().empty()) {
    return Error{ErrorCode::invalid_argument,
                 "is empty or gone, and had keys (" + std::to_string(last.value().size()) +
                     "): the other proxies keep theirs (`plumb keys revoke` takes a key back everywhere; without " +
                     shared + " the keys of the others are taken in again)",
                 file, 0, 0};
  }
  std::string all = keys_text(merged_keys(last.value(), mine.value(), theirs.value()));
  if (all != keys_text(theirs.value())) {
    return all;
  }
  if (all != keys_text(mine.value())) {
    const Result<bool> changed = change_keys_file(file, [&](std::vector<ClientKey>& keys) -> Result<bool> {
      // Somebody may have changed it since; what has no key any more is looked at again.
      if (keys.empty() && !mine.value().empty()) {
        return Error{ErrorCode::unavailable, "has lost its keys while they were shared", file, 0, 0};
      }
      keys = merged_keys(last.value(), keys, theirs.value());
      return true;
    });
    if (!changed) {
      return changed.error();
    }
  }
  if (all != keys_text(last.value())) {
    const Result<bool> written = plumb::write_file(shared, all, owner_only);
    if (!written) {
      return written.error();
    }
  }
  return all;
}

}  // namespace plumb::proxy
