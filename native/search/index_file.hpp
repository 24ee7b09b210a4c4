// The file of an index: SQLite with FTS5, made where it is not there.
//
// An index is made from a folder and can be made again, so an older form of it is emptied, never converted. It belongs
// to one folder, which it names; a file of another program is refused, and so is the index of another folder.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <string>

#include "core/result.hpp"

namespace plumb::search {

// What a found passage is weighed by, in the order of the columns path, title, heading, text.
inline constexpr const char* rank_setting = "bm25(1.0, 3.0, 2.0, 1.0)";

// For who writes. `folder`: the real path that the index is of.
Result<std::unique_ptr<SQLite::Database>> open_index(const std::string& file, const std::string& folder);
// For who reads. not_found: there is none yet, or one of an older form.
Result<std::unique_ptr<SQLite::Database>> open_index_to_read(const std::string& file, const std::string& folder);

// What SQLite says, as a sentence that helps.
Error index_error(const SQLite::Exception& error, const std::string& file);

// Where the index of a folder is kept unless something else is said: a file of the user's cache (XDG_CACHE_HOME, else
// ~/.cache) that is named by the folder's real path. Its folder is made.
Result<std::string> usual_index_file(const std::string& folder);
// The real path of a folder. The error says that it is not there, or none.
Result<std::string> real_folder(const std::string& folder);

}  // namespace plumb::search
