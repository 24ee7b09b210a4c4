// How an explorer reads its folder: the listing, then the files of a kind that it knows, each cut into units; what is
// not read is counted.

#include "core/pipelines/discovery/source_reading.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/run/reasons.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

constexpr std::uint64_t file_bytes_max = std::uint64_t{8} << 20U;
constexpr std::uint64_t read_ms = 60'000;

bool read_two(std::string_view digits, std::uint64_t& out) {
  const auto digit = [](char c) { return ascii::is_digit(c); };
  if (digits.size() != 2 || !digit(digits[0]) || !digit(digits[1])) {
    return false;
  }
  out = static_cast<std::uint64_t>(digits[0] - '0') * 10 + static_cast<std::uint64_t>(digits[1] - '0');
  return true;
}

// Folders of what others wrote, or a build, in which nobody looks for what is wanted of a product.
constexpr std::array<std::string_view, 8> left_out = {"node_modules", "build",       "dist", "vendor",
                                                      "target",       "third_party", "venv", "__pycache__"};

struct ReadRequest {
  std::string root, path;
  bool tree = false;
  std::vector<std::string> leave_out, within;
  static Fields fields() {
    static constexpr Field table[] = {
        field<&ReadRequest::root>("root"), field<&ReadRequest::path>("path"), field_if_set<&ReadRequest::tree>("tree"),
        field_if_set<&ReadRequest::leave_out>("leave_out"), field_if_set<&ReadRequest::within>("within")};
    return table;
  }
};

// All of a root but what is left out, or the folders of it that are wanted.
ReadRequest tree_request(const std::string& root, std::vector<std::string> folders) {
  ReadRequest out{root, "", true, {"."}, std::move(folders)};
  out.leave_out.insert(out.leave_out.end(), left_out.begin(), left_out.end());
  return out;
}

bool is_left_out(std::string_view path) {
  const std::string rooted = "/" + std::string(path);
  return rooted.find("/.") != std::string::npos || rooted.find("/tests/data/") != std::string::npos ||
         std::any_of(left_out.begin(), left_out.end(), [&](std::string_view name) {
           return rooted.find("/" + std::string(name) + "/") != std::string::npos;
         });
}

bool is_in(const std::vector<std::string>& folders, std::string_view path) {
  return folders.empty() || std::any_of(folders.begin(), folders.end(), [&](std::string folder) {
           folder.erase(0, folder.starts_with("./") ? 2 : 0);
           folder += folder.empty() || folder.back() == '/' ? "" : "/";
           return path.starts_with(folder);
         });
}

// The folders of a source that alone are wanted; empty: all.
std::vector<std::string> wanted_folders(const Job& job, SourceKind kind) {
  return kind == SourceKind::repo   ? job.input.scope_dirs
         : kind == SourceKind::docs ? job.input.doc_paths
                                    : std::vector<std::string>();
}

// Files of a listing that are read, and what is not.
std::vector<std::string> files_of(const Job& job, SourceKind kind, const Value& listing, Read& read) {
  const std::vector<std::string> folders = wanted_folders(job, kind);
  std::vector<std::string> out;
  for (const Value& entry : list_of(listing, "entries")) {
    const std::string path(text_of(entry, "path"));
    if (text_of(entry, "kind") != "file" || !is_read(kind, path) || is_left_out(path) || !is_in(folders, path)) {
      continue;
    }
    if (number_of(entry, "bytes") > file_bytes_max) {
      read.skip("is a file of more than 8 MB", path);
    } else if (out.size() == limits_of(kind).files_max) {
      read.skip("is beyond the first " + json::uint_text(limits_of(kind).files_max) + " files", path);
    } else {
      out.push_back(path);
    }
  }
  if (flag_of(listing, "cut")) {
    read.skip("the folder has more than is listed", job.roots[static_cast<std::size_t>(kind)]);
  }
  return out;
}

// A day as a number of days, so that days can be told apart; 0 where there is none.
std::uint64_t day_number(std::string_view when) {
  std::uint64_t year = 0;
  std::uint64_t month = 0;
  std::uint64_t day = 0;
  if (when.size() < 10 || !json::read_uint(when.substr(0, 4), year) || !read_two(when.substr(5, 2), month) ||
      !read_two(when.substr(8, 2), day) || year == 0 || month == 0 || month > 12) {
    return 0;
  }
  // Years begin in March, so that the leap day is the last.
  const std::uint64_t years = month <= 2 ? year - 1 : year;
  const std::uint64_t months = (month + 9) % 12;
  return years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day;
}

