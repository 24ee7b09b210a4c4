// Files of the built page, by the path of a request. Nothing outside the folder is ever given, whatever the path or the
// links in the folder say. A file is given in the coding that the client likes best of those that lie beside it
// (content_coding.hpp); one that is older than its file is of another build, and passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "native/control/content_coding.hpp"

namespace plumb::control {

struct WebFile {
  std::string bytes;
  std::string_view type;  // "text/javascript; charset=utf-8"
  Coding coding = Coding::identity;
  std::string etag;        // with its quotes; another one for each coding
  bool immutable = false;  // its name carries a hash of what it holds
};

class WebFiles {
 public:
  static constexpr std::uint64_t bytes_max = std::uint64_t{64} << 20;  // of one file

  // Nothing when there is no such folder, or no index.html in it.
  static std::optional<WebFiles> open(const std::string& folder);

  // `path` as it is in the request, decoded: "/", "/assets/index-1a2b3c4d.js". A folder is its index.html.
  std::optional<WebFile> find(std::string_view path, std::string_view accept_encoding) const;

  const std::string& folder() const { return folder_; }

 private:
  explicit WebFiles(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;  // resolved: no links, no `/` at the end
};

// By the ending of the name; "application/octet-stream" for what is not known.
std::string_view type_of_name(std::string_view name);

// Whether an If-None-Match names this tag: a list of tags, weak or not, or `*`.
bool names_tag(std::string_view if_none_match, std::string_view etag);

}  // namespace plumb::control
