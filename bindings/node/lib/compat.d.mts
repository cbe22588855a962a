// Types of the compat API for ESM.

export * from './compat.js';