// At most so many units stay, the newest where they have a day, in the order in which they stood.
void keep_newest(Read& read, std::size_t most) {
  if (read.units.size() <= most) {
    return;
  }
  std::vector<std::size_t> order(read.units.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  const auto later = [&](std::size_t a, std::size_t b) { return read.units[a].when > read.units[b].when; };
  std::stable_sort(order.begin(), order.end(), later);
  const bool dated = !read.units[order.front()].when.empty();
  std::vector<bool> stays(read.units.size());
  for (std::size_t n = 0; n < most; ++n) {
    stays[order[n]] = true;
  }
  std::vector<Unit> kept;
  std::size_t first_out = read.units.size();
  for (std::size_t i = 0; i < read.units.size(); ++i) {
    if (stays[i]) {
      kept.push_back(std::move(read.units[i]));
    } else {
      first_out = std::min(first_out, i);
    }
  }
  read.skip((dated ? "is beyond the newest " : "is beyond the first ") + json::uint_text(most),
            read.units[first_out].id, read.units.size() - most);
  read.units = std::move(kept);
}

// What is older than the window goes, then what is more than is looked at.
void keep_within(const Job& job, SourceKind kind, Read& read) {
  std::uint64_t newest = 0;
  for (const Unit& unit : read.units) {
    newest = std::max(newest, day_number(unit.when));
  }
  std::vector<Unit> kept;
  for (Unit& unit : read.units) {
    const std::uint64_t at = day_number(unit.when);
    if (job.input.time_window_days > 0 && at > 0 && newest - at > job.input.time_window_days) {
      read.skip("is older than the window", unit.id);
    } else {
      kept.push_back(std::move(unit));
    }
  }
  read.units = std::move(kept);
  keep_newest(read, limits_of(kind).units_max);
}

}  // namespace

Days days_of(const Read& read) {
  Days out;
  for (const Unit& unit : read.units) {
    if (unit.when.empty() || day_number(unit.when) == 0) {
      continue;
    }
    out.oldest = out.oldest.empty() || unit.when < out.oldest ? unit.when : out.oldest;
    out.newest = unit.when > out.newest ? unit.when : out.newest;
  }
  return out;
}

std::uint64_t days_between(std::string_view oldest, std::string_view newest) {
  return oldest.empty() || newest.empty() ? 0 : day_number(newest) - day_number(oldest) + 1;
}

Read read_source(run::Run& run, const Job& job, SourceKind kind, std::vector<std::string>& warnings,
                 std::string& unread) {
  const std::string& root = job.roots[static_cast<std::size_t>(kind)];
  Read read;
  run::Effect effect;
  effect.kind = run::EffectKind::read;
  effect.deadline_ms = read_ms;
  effect.request = [&] { return Data::of(tree_request(root, wanted_folders(job, kind))); };
  const run::Reply& listing = run.ask(effect);
  if (!listing.ok()) {
    warnings.push_back(std::string(source_names[static_cast<std::size_t>(kind)]) + ": " + listing.error);
    unread = listing.error;
    return read;
  }
  const std::vector<std::string> files = files_of(job, kind, listing.value.value(), read);
  if (files.empty()) {
    warnings.push_back(std::string(source_names[static_cast<std::size_t>(kind)]) + ": no file of a kind that is read");
  }
  const std::vector<Data> parts = run.each("file", files.size(), [&](run::Run& part, std::size_t i) {
    run::Effect one;
    one.kind = run::EffectKind::read;
    one.deadline_ms = read_ms;
    one.request = [&] { return Data::of(ReadRequest{root, files[i], false, {}, {}}); };
    const run::Reply& reply = part.ask(one);
    Read units;
    if (reply.ok()) {
      units = read_file(kind, files[i], text_of(reply.value.value(), "text"));
      if (const Value* bad = reply.value.value().find("bad_lines")) {
        units.skip("is a line that is not valid UTF-8", files[i] + ":" + json::uint_text(number_of(*bad, "first")),
                   number_of(*bad, "count"));
      }
      // What no batch will ever have need not be kept.
      if (job.input.time_window_days == 0) {
        keep_newest(units, limits_of(kind).units_max);
      }
    } else {
      const bool binary = run::reason_of(reply) == Reason::not_text;
      units.skip(binary ? "is not UTF-8 text" : "cannot be read", files[i]);
    }
    return Data::of(std::move(units));
  });
  for (const Data& part : parts) {
    add(read, part.as<Read>());
  }
  keep_within(job, kind, read);
  return read;
}

}  // namespace plumb::pipelines::discovery
