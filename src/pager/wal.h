#pragma once
namespace godwit { class Wal {}; }
