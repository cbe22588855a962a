// The tokenizers that come with FTS5: unicode61, ascii, porter, trigram.
#pragma once

#include "sqlite3.h"

namespace godwit::modules {

int add_fts5_tokenizers(fts5_api* api);

}  // namespace godwit::modules
