'use strict';
// backup(): copies the database while the loop goes on, some pages at a time.

const fs = require('fs');
const path = require('path');
const { promisify } = require('util');
const { native, header, STATUS, ROWS, EXTRAS, MORE_ROWS } = require('./native');
const { NOT_OPEN } = require('./statement');

const access = promisify(fs.access);
const PAGES = 100;
const RETRY_MS = 20;

async function backup(connection, filename, options) {
  if (options == null) options = {};
  if (typeof filename !== 'string') throw new TypeError('Expected first argument to be a string');
  if (typeof options !== 'object') throw new TypeError('Expected second argument to be an options object');
  filename = filename.trim();
  const attached = 'attached' in options ? options.attached : 'main';
  const progress = 'progress' in options ? options.progress : null;
  if (!filename) throw new TypeError('Backup filename cannot be an empty string');
  if (filename === ':memory:') throw new TypeError('Invalid backup filename ":memory:"');
  if (typeof attached !== 'string') throw new TypeError('Expected the "attached" option to be a string');
  if (!attached) throw new TypeError('The "attached" option cannot be an empty string');
  if (progress != null && typeof progress !== 'function') {
    throw new TypeError('Expected the "progress" option to be a function');
  }
  await access(path.dirname(filename)).catch(() => {
    throw new TypeError('Cannot save backup because the directory does not exist');
  });
  const isNew = await access(filename).then(() => false, () => true);
  if (!connection.open) throw new TypeError(NOT_OPEN);
  const handle = connection.check(
    native.backupOpen(connection.slot, attached, filename, isNew ? 1 : 0, 'main'));
  return runBackup(connection, handle, progress);
}

async function runBackup(connection, handle, progress, firstPages = PAGES) {
  let pages = 0;
  let useDefault = true;
  try {
    for (;;) {
      await new Promise((resolve) => { setImmediate(resolve); });
      if (!connection.open) throw new TypeError(NOT_OPEN);
      const done = connection.check(native.backupStep(handle, pages));
      const busy = header[STATUS] === MORE_ROWS;
      const state = { totalPages: header[ROWS], remainingPages: header[EXTRAS] };
      if (done) return state;
      if (busy) await new Promise((resolve) => { setTimeout(resolve, RETRY_MS); });
      if (useDefault) {
        useDefault = false;
        pages = firstPages;
      }
      if (progress) {
        const wanted = progress(state);
        if (wanted !== undefined) {
          if (typeof wanted !== 'number' || Number.isNaN(wanted)) {
            throw new TypeError('Expected progress callback to return a number or undefined');
          }
          pages = Math.max(0, Math.min(0x7fffffff, Math.round(wanted)));
        }
      }
    }
  } finally {
    native.backupClose(handle);
  }
}

module.exports = { backup, runBackup };
