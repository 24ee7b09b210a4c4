// ProjectHost: a host as a key of one project sees it.
//
//   ProjectHost host(all, "acme");
//   host.start("artifact", ...);       // a run of acme
//   host.summary("r..");               // not_found where the run is another project's, or nobody's
//
// Every function that takes a run's id asks for its project first, and what is of others is answered as what is not
// there: the same error, made in one place. Runs that are begun belong to the project, whatever the options say; lists
// have its runs alone. What counts over all runs (counts(), store_problem()) is the host's own.
#pragma once

#include <string>

#include "native/host/host.hpp"

namespace plumb::host {

class ProjectHost final : public Host {
 public:
  // `project`: not empty. `all` must outlive it.
  ProjectHost(Host& all, std::string project);

  Result<Started> start(std::string_view pipeline, pipelines::Prepared prepared, StartOptions options) override;
  Result<ForkStarted> fork(std::string_view id, ForkWish wish, GoOn with) override;
  Result<Summary> resume(std::string_view id, GoOn with, std::string_view by) override;
  Result<bool> cancel(std::string_view id, std::string_view why) override;
  Result<bool> signal(std::string_view id, std::string_view name, run::Data value) override;
  Result<bool> answer(std::string_view id, std::string_view key, run::Data value) override;

  Result<Summary> summary(std::string_view id) override;
  Result<store::Page> list(const store::ListQuery& query) override;
  Result<store::JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max) override;
  Result<std::shared_ptr<const run::Journal>> snapshot(std::string_view id) override;
  Result<std::unique_ptr<Watch>> watch(std::string_view id, std::uint64_t from) override;
  Result<Summary> wait(std::string_view id, std::uint64_t timeout_ms) override;
  Counts counts() const override { return all_.counts(); }
  std::string store_problem() override { return all_.store_problem(); }
  Result<bool> remove(std::string_view id) override;
  void stop(std::uint64_t /*grace_ms*/) override {}  // the host is not the project's to stop

 private:
  // Why there is no such run for this project.
  std::optional<Error> hidden(std::string_view id);

  Host& all_;
  const std::string project_;
};

}  // namespace plumb::host
