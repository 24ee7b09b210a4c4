#include "native/control/metrics.hpp"

#include <algorithm>

#include "native/base/concat.hpp"

namespace plumb::control {

namespace {

// A client may send any word as a method. Words that are no method are one series.
std::string_view known_method(std::string_view method) {
  constexpr std::array<std::string_view, 7> methods = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  return std::find(methods.begin(), methods.end(), method) == methods.end() ? std::string_view("other") : method;
}

}  // namespace

std::string metric_label(std::string_view name, std::string_view value) {
  std::string out(name);
  out += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

void append_heading(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += concat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

void append_sample(std::string& out, std::string_view name, std::string_view labels, std::uint64_t value) {
  out += name;
  if (!labels.empty()) {
    out += concat("{", labels, "}");
  }
  out += concat(" ", value, "\n");
}

void append_metric(std::string& out, std::string_view name, std::string_view type, std::string_view help,
                   std::uint64_t value, std::string_view labels) {
  append_heading(out, name, type, help);
  append_sample(out, name, labels, value);
}

void Metrics::Histogram::add(double seconds) {
  std::size_t i = 0;
  while (i < bounds.size() && seconds > bounds[i]) {
    ++i;
  }
  ++counts[i];
  sum += seconds;
}

void Metrics::append(std::string& out, std::string_view name, const std::string& labels, const Histogram& histogram) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    below += histogram.counts[i];
    const std::string bound = i < bounds.size() ? general(bounds[i]) : "+Inf";
    append_sample(out, concat(name, "_bucket"), concat(labels, ",le=\"", bound, "\""), below);
  }
  out += concat(name, "_sum{", labels, "} ", general(histogram.sum), "\n");
  append_sample(out, concat(name, "_count"), labels, below);
}

void Metrics::request(std::string_view route, std::string_view method, int status, double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{std::string(route), std::string(known_method(method)), status}];
  request_seconds_[std::string(route)].add(seconds);
}

void Metrics::stream(std::string_view route, std::string_view method) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{std::string(route), std::string(known_method(method)), 200}];
}

void Metrics::refused(std::string_view why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++refused_[std::string(why)];
}

void Metrics::call(std::string_view kind, std::string_view status, double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++calls_[{std::string(kind), std::string(status)}];
  call_seconds_[std::string(kind)].add(seconds);
}

void Metrics::tokens(std::string_view provider, std::string_view model, std::uint64_t input, std::uint64_t output,
                     bool estimated) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::pair<std::string, std::string> which{provider, model};
  if (models_.size() >= models_max && models_.find(which) == models_.end()) {
    which = {"other", "other"};
  }
  models_[which] = true;
  tokens_[{which.first, which.second, "input", estimated}] += input;
  tokens_[{which.first, which.second, "output", estimated}] += output;
}

std::string Metrics::text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string out;
  append_heading(out, "plumb_http_requests_total", "counter", "Requests answered, by route, method and status.");
  for (const auto& [key, count] : requests_) {
    append_sample(out, "plumb_http_requests_total",
                  metric_label("route", std::get<0>(key)) + "," + metric_label("method", std::get<1>(key)) + "," +
                      metric_label("status", std::to_string(std::get<2>(key))),
                  count);
  }
  append_heading(out, "plumb_http_request_seconds", "histogram",
                 "Time until an answer was there, by route; without event streams.");
  for (const auto& [route, histogram] : request_seconds_) {
    append(out, "plumb_http_request_seconds", metric_label("route", route), histogram);
  }
  append_heading(out, "plumb_http_refused_total", "counter",
                 "Requests turned away: without the token, of another Host or Origin, too slow, read in two ways.");
  for (const auto& [why, count] : refused_) {
    append_sample(out, "plumb_http_refused_total", metric_label("why", why), count);
  }
  append_heading(out, "plumb_effect_replies_total", "counter", "Effects answered, by kind and status.");
  for (const auto& [key, count] : calls_) {
    append_sample(out, "plumb_effect_replies_total",
                  metric_label("kind", key.first) + "," + metric_label("status", key.second), count);
  }
  append_heading(out, "plumb_effect_seconds", "histogram", "Time that effects took, by kind.");
  for (const auto& [kind, histogram] : call_seconds_) {
    append(out, "plumb_effect_seconds", metric_label("kind", kind), histogram);
  }
  append_heading(out, "plumb_tokens_total", "counter",
                 "Tokens of model calls, by provider, model and direction; estimated where the provider told none.");
  for (const auto& [key, count] : tokens_) {
    append_sample(out, "plumb_tokens_total",
                  metric_label("provider", std::get<0>(key)) + "," + metric_label("model", std::get<1>(key)) + "," +
                      metric_label("direction", std::get<2>(key)) + "," +
                      metric_label("estimated", std::get<3>(key) ? "true" : "false"),
                  count);
  }
  append_metric(out, "plumb_streams_open", "gauge", "Event streams that clients listen to.", streams_open);
  append_metric(out, "plumb_streams_refused_total", "counter", "Event streams refused because too many were open.",
                streams_refused);
  append_metric(out, "plumb_watchers_dropped_total", "counter", "Listeners dropped because they were too slow.",
                watchers_dropped);
  return out;
}

}  // namespace plumb::control
