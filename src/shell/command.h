// Words of the command line that are not about a database in a terminal: `server`, `token`, and
// `FILE --sync-server ADDRESS`.
#pragma once

namespace godwit::shell {

// False: it is none of these. Else *code is what the program ends with.
bool run_command(int argc, char** argv, int* code);

}  // namespace godwit::shell
