// Types of godwit/node-sqlite for ESM.

export * from './node-sqlite.js';
