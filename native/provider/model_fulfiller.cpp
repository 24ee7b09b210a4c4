#include "native/provider/model_fulfiller.hpp"

#include <mutex>
#include <utility>

#include "native/provider/fulfiller_core.hpp"
#include "native/provider/model_task.hpp"
#include "native/provider/recording.hpp"

namespace plumb::provider {

namespace {

class ModelFulfiller final : public host::Fulfiller {
 public:
  explicit ModelFulfiller(std::unique_ptr<FulfillerCore> core) : core_(std::move(core)) {}

  ~ModelFulfiller() override {
    std::vector<std::shared_ptr<ModelTask>> left;
    {
      const std::lock_guard lock(core_->mutex);
      for (const auto& [key, task] : core_->tasks) {
        left.push_back(task);
      }
    }
    for (const std::shared_ptr<ModelTask>& task : left) {
      task->finish(refused_reply(run::Status::cancelled, wire::FailureClass::cut, "the program is ending"));
      task->cancel();
    }
    left.clear();
    // Workers hand over to the transport, and the other way round: both are at rest before either is gone.
    core_->workers->stop();
    core_->transport.reset();
  }

  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
    std::shared_ptr<ModelTask> task;
    bool room = true;
    {
      const std::lock_guard lock(core_->mutex);
      task = std::make_shared<ModelTask>(*core_, ++core_->last_number, std::move(call), std::move(done));
      room = core_->tasks.size() < core_->options.calls_max;
      if (room) {
        core_->tasks[std::pair(task->call.run, task->call.key)] = task;
      }
    }
    if (task->call.kind != run::EffectKind::model || !room) {
      const std::string kind(run::effect_type(task->call.kind).name);
      const std::string message = room ? "nothing here fulfils effects of the kind " + kind
                                       : "there are " + std::to_string(core_->options.calls_max) +
                                             " model calls under way, the most there may be";
      core_->workers->give([task, room, message] {
        task->refuse(room ? wire::FailureClass::bad_request : wire::FailureClass::limit, message);
      });
      return;
    }
    task->timer = core_->transport->after(task->left_ms(), [task] { task->late(); });
    core_->workers->give([task] { task->route(); });
  }

  void stop(std::string_view run, std::string_view key) override {
    std::shared_ptr<ModelTask> task;
    {
      const std::lock_guard lock(core_->mutex);
      const auto found = core_->tasks.find(std::pair(std::string(run), std::string(key)));
      if (found == core_->tasks.end()) {
        return;
      }
      task = found->second;
    }
    task->cancel();
  }

 private:
  std::unique_ptr<FulfillerCore> core_;
};

}  // namespace

Result<std::unique_ptr<host::Fulfiller>> make_model_fulfiller(FulfillerOptions options) {
  std::vector<std::string> secrets;
  for (const Settings& one : options.settings) {
    if (!one.problem.empty()) {
      return Error{ErrorCode::invalid_argument, one.problem, "", 0, 0};
    }
    if (!one.endpoint.key.empty()) {
      secrets.push_back(one.endpoint.key);
    }
  }
  auto core = std::make_unique<FulfillerCore>(std::move(options));
  for (const Choice& choice : core->options.choices) {
    const KnownProvider* const known = known_provider(choice.provider);
    if (known == nullptr || known->source != Source::replay || core->recordings.count(choice.model) != 0) {
      continue;
    }
    if (choice.model == core->options.record) {
      return choice.said.refused("'" + choice.model + "' cannot be replayed and recorded to at once");
    }
    Result<std::unique_ptr<Recording>> recording = Recording::read(choice.model);
    if (!recording) {
      return recording.error();
    }
    core->recordings.emplace(choice.model, std::move(recording).value());
  }
  if (!core->options.record.empty()) {
    Result<std::unique_ptr<Recorder>> recorder = Recorder::open(core->options.record, std::move(secrets));
    if (!recorder) {
      return recorder.error();
    }
    core->recorder = std::move(recorder).value();
  }
  core->transport.emplace(core->options.transport);
  core->network.emplace(*core->transport);
  core->sample.emplace(*core->network);
  core->workers.emplace(core->options.workers);
  return std::unique_ptr<host::Fulfiller>(new ModelFulfiller(std::move(core)));
}

}  // namespace plumb::provider
