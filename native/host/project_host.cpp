#include "native/host/project_host.hpp"

#include <utility>

#include "core/require.hpp"

namespace plumb::host {

ProjectHost::ProjectHost(Host& all, std::string project) : all_(all), project_(std::move(project)) {
  PLUMB_REQUIRE(!project_.empty(), "a project has a name");
}

std::optional<Error> ProjectHost::hidden(std::string_view id) {
  const Result<Summary> found = all_.summary(id);
  if (found && found.value().row.project == project_) {
    return std::nullopt;
  }
  if (!found && found.error().code != ErrorCode::not_found) {
    return found.error();
  }
  return Error{ErrorCode::not_found, "there is no run '" + std::string(id) + "'", "", 0, 0};
}

Result<Started> ProjectHost::start(std::string_view pipeline, pipelines::Prepared prepared, StartOptions options) {
  options.project = project_;
  return all_.start(pipeline, std::move(prepared), std::move(options));
}

Result<ForkStarted> ProjectHost::fork(std::string_view id, ForkWish wish, GoOn with) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.fork(id, std::move(wish), with);
}

Result<Summary> ProjectHost::resume(std::string_view id, GoOn with, std::string_view by) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.resume(id, with, by);
}

Result<bool> ProjectHost::cancel(std::string_view id, std::string_view why) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.cancel(id, why);
}

Result<bool> ProjectHost::signal(std::string_view id, std::string_view name, run::Data value) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.signal(id, name, std::move(value));
}

Result<bool> ProjectHost::answer(std::string_view id, std::string_view key, run::Data value) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.answer(id, key, std::move(value));
}

Result<bool> ProjectHost::reply(std::string_view id, std::string_view key, const run::Reply& reply) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.reply(id, key, reply);
}

Result<Summary> ProjectHost::summary(std::string_view id) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.summary(id);
}

Result<store::Page> ProjectHost::list(const store::ListQuery& query) {
  if (!query.project.empty() && query.project != project_) {
    return store::Page{};
  }
  store::ListQuery own = query;
  own.project = project_;
  return all_.list(own);
}

Result<store::JournalPart> ProjectHost::journal(std::string_view id, std::uint64_t from, std::size_t entries_max) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.journal(id, from, entries_max);
}

Result<std::shared_ptr<const run::Journal>> ProjectHost::snapshot(std::string_view id) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.snapshot(id);
}

Result<std::unique_ptr<Watch>> ProjectHost::watch(std::string_view id, std::uint64_t from) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.watch(id, from);
}

Result<Summary> ProjectHost::wait(std::string_view id, std::uint64_t timeout_ms) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.wait(id, timeout_ms);
}

Result<bool> ProjectHost::remove(std::string_view id) {
  if (std::optional<Error> error = hidden(id)) {
    return *error;
  }
  return all_.remove(id);
}

}  // namespace plumb::host
