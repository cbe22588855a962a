#include "function/builtins.h"
namespace godwit { std::span<const ScalarFunction> datetime_functions() { return {}; } }
