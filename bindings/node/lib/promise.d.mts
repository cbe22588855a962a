// Types of the asynchronous API for ESM.

export * from './promise.js';
