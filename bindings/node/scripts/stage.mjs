// Makes the package of this platform's binary, npm/PLATFORM (its name is @godwit/PLATFORM), for `npm pack`:
// packed by itself it can be published beside `godwit`; packed within `godwit` it makes that one whole.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const main = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));
const { platformPackage } = createRequire(import.meta.url)('../lib/platform.js');
const platform = platformPackage();
const folder = path.join(here, 'npm', platform);

execFileSync(process.execPath, [path.join(here, 'scripts', 'build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
mkdirSync(folder, { recursive: true });
copyFileSync(path.join(here, 'build', 'godwit.node'), path.join(folder, 'godwit.node'));
execFileSync('strip', ['--strip-unneeded', path.join(folder, 'godwit.node')]);
const manifest = {
  name: `@godwit/${platform}`,
  version: main.version,
  description: `The native addon of godwit for ${platform}`,
  license: main.license,
  os: [process.platform],
  cpu: [process.arch],
  main: 'godwit.node',
  files: ['godwit.node'],
};
if (platform.endsWith('-gnu')) manifest.libc = ['glibc'];
if (platform.endsWith('-musl')) manifest.libc = ['musl'];
writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
