// Types of replicas for ESM.

export * from './sync.js';
