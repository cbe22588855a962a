// Makes the checksums of a WAL right for whatever its frames hold, so that a recovery that tests them
// behaves like one that does not.
#pragma once

#include "tests/sim/sim_disk.h"

namespace godwit::sim {

void forge_wal_checksums(FileImages* files);

}  // namespace godwit::sim
