// The value that a column has in rows which were stored before the column was added.
#pragma once

#include "base/status.h"
#include "catalog/schema.h"
#include "value/value.h"

namespace godwit {

// ALTER TABLE ADD COLUMN admits only constants as defaults of columns that old rows do not have:
// literals, also with signs and casts. For any other default the value is NULL.
Status evaluate_column_default(const Column& column, Value* value);

}  // namespace godwit
