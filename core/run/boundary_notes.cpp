#include "core/run/boundary_notes.hpp"

namespace plumb::run {

using json::Field;
using json::field;
using json::field_if_set;

std::span<const Field> CycleNote::Rejected::fields() {
  static constexpr Field table[] = {field<&Rejected::id>("id"), field<&Rejected::name>("name"),
                                    json::members_of<&Rejected::why>()};
  return table;
}

std::span<const Field> CycleNote::fields() {
  static constexpr Field table[] = {
      field<&CycleNote::boundary>("boundary"),     field<&CycleNote::agent>("agent"),
      field<&CycleNote::producer>("producer"),     field<&CycleNote::cycle>("cycle"),
      field<&CycleNote::rejections>("rejections"), field_if_set<&CycleNote::observations>("observations")};
  return table;
}

std::span<const Field> BoundaryNote::Item::fields() {
  static constexpr Field table[] = {field<&Item::id>("id"), field<&Item::name>("name"),
                                    field<&Item::rejections>("rejections"), field<&Item::revisions>("revisions"),
                                    field<&Item::passed>("passed")};
  return table;
}

std::span<const Field> BoundaryNote::fields() {
  static constexpr Field table[] = {field<&BoundaryNote::boundary>("boundary"),
                                    field<&BoundaryNote::agent>("agent"),
                                    field<&BoundaryNote::producer>("producer"),
                                    field<&BoundaryNote::produced>("produced"),
                                    field<&BoundaryNote::accepted>("accepted"),
                                    field<&BoundaryNote::warned>("warned"),
                                    field<&BoundaryNote::failed>("failed"),
                                    field<&BoundaryNote::unverified>("unverified"),
                                    field<&BoundaryNote::validation_rejections>("validation_rejections"),
                                    field<&BoundaryNote::validation_retries>("validation_retries"),
                                    field<&BoundaryNote::calls>("calls"),
                                    field<&BoundaryNote::calls_max>("calls_max"),
                                    field<&BoundaryNote::tokens>("tokens"),
                                    field_if_set<&BoundaryNote::observed>("observed"),
                                    field<&BoundaryNote::items>("items")};
  return table;
}

}  // namespace plumb::run
