// Arguments, random numbers, folders, statistics.

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// --name value; a flag without a value is true. Defaults tell the types.
export function parseArguments(defaults, argv = process.argv.slice(2)) {
  const result = { ...defaults };
  for (let i = 0; i < argv.length; ++i) {
    if (!argv[i].startsWith('--')) throw new Error(`what is ${argv[i]}?`);
    const [name, inline] = argv[i].slice(2).split('=');
    if (!Object.hasOwn(defaults, name)) throw new Error(`no such option: --${name}`);
    if (typeof defaults[name] === 'boolean') {
      result[name] = inline !== 'false';
      continue;
    }
    const value = inline ?? argv[++i];
    if (Array.isArray(defaults[name])) {
      result[name] = value.split(',').map((item) => (typeof defaults[name][0] === 'number' ? Number(item) : item));
    } else {
      result[name] = typeof defaults[name] === 'number' ? Number(value) : value;
    }
  }
  return result;
}

// mulberry32: the same numbers for every engine.
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const below = (next, n) => Math.floor(next() * n);

// A folder for databases, removed at the end.
export function dataFolder() {
  const base = process.env.BENCH_DATA_DIR ?? os.tmpdir();
  const folder = mkdtempSync(path.join(base, 'godwit-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function removeDatabase(file) {
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock', '-tshm']) {
    rmSync(file + suffix, { recursive: true, force: true });
  }
}

export function percentile(sorted, p) {
  if (sorted.length === 0) return NaN;
  return sorted[Math.min(sorted.length - 1, Math.ceil((p / 100) * sorted.length) - 1)];
}

// Of times in nanoseconds: what the tables show.
export function summarize(times, operations = times.length) {
  const sorted = Float64Array.from(times).sort();
  const total = sorted.reduce((sum, time) => sum + time, 0);
  return {
    operations,
    perSecond: operations / (total / 1e9),
    mean: total / operations,
    p50: percentile(sorted, 50),
    p95: percentile(sorted, 95),
    p99: percentile(sorted, 99),
    p999: percentile(sorted, 99.9),
    max: sorted[sorted.length - 1],
  };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// (max - min) / median
export function spread(values) {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}
