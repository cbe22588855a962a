// How much of the thread's stack is left: asked where functions nest as deep as the user's data says.
#pragma once

#include <cstddef>

namespace godwit {

// Whether a call that needs up to about 96 KB of stack would not fit any more. False where the bounds
// of the stack are not known, as on one that the application has made itself.
bool is_stack_low();

}  // namespace godwit
