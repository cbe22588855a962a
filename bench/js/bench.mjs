// The micro workloads, one thread: what one operation costs.
//
//     node bench.mjs [--engines a,b] [--workloads a,b] [--rows 10000] [--iterations 0] [--warmup 0] [--json FILE]
//
// 0 iterations: as many as the workload says; 0 warmup: a tenth of them. Each iteration is timed.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { dataFolder, parseArguments, random, removeDatabase, summarize } from './common.mjs';
import { DEFAULT_ENGINES, engine, openDatabase } from './engines.mjs';
import { microTable } from './report.mjs';
import { seed, WORKLOADS } from './workloads.mjs';

const options = parseArguments({
  engines: DEFAULT_ENGINES, workloads: Object.keys(WORKLOADS), rows: 10000, iterations: 0, warmup: 0, json: '',
});
const folder = dataFolder();

function measure(db, workload) {
  const iterations = options.iterations || workload.iterations;
  const warmup = options.warmup || Math.ceil(iterations / 10);
  const run = workload.prepare(db, options.rows, random(7));
  for (let i = 0; i < warmup; ++i) run(i);
  const times = new Float64Array(iterations);
  for (let i = 0; i < iterations; ++i) {
    const start = process.hrtime.bigint();
    run(warmup + i);
    times[i] = Number(process.hrtime.bigint() - start);
  }
  return summarize(times, iterations * (workload.operations ?? 1));
}

const results = [];
for (const name of options.engines) {
  const chosen = await engine(name);
  if (chosen === null) continue;
  const file = path.join(folder, 'bench.db');
  removeDatabase(file);
  const db = openDatabase(chosen, file, { journal: chosen.noWal ? 'DELETE' : 'WAL' });
  seed(db, options.rows);
  for (const workload of options.workloads) {
    results.push({ suite: 'bench', engine: name, workload, ...measure(db, WORKLOADS[workload]) });
  }
  db.close();
}
if (options.json) writeFileSync(options.json, JSON.stringify(results));
else console.log(microTable(results));
