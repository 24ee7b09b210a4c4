#include "core/contract/uri.hpp"

#include <cstddef>

#include "core/ascii.hpp"

namespace plumb::contract {

namespace {

struct Parts {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
  bool has_scheme = false;
  bool has_authority = false;
  bool has_query = false;
  bool has_fragment = false;
};

bool scheme_char(char c, bool first) {
  bool alpha = ascii::is_letter(c);
  return alpha || (!first && (ascii::is_digit(c) || c == '+' || c == '-' || c == '.'));
}

Parts split(std::string_view text) {
  Parts parts;
  std::size_t hash = text.find('#');
  if (hash != std::string_view::npos) {
    parts.has_fragment = true;
    parts.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  std::size_t question = text.find('?');
  if (question != std::string_view::npos) {
    parts.has_query = true;
    parts.query = text.substr(question + 1);
    text = text.substr(0, question);
  }
  std::size_t i = 0;
  while (i < text.size() && scheme_char(text[i], i == 0)) {
    ++i;
  }
  if (i > 0 && i < text.size() && text[i] == ':') {
    parts.has_scheme = true;
    parts.scheme = text.substr(0, i);
    text = text.substr(i + 1);
  }
  if (text.starts_with("//")) {
    parts.has_authority = true;
    std::size_t slash = text.find('/', 2);
    parts.authority = text.substr(2, slash == std::string_view::npos ? std::string_view::npos : slash - 2);
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash);
  }
  parts.path = text;
  return parts;
}

// RFC 3986 section 5.2.4.
std::string remove_dot_segments(std::string_view in) {
  std::string out;
  while (!in.empty()) {
    if (in.starts_with("../")) {
      in.remove_prefix(3);
    } else if (in.starts_with("./") || in.starts_with("/./")) {
      in.remove_prefix(2);
    } else if (in == "/.") {
      in = "/";
    } else if (in.starts_with("/../") || in == "/..") {
      in = in.size() == 3 ? std::string_view("/") : in.substr(3);
      std::size_t slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
    } else if (in == "." || in == "..") {
      in = {};
    } else {
      std::size_t next = in.find('/', 1);
      out.append(in.substr(0, next));
      in = next == std::string_view::npos ? std::string_view() : in.substr(next);
    }
  }
  return out;
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
  Parts r = split(reference);
  if (r.has_scheme) {
    return std::string(reference);
  }
  Parts b = split(base);
  std::string out;
  if (b.has_scheme) {
    out.append(b.scheme).push_back(':');
  }
  auto authority = [&out](const Parts& parts) {
    if (parts.has_authority) {
      out.append("//").append(parts.authority);
    }
  };
  if (r.has_authority) {
    authority(r);
    out += remove_dot_segments(r.path);
  } else {
    authority(b);
    if (r.path.empty()) {
      out.append(b.path);
      if (!r.has_query && b.has_query) {
        out.append("?").append(b.query);
      }
    } else if (r.path.front() == '/') {
      out += remove_dot_segments(r.path);
    } else {
      std::string merged;
      if (b.has_authority && b.path.empty()) {
        merged = "/";
      } else {
        std::size_t slash = b.path.rfind('/');
        merged.assign(b.path.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
      }
      merged.append(r.path);
      out += remove_dot_segments(merged);
    }
  }
  if (r.has_query) {
    out.append("?").append(r.query);
  }
  if (r.has_fragment) {
    out.append("#").append(r.fragment);
  }
  return out;
}

SplitUri split_fragment(std::string_view uri) {
  std::size_t hash = uri.find('#');
  if (hash == std::string_view::npos) {
    return {uri, {}, false};
  }
  return {uri.substr(0, hash), uri.substr(hash + 1), true};
}

}  // namespace plumb::contract
