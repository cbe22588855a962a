// The Porter stemming algorithm (M. F. Porter, "An algorithm for suffix stripping", 1980).
#pragma once

#include <string>

namespace godwit::modules {

// Words of other letters than a to z, and very short or long ones, stay as they are.
void stem(std::string* word);

}  // namespace godwit::modules
