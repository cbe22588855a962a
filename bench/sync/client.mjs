// One workload of one engine, a process of its own that bench.mjs starts: it prepares, says so, and measures when
// it is told to.
//
//     node client.mjs ENGINE WORKLOAD FOLDER DIRECT_URL PROXIED_URL SCALE TEXT

import { performance } from 'node:perf_hooks';
import path from 'node:path';
import { ENGINES } from './engines.mjs';
import { WORKLOADS } from './workloads.mjs';

const [name, workload, folder, direct, proxied, scale, text] = process.argv.slice(2);
const connect = await ENGINES[name].load();
let files = 0;
const open = (url) => connect({ path: path.join(folder, `local${++files}.db`), url });
const { measure, check } = await WORKLOADS[workload].prepare({
  text,
  scale: Number(scale),
  openDirect: () => open(direct),
  openProxied: () => open(proxied),
});
process.send('ready');
await new Promise((resolve) => process.once('message', resolve));

const begin = performance.now();
const cpu = process.cpuUsage();
let local = 0;  // until the first push or pull begins
await measure(() => { local = performance.now() - begin; });
const total = performance.now() - begin;
const { user, system } = process.cpuUsage(cpu);
process.send({ total, local, sync: total - local, cpu: (user + system) / 1000 });
await new Promise((resolve) => process.once('message', resolve));
await check();
process.exit(0);
