// Replica and server, both of one engine: bytes both ways, and time. Each measurement has a fresh server, a fresh
// database, and a client that is a process of its own; between them is a proxy that counts and delays. Engines take turns.
//
//     node bench.mjs [--engines turso,godwit] [--workloads a,b] [--latency 0,30] [--runs 5] [--scale 1] [--text events|prose]
//                    [--out ../results/sync] [--json FILE]

import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataFolder, median, parseArguments, spread } from '../js/common.mjs';
import { barChart, bytes, commit, table, time } from '../js/report.mjs';
import { ENGINES } from './engines.mjs';
import { startProxy } from './proxy.mjs';
import { WORKLOADS } from './workloads.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const options = parseArguments({
  engines: Object.keys(ENGINES), workloads: [''], latency: [0, 30], runs: 5, scale: 1, text: 'events', out: '', json: '',
});
const workloads = Object.keys(WORKLOADS).filter((name) => options.workloads.some((part) => name.includes(part)));
const folder = dataFolder();
let measurements = 0;

const message = (child) => new Promise((resolve, reject) => {
  child.once('message', resolve);
  child.once('exit', (code) => reject(new Error(`the client ended with ${code}`)));
});

async function measure(name, workload, latency) {
  const engine = ENGINES[name];
  const work = path.join(folder, `m${++measurements}`);
  mkdirSync(work);
  const server = await engine.server(path.join(work, 'server'));
  const proxy = await startProxy(server.port, latency);
  const address = (port) => `http://127.0.0.1:${port}${engine.path}`;
  const child = fork(path.join(here, 'client.mjs'),
    [name, workload, work, address(server.port), address(proxy.port), String(options.scale), options.text], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  try {
    await message(child);
    proxy.reset();
    const measured = message(child);
    child.send('go');
    const times = await measured;
    const { sent, received, connections, turns } = proxy.counts;
    child.send('check');
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`${name}, ${workload}: the check failed`);
    return { engine: name, workload, latency, ...times, sent, received, bytes: sent + received, connections, turns };
  } finally {
    child.kill();
    await proxy.close();
    await server.stop();
  }
}

const results = [];
for (let run = 0; run < options.runs; ++run) {
  const turn = options.engines.map((_, i) => options.engines[(i + run) % options.engines.length]);
  for (const latency of options.latency) {
    for (const workload of workloads) {
      for (const name of turn) {
        const result = await measure(name, workload, latency);
        results.push(result);
        console.error(`run ${run + 1}, ${latency} ms, ${workload}: ${name} ${bytes(result.bytes)} ` +
          `(${result.sent} + ${result.received}, ${result.turns} turns) ${result.total.toFixed(1)} ms, ` +
          `${result.local.toFixed(1)} local, ${result.cpu.toFixed(1)} of processor time`);
      }
    }
  }
}
if (options.json) writeFileSync(options.json, JSON.stringify(results));

const of = (engine, workload, latency) =>
  results.filter((r) => r.engine === engine && r.workload === workload && r.latency === latency);
const middle = (group, key) => median(group.map((r) => r[key]));
const milliseconds = (value) => time(value * 1e6);

function bytesTable() {
  return table(['workload', ...options.engines.flatMap((name) => [`${name}, up`, 'down', 'in all']), 'ratio'], workloads.map((workload) => {
    const groups = options.engines.map((name) => of(name, workload, options.latency[0]));
    const totals = groups.map((group) => middle(group, 'bytes'));
    return [workload, ...groups.flatMap((group) => [bytes(middle(group, 'sent')), bytes(middle(group, 'received')), bytes(middle(group, 'bytes'))]),
      totals.length > 1 ? `1 / ${(totals[0] / totals[1]).toFixed(1)}` : '-'];
  }));
}

function timeTable(latency) {
  const header = ['workload', ...options.engines.flatMap((name) => [`${name}, writing`, 'syncing', 'in all', 'round trips']), 'ratio'];
  return table(header, workloads.map((workload) => {
    const groups = options.engines.map((name) => of(name, workload, latency));
    const totals = groups.map((group) => middle(group, 'total'));
    return [workload, ...groups.flatMap((group) => [milliseconds(middle(group, 'local')), milliseconds(middle(group, 'sync')),
      `${milliseconds(middle(group, 'total'))} ±${Math.round(spread(group.map((r) => r.total)) * 100)}%`, middle(group, 'turns')]),
      totals.length > 1 ? `1 / ${(totals[0] / totals[1]).toFixed(1)}` : '-'];
  }));
}

const cpus = os.cpus();
const parts = ['# Sync: bytes and time', '',
  `${options.runs} runs, medians; ± is (max - min) / median. Rows: ${options.text} (bench/sync/rows.mjs). Bytes are what the proxy saw, HTTP's headers among them.`, '',
  table(['', ''], [['machine', `${cpus[0].model}, ${cpus.length} cores, ${os.type()} ${os.release()}, load ${os.loadavg()[0].toFixed(1)}`],
    ['Node', process.version], ['commit', commit(here)], ['date', new Date().toISOString().slice(0, 16)],
    ...options.engines.map((name) => [name, ENGINES[name].version()])]),
  '', '## Bytes', '', bytesTable(),
  ...options.latency.flatMap((latency) => ['', `## Time, ${latency} ms of latency`, '', timeTable(latency)])];

if (options.out) {
  mkdirSync(options.out, { recursive: true });
  const plot = (file, title, key, latency, format) => {
    writeFileSync(path.join(options.out, file), barChart(title, {
      labels: workloads, format,
      series: options.engines.map((name) => ({ name, values: workloads.map((workload) => middle(of(name, workload, latency), key)) })),
    }));
    parts.push('', `![${title}](${file})`);
  };
  plot('bytes.svg', 'Bytes both ways', 'bytes', options.latency[0], bytes);
  for (const latency of options.latency) plot(`time-${latency}ms.svg`, `Time, ${latency} ms of latency`, 'total', latency, milliseconds);
  writeFileSync(path.join(options.out, options.text === 'events' ? 'README.md' : `${options.text}.md`), `${parts.join('\n')}\n`);
}
console.log(parts.join('\n'));
process.exit(0);
