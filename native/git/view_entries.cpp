// Entries of a tree that must not pass: repositories that are not submodules, links that leave it, names that git takes
// orders from.
#include "native/git/view_entries.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/ascii.hpp"
#include "core/wording.hpp"
#include "native/git/checkout.hpp"

namespace plumb::git {

namespace {

constexpr std::size_t links_max = 1'000;
constexpr std::size_t hops_max = 40;  // as the kernel follows links

// A name that git reads orders from on a system that does not tell upper case from lower case, and not on this one.
bool is_disguised(const std::string& path) {
  const std::vector<std::string> parts = pieces_of(path, '/');
  return std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    const std::string lower = ascii::lower(part);
    return lower != part && (lower == ".gitmodules" || lower == ".gitattributes" || lower == ".gitignore");
  });
}

// Follows links within a tree, without looking at any folder.
struct LinkWalk {
  const std::map<std::string, std::string>& links;  // path and hash of each link
  std::function<Result<std::string>(const std::string& hash)> target_of;

  Result<bool> leaves(const std::string& path, const std::string& target) const {
    if (leaves_tree(path, target)) {
      return true;
    }
    std::vector<std::string> at = pieces_of(path, '/'), left = pieces_of(target, '/');
    at.pop_back();
    std::reverse(left.begin(), left.end());
    for (std::size_t hops = 0; !left.empty();) {
      const std::string part = left.back();
      left.pop_back();
      if (part.empty() || part == ".") {
        continue;
      }
      if (part == "..") {
        if (at.empty()) {
          return true;
        }
        at.pop_back();
        continue;
      }
      if (!bad_path(part).empty()) {
        return true;
      }
      at.push_back(part);
      const auto link = links.find(joined(at, "/"));
      if (link == links.end()) {
        continue;
      }
      const Result<std::string> text = ++hops > hops_max ? Result<std::string>("") : target_of(link->second);
      if (!text) {
        return text.error();
      }
      if (text.value().empty()) {
        return false;  // a circle: it leads nowhere
      }
      if (text.value().front() == '/') {
        return true;
      }
      at.pop_back();
      const std::vector<std::string> more = pieces_of(text.value(), '/');
      left.insert(left.end(), more.rbegin(), more.rend());
    }
    return false;
  }
};

}  // namespace

std::vector<Entry> entries_of(const std::string& text) {
  std::vector<Entry> out;
  for (const std::string& line : pieces_of(text)) {
    const std::size_t tab = line.find('\t');
    const std::size_t type = line.find(' ');
    const std::size_t hash = type == std::string::npos ? type : line.find(' ', type + 1);
    if (tab != std::string::npos && hash != std::string::npos && hash < tab) {
      out.push_back({line.substr(0, type), line.substr(hash + 1, tab - hash - 1), line.substr(tab + 1)});
    }
  }
  return out;
}

std::vector<Entry> entries_of_index(const std::string& text) {
  std::vector<Entry> out;
  for (const std::string& line : pieces_of(text)) {  // MODE HASH STAGE\tPATH
    const std::size_t tab = line.find('\t');
    const std::vector<std::string> words = pieces_of(line.substr(0, std::min(tab, line.size())), ' ');
    if (tab != std::string::npos && words.size() == 3) {
      out.push_back({words[0], words[1], line.substr(tab + 1)});
    }
  }
  return out;
}

TreeFinding nested_repository(const std::string& path) {
  return {"nested-repository", path,
          "'" + path +
              "' is a git repository of its own, so its files were not judged: add it to "
              ".gitignore, make it a submodule, or remove its .git"};
}

// The paths that .gitmodules of the tree has a submodule for.
std::set<std::string> View::submodules() const {
  const Result<std::string> said =
      in_private({"config", "-z", "--blob", tree_ + ":.gitmodules", "--get-regexp", "^submodule\\..*\\.path$"});
  std::set<std::string> out;
  for (const std::string& one : pieces_of(said ? said.value() : std::string())) {
    out.insert(one.substr(std::min(one.find('\n') + 1, one.size())));
  }
  return out;
}

Result<std::vector<TreeFinding>> View::refused_entries(const std::string& from) const {
  const Result<std::shared_ptr<const Entries>> all = entries(tree_);
  const Result<std::shared_ptr<const Entries>> before = all ? entries(from) : all;
  if (!before) {
    return before.error();
  }
  std::vector<TreeFinding> out;
  std::map<std::string, std::string> links;
  std::vector<std::string> repositories;
  for (const auto& [path, one] : *all.value()) {
    if (one.mode == "160000") {
      repositories.push_back(path);
    } else if (one.mode == "120000") {
      links.emplace(path, one.hash);
    }
  }
  const std::set<std::string> known = repositories.empty() ? std::set<std::string>() : submodules();
  for (const std::string& path : repositories) {
    if (known.count(path) == 0) {
      out.push_back(nested_repository(path));
    }
  }
  const LinkWalk walk{links, [this](const std::string& hash) { return in_private({"cat-file", "blob", hash}); }};
  std::size_t count = 0;
  for (const auto& [path, one] : *all.value()) {
    const auto was = before.value()->find(path);
    if (was != before.value()->end() && was->second.mode == one.mode && was->second.hash == one.hash) {
      continue;
    }
    if (!bad_path(one.path).empty() || is_disguised(one.path)) {
      out.push_back(
          {"git-folder", one.path,
           "git on some systems takes orders from the name '" + one.path + "': rename the file or remove it"});
    }
    if (one.mode != "120000") {
      continue;
    }
    if (++count > links_max) {
      out.push_back({"too-large", one.path,
                     "more than " + std::to_string(links_max) + " links changed; the rest was not judged"});
      break;
    }
    const Result<std::string> target = walk.target_of(one.hash);
    const Result<bool> leaves = target ? walk.leaves(one.path, target.value()) : Result<bool>(target.error());
    if (!leaves) {
      return leaves.error();
    }
    if (leaves.value()) {
      out.push_back({"link-leaves", one.path,
                     "'" + one.path + "' is a link to '" + target.value() +
                         "', outside the repository, so its content was not judged: put the file itself there"});
    }
  }
  return out;
}

}  // namespace plumb::git
