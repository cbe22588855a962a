// All suites several times, and one set of tables and plots of it. Each run of each engine is a process of its own;
// the engines take turns, each beginning in another round.
//
//     node compare.mjs [--runs 3] [--engines a,b] [--skipBench] [--skipConcurrent] [--skipProd] [--scale small]
//                      [--duration 15] [--threads 1,2,4,8] [--ops 2000] [--rows 10000] [--out ../results/js]

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArguments } from './common.mjs';
import { DEFAULT_ENGINES, engine } from './engines.mjs';
import { commit, comparison, consolidate, latencyChart, table, threadsChart } from './report.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const options = parseArguments({
  runs: 3, engines: DEFAULT_ENGINES, skipBench: false, skipConcurrent: false, skipProd: false, scale: 'small',
  duration: 15, threads: [1, 2, 4, 8], ops: 2000, rows: 10000, out: path.join(here, '..', 'results', 'js'),
});
const work = mkdtempSync(path.join(os.tmpdir(), 'godwit-compare-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

function child(script, name, more) {
  const json = path.join(work, 'result.json');
  rmSync(json, { force: true });
  execFileSync(process.execPath, ['--no-warnings', path.join(here, script), '--engines', name, '--json', json, ...more],
    { stdio: ['ignore', 'ignore', 'inherit'] });
  return JSON.parse(readFileSync(json, 'utf8'));
}

const present = [];
for (const name of options.engines) {
  const chosen = await engine(name);
  if (chosen !== null) present.push(chosen);
}
const collected = { bench: [], concurrent: [], prod: [] };
for (let run = 0; run < options.runs; ++run) {
  const turn = present.map((_, i) => present[(i + run) % present.length].name);
  for (const name of turn) {
    console.error(`run ${run + 1} of ${options.runs}: ${name}`);
    if (!options.skipBench) collected.bench.push(child('bench.mjs', name, ['--rows', String(options.rows)]));
    if (name === 'node-sqlite3-wasm') continue;
    if (!options.skipConcurrent) {
      collected.concurrent.push(child('concurrent.mjs', name,
        ['--threads', options.threads.join(), '--ops', String(options.ops), '--rows', String(options.rows)]));
    }
    if (!options.skipProd) {
      collected.prod.push(child('prod.mjs', name, ['--scale', options.scale, '--duration', String(options.duration)]));
    }
  }
}

mkdirSync(options.out, { recursive: true });
const cpu = os.cpus();
const load = os.loadavg()[0].toFixed(1);
const parts = ['# Suites in JavaScript', '',
  `${options.runs} runs, medians; ± is (max - min) / median of the runs. The last column is Godwit beside the best other engine: above 1 Godwit is better.`, '',
  table(['', ''], [['machine', `${cpu[0].model}, ${cpu.length} cores, ${os.type()} ${os.release()}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, load ${load}`],
    ['Node', process.version], ['commit', commit(here)], ['date', new Date().toISOString().slice(0, 16)],
    ...present.map((chosen) => [chosen.name, chosen.version()])])];
const plot = (name, svg) => {
  writeFileSync(path.join(options.out, `${name}.svg`), svg);
  parts.push('', `![${name}](${name}.svg)`);
};

if (collected.bench.length) {
  const results = consolidate(collected.bench, ['engine', 'workload']);
  parts.push('', '## Micro workloads, operations a second', '', comparison(results, (r) => r.workload));
  parts.push('', '### Processor time of an operation', '',
    'User and system time of the process, which does not count waiting for the disk or for a processor: what to look at on a busy machine.', '',
    comparison(results, (r) => r.workload, 'cpu', true));
  parts.push('', '### p99', '', comparison(results, (r) => r.workload, 'p99', true));
}
if (collected.concurrent.length) {
  const results = consolidate(collected.concurrent, ['engine', 'scenario', 'threads', 'role']);
  const roles = [...new Set(results.map((r) => `${r.scenario} ${r.role}s`))];
  for (const role of roles) {
    const mine = results.filter((r) => `${r.scenario} ${r.role}s` === role);
    parts.push('', `## ${role}, operations a second`, '', comparison(mine, (r) => `${r.threads} threads`));
    plot(role.replaceAll(' ', '-'), threadsChart(role, mine));
  }
}
if (collected.prod.length) {
  const results = consolidate(collected.prod, ['engine', 'query']);
  parts.push('', `## Application profile (${options.scale}, ${results[0].megabytes} MB, ${results[0].threads} threads, ${options.duration} s)`, '',
    comparison(results, (r) => r.query), '', '### Processor time of an operation of the mix', '',
    comparison(results.filter((r) => r.query === 'all'), (r) => r.query, 'cpu', true), '', '### p99', '', comparison(results, (r) => r.query, 'p99', true),
    '', '### p99.9', '', comparison(results, (r) => r.query, 'p999', true));
  for (const query of ['reads', 'writes']) {
    plot(`prod-${query}`, latencyChart(`Application profile: ${query}`, results.filter((r) => r.query === query)));
  }
}
writeFileSync(path.join(options.out, 'README.md'), `${parts.join('\n')}\n`);
console.log(parts.join('\n'));
