#include "native/cli/boundary_account.hpp"

#include <algorithm>

#include "core/wording.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t items_max = 50;

std::string led(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.append(width - text.size(), ' ');
  }
  return text;
}

}  // namespace

std::vector<BoundaryAccount> boundaries_of(const run::Journal& journal) {
  std::vector<BoundaryAccount> out;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind == run::EntryKind::note && entry.name == "boundary") {
      add_accounts(out, {{json::record_of<run::BoundaryNote>(entry.data.value()), 1}});
    }
  }
  for (BoundaryAccount& one : out) {
    one.runs = 1;
  }
  return out;
}

void add_accounts(std::vector<BoundaryAccount>& all, const std::vector<BoundaryAccount>& more) {
  for (const BoundaryAccount& one : more) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const BoundaryAccount& known) {
      return known.boundary == one.boundary && known.producer == one.producer;
    });
    if (same == all.end()) {
      all.push_back(one);
      continue;
    }
    same->runs += one.runs;
    same->produced += one.produced;
    same->validation_rejections += one.validation_rejections;
    same->validation_retries += one.validation_retries;
    same->warned += one.warned;
    same->failed += one.failed;
    same->unverified += one.unverified;
    same->observed += one.observed;
    same->items.insert(same->items.end(), one.items.begin(), one.items.end());
  }
}

std::string boundaries_text(const std::vector<BoundaryAccount>& all, std::uint64_t share_max, bool items,
                            const contract::TextStyle& style) {
  std::string out = "  " + padded("boundary", 14) + padded("producer", 22) + padded("judged by", 22) +
                    led("produced", 9) + led("rejected", 10) + led("share", 7) + led("retries", 9) + led("warned", 8) +
                    led("failed", 8) + led("unverified", 12) + "\n";
  for (const BoundaryAccount& one : all) {
    const bool marked = one.share() > share_max;
    const std::string share = led(std::to_string(one.share()) + "%", 7);
    out += "  " + padded(one.boundary, 14) + padded(one.producer, 22) + padded(one.agent, 22) +
           led(std::to_string(one.produced), 9) + led(std::to_string(one.validation_rejections), 10) +
           (marked ? red(share, style) : share) + led(std::to_string(one.validation_retries), 9) +
           led(std::to_string(one.warned), 8) + led(std::to_string(one.failed), 8) +
           led(std::to_string(one.unverified), 12) + "\n";
    if (marked) {
      out += "    " + one.producer + " has more than " + std::to_string(share_max) +
             "% of its items sent back: its prompt may need work\n";
    }
    if (one.observed > 0) {
      out += "    observed rules would have rejected " + counted(one.observed, "item") + " (" +
             std::to_string(one.observed_share()) + "%)\n";
    }
    std::size_t shown = 0;
    for (const run::BoundaryNote::Item& item : items ? one.items : std::vector<run::BoundaryNote::Item>()) {
      if (shown++ == items_max) {
        out += "    and " + std::to_string(one.items.size() - items_max) + " more\n";
        break;
      }
      out += "    " + item.id + (item.name.empty() ? "" : " (" + json::excerpt(item.name, 50) + ")") + ": sent back " +
             counted(item.rejections, "time, ", "times, ") + "revised " + counted(item.revisions, "time, ", "times, ") +
             std::string(passed_name(item.passed)) + "\n";
    }
  }
  return out;
}

void write_boundaries(json::Writer& json, const std::vector<BoundaryAccount>& all, std::uint64_t share_max) {
  json.begin_array();
  for (const BoundaryAccount& one : all) {
    json.begin_object().member("boundary", one.boundary).member("producer", one.producer).member("agent", one.agent);
    json.member_uint("runs", one.runs).member_uint("produced", one.produced);
    json.member_uint("validation_rejections", one.validation_rejections)
        .member_uint("validation_retries", one.validation_retries);
    json.member_uint("share_percent", one.share()).member_boolean("marked", one.share() > share_max);
    json.member_uint("warned", one.warned).member_uint("failed", one.failed).member_uint("unverified", one.unverified);
    if (one.observed > 0) {
      json.member_uint("observed", one.observed).member_uint("observed_percent", one.observed_share());
    }
    json.key("items").begin_array();
    for (const run::BoundaryNote::Item& item : one.items) {
      json.begin_object().member("id", item.id).member("name", item.name).member("passed", passed_name(item.passed));
      json.member_uint("rejections", item.rejections).member_uint("revisions", item.revisions).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace plumb::cli
