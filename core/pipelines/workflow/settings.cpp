#include "core/pipelines/workflow/settings.hpp"

namespace plumb::pipelines::workflow {

using json::Field;
using json::field;
using json::field_if_set;

std::span<const std::string_view> names_of(DeveloperKind) {
  static constexpr std::string_view names[] = {"extract", "model", "conversation", "person", "command"};
  return names;
}

std::span<const Field> Times::fields() {
  static constexpr Field table[] = {field<&Times::develop_ms>("develop_ms"), field<&Times::gates_ms>("gates_ms"),
                                    field<&Times::review_ms>("review_ms"), field<&Times::task_ms>("task_ms")};
  return table;
}

std::span<const Field> Settings::fields() {
  static constexpr Field table[] = {field<&Settings::gates>("gates"),
                                    field<&Settings::setup>("setup"),
                                    field<&Settings::caches>("caches"),
                                    field<&Settings::developers>("developers"),
                                    field<&Settings::developer_reads>("developer_reads"),
                                    field_if_set<&Settings::protect>("protected"),
                                    field_if_set<&Settings::developer>("developer"),
                                    field_if_set<&Settings::base_failures>("base_failures"),
                                    field<&Settings::isolation>("isolation"),
                                    field<&Settings::times>("times"),
                                    field<&Settings::sops>("sops"),
                                    field<&Settings::conventions>("conventions")};
  return table;
}

std::span<const Field> Providers::fields() {
  static constexpr Field table[] = {field_if_set<&Providers::plan>("plan"),
                                    field_if_set<&Providers::develop>("develop"),
                                    field_if_set<&Providers::review>("review")};
  return table;
}

std::span<const Field> Input::fields() {
  static constexpr Field table[] = {field_if_set<&Input::plan>("plan"),
                                    field_if_set<&Input::idea>("idea"),
                                    field<&Input::repositories>("repositories"),
                                    field<&Input::at>("at"),
                                    field<&Input::promoted>("promoted"),
                                    field<&Input::developer>("developer"),
                                    field<&Input::developer_name>("developer_name"),
                                    field<&Input::reviewer>("reviewer"),
                                    field<&Input::base_failures>("base_failures"),
                                    field<&Input::token_budget>("token_budget"),
                                    field<&Input::settings>("settings"),
                                    field_if_set<&Input::also>("also"),
                                    field<&Input::providers>("providers")};
  return table;
}

}  // namespace plumb::pipelines::workflow
