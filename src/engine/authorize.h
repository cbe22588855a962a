// Asks the authorizer about what is no query and no change of rows: the schema, transactions,
// pragmas, ATTACH. (The binder asks about the rest.)
#pragma once

#include "base/status.h"
#include "engine/statement.h"

namespace godwit {

// True: the statement is to do nothing. What the schema does not have is left for compilation to say.
Result<bool> authorize_statement(const CompileInput& input);

}  // namespace godwit
