// The commands of the program that belong to the server. No other header of this layer is needed by
// the program that links it.
#pragma once

namespace godwit::server {

// `godwit server --dir DIR ...` and `godwit server FILE ...`; `argv[0]` is "server". Returns the exit
// code.
int server_command(int argc, char** argv);
// `godwit token ...`; `argv[0]` is "token".
int token_command(int argc, char** argv);
// `godwit sync FILE URL ...`; `argv[0]` is "sync".
int sync_command(int argc, char** argv);

}  // namespace godwit::server
