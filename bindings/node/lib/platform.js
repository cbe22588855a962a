'use strict';

// The name of this machine in the names of packages with a binary: linux-x64-gnu.
function platformPackage() {
  let name = `${process.platform}-${process.arch}`;
  if (process.platform === 'linux') {
    const report = process.report?.getReport?.();
    name += report && !report.header.glibcVersionRuntime ? '-musl' : '-gnu';
  }
  return name;
}

module.exports = { platformPackage };
