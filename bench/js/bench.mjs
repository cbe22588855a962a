// The micro workloads, one thread: what one operation costs.
//
//     node bench.mjs [--engines a,b] [--workloads a,b] [--rows 10000] [--iterations 0] [--warmup 0] [--json FILE]
//
// 0 iterations: as many as the workload says; 0 warmup: a tenth of them. Each iteration is timed.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { dataFolder, median, parseArguments, random, removeDatabase, summarize } from './common.mjs';
import { DEFAULT_ENGINES, engine, openDatabase } from './engines.mjs';
import { microTable } from './report.mjs';
import { seed, WORKLOADS } from './workloads.mjs';

const options = parseArguments({
  engines: DEFAULT_ENGINES, workloads: Object.keys(WORKLOADS), rows: 10000, iterations: 0, warmup: 0, json: '',
});
// Processor time is taken in so many blocks; the median of them counts.
const BLOCKS = 10;
const folder = dataFolder();

function measure(db, workload) {
  const iterations = options.iterations || workload.iterations;
  const warmup = options.warmup || Math.ceil(iterations / 10);
  const run = workload.prepare(db, options.rows, random(7));
  for (let i = 0; i < warmup; ++i) run(i);
  const times = new Float64Array(iterations);
  const operations = workload.operations ?? 1;
  const blocks = [];
  for (let block = 0; block < BLOCKS; ++block) {
    const begin = Math.floor((iterations * block) / BLOCKS);
    const end = Math.floor((iterations * (block + 1)) / BLOCKS);
    const usage = process.cpuUsage();
    for (let i = begin; i < end; ++i) {
      const start = process.hrtime.bigint();
      run(warmup + i);
      times[i] = Number(process.hrtime.bigint() - start);
    }
    const { user, system } = process.cpuUsage(usage);
    if (end > begin) blocks.push(((user + system) * 1000) / ((end - begin) * operations));
  }
  return { ...summarize(times, iterations * operations), cpu: median(blocks) };
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
