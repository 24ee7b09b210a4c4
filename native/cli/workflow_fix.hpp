// `plumb workflow check --fix`: runs the `fix` commands of gates, before the check.
//
//   Result<bool> fixed = fix_changes(arguments, checkout, work, skipped, told);
//
// They run in a copy of what is judged: the index with --staged, otherwise the checkout. So nothing of the user's is
// set aside, and nothing has to be put back. What a command changed in a changed file is merged into the file of the
// checkout, and with --staged it takes the file's place in the index, where the rest of the user's unstaged changes
// stays out. If both changed the same lines, the file stays as it is in both places, and that is reported.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/work_setup.hpp"
#include "native/git/checkout.hpp"

namespace plumb::cli {

// `skipped`: gates whose fix does not run. `told`: a sentence for each gate's fix and for each file that stayed as it
// was.
Result<bool> fix_changes(const Arguments& arguments, const git::Checkout& checkout, const ReadyWork& work,
                         const std::vector<std::string>& skipped, std::vector<std::string>& told);

}  // namespace plumb::cli
