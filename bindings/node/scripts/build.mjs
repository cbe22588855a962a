// Builds the addon from a checkout of Godwit into build/godwit.node.
//
//     node scripts/build.mjs [--if-needed]
//
// With --if-needed (npm install) it does nothing where a binary is there. The headers of Node-API are looked
// for in npm's `nodedir`, beside the running node, and in /usr/include/node; nothing is downloaded.

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const root = path.resolve(here, '..', '..');
const preset = process.env.GODWIT_PRESET ?? 'release';

function present() {
  try {
    createRequire(import.meta.url)('../lib/native.js');
    return true;
  } catch {
    return false;
  }
}

if (process.argv.includes('--if-needed') && present()) process.exit(0);
if (!existsSync(path.join(root, 'CMakePresets.json'))) {
  console.error('godwit: there is no binary for this platform, and no checkout to build one from');
  process.exit(1);
}

const headers = [
  process.env.npm_config_nodedir && path.join(process.env.npm_config_nodedir, 'include', 'node'),
  path.join(path.dirname(process.execPath), '..', 'include', 'node'),
  '/usr/include/node',
].find((folder) => folder && existsSync(path.join(folder, 'node_api.h')));
if (!headers) {
  console.error('godwit: node_api.h was not found; set npm_config_nodedir to the folder that has include/node');
  process.exit(1);
}

const run = (...command) => execFileSync('cmake', command, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
run('--preset', preset, '-DGODWIT_NODE=ON', `-DGODWIT_NODE_INCLUDE=${headers}`);
run('--build', '--preset', preset, '--target', 'godwit_node');
const target = path.join(here, 'build', 'godwit.node');
mkdirSync(path.dirname(target), { recursive: true });
rmSync(target, { force: true });
copyFileSync(path.join(root, 'build', preset, 'lib', 'godwit.node'), target);
console.log(`godwit: built ${target}`);
