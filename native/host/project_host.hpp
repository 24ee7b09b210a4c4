// ProjectHost: a host as seen with one project's key.
//
//   ProjectHost host(all, "acme");
//   host.start("artifact", ...);       // a run of acme
//   host.summary("r..");               // not_found if the run is not acme's, or does not exist
//
// Every function with a run's id checks the project first. Runs of others give the same error as runs that do not
// exist. New runs belong to the project, whatever the options say; lists contain only its runs. Totals over all runs
// (counts(), store_problem()) are the host's.
#pragma once

#include <string>

#include "native/host/host.hpp"

namespace plumb::host {

class ProjectHost final : public Host {
 public:
  // `project` is not empty. `all` must outlive this object.
  ProjectHost(Host& all, std::string project);

  Result<Started> start(std::string_view pipeline, pipelines::Prepared prepared, StartOptions options) override;
  Result<ForkStarted> fork(std::string_view id, ForkWish wish, GoOn with) override;
  Result<Summary> resume(std::string_view id, GoOn with, std::string_view by) override;
  Result<bool> cancel(std::string_view id, std::string_view why) override;
  Result<bool> signal(std::string_view id, std::string_view name, run::Data value) override;
  Result<bool> answer(std::string_view id, std::string_view key, run::Data value) override;
  Result<bool> reply(std::string_view id, std::string_view key, const run::Reply& reply) override;

  Result<Summary> summary(std::string_view id) override;
  Result<store::Page> list(const store::ListQuery& query) override;
  Result<store::JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max) override;
  Result<std::shared_ptr<const run::Journal>> snapshot(std::string_view id) override;
  Result<std::unique_ptr<Watch>> watch(std::string_view id, std::uint64_t from) override;
  Result<Summary> wait(std::string_view id, std::uint64_t timeout_ms) override;
  Counts counts() const override { return all_.counts(); }
  std::string store_problem() override { return all_.store_problem(); }
  Result<bool> remove(std::string_view id) override;
  void stop(std::uint64_t /*grace_ms*/) override {}  // a project cannot stop the host

 private:
  // The error if the project has no such run.
  std::optional<Error> hidden(std::string_view id);

  Host& all_;
  const std::string project_;
};

}  // namespace plumb::host
