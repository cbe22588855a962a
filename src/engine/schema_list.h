// The schemas of all databases of a connection at one time: what a compiled statement refers to.
#pragma once

#include <memory>
#include <vector>

#include "catalog/schema.h"

namespace godwit {

using SchemaList = std::vector<std::shared_ptr<const Schema>>;

}  // namespace godwit
