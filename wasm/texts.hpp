// Whether a module has what rules about texts need: wasm/roles_exports.cpp says yes, wasm/without_text.cpp no.
#pragma once

namespace plumb::wasm {

bool reads_texts();

// What to say of something that wants them: the line that loads them.
inline constexpr char texts_wanted[] = "needs the part \"text\": load({ parts: [\"text\"] }) has it";

}  // namespace plumb::wasm
