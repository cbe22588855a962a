'use strict';
// Loads the addon, and makes the buffer through which values pass (its layout: src/addon.h).

const fs = require('fs');
const path = require('path');
const { platformPackage } = require('./platform');

const CELLS = 4096;
const CHARS = 4096;
const CELLS_OFFSET = 64;
const TAGS_OFFSET = CELLS_OFFSET + CELLS * 8;
const CHARS_OFFSET = TAGS_OFFSET + CELLS;
const BYTES = CHARS_OFFSET + CHARS;

function candidates() {
  const name = platformPackage();
  return [
    process.env.GODWIT_NODE_BINDING,
    path.join(__dirname, '..', 'build', 'godwit.node'),
    path.join(__dirname, '..', 'npm', name, 'godwit.node'),
    `@godwit/${name}`,
  ].filter(Boolean);
}

function find() {
  const tried = candidates();
  for (const candidate of tried) {
    if (path.isAbsolute(candidate)) {
      if (fs.existsSync(candidate)) return require(candidate);
      continue;
    }
    try {
      return require(candidate);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new Error(`The native addon of godwit was not found. Looked at: ${tried.join(', ')}. ` +
    'In a checkout, `npm run build` makes it.');
}

// One set of views for each addon: workers and `nativeBinding` have their own.
function attach(native) {
  const buffer = new ArrayBuffer(BYTES);
  native.attach(buffer);
  return {
    native,
    header: new Int32Array(buffer, 0, 16),
    headerReal: new Float64Array(buffer, 0, 8),
    headerBig: new BigInt64Array(buffer, 0, 8),
    int32: new Int32Array(buffer, CELLS_OFFSET, CELLS * 2),
    float64: new Float64Array(buffer, CELLS_OFFSET, CELLS),
    int64: new BigInt64Array(buffer, CELLS_OFFSET, CELLS),
    tags: new Uint8Array(buffer, TAGS_OFFSET, CELLS),
    chars: new Uint8Array(buffer, CHARS_OFFSET, CHARS),
  };
}

module.exports = {
  ...attach(find()),
  CELLS,
  CHARS,
  // As in src/addon.h.
  MORE_ROWS: 1,
  PARKED: 2,
  NOT_INLINE: 3,
  STATUS: 0,
  ROWS: 1,
  CHANGES: 2,
  EXTRAS: 3,
  ROWID: 4,
  COLUMNS: 10,
  PARAMETERS: 11,
  FLAGS: 12,
  INT32: 0,
  NULL: 1,
  TEXT: 2,
  EXTRA: 3,
  BIGINT: 4,
  NUMBER: 5,
  // How integers are read.
  ROUND: 0,
  AS_BIGINT: 1,
  BIGINT_IF_UNSAFE: 2,
  THROW_IF_UNSAFE: 3,
};
