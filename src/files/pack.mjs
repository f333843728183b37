/**
 * Packs the library for npm, where Node strips no types: `prepack` compiles to `dist` and lets package.json name the
 * compiled files, `postpack` restores it, and `copy FOLDER` packs a copy into a folder and prints the tarball's path.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const manifest = join(here, 'package.json');
const saved = join(here, 'package.json.saved');
const dist = join(here, 'dist');

function prepack() {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  rmSync(dist, { recursive: true, force: true });
  const tsc = join(dirname(typescript), 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', here], { stdio: ['ignore', process.stderr, process.stderr] });
  // the compiler rewrites imports of JavaScript, but neither those of declarations nor the addresses of threads
  for (const name of readdirSync(dist, { recursive: true })) {
    const path = join(dist, name);
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    const pattern = name.endsWith('.js') ? /(new URL\('\.\/[\w-]+)\.ts'/g : /((?:from |import\()'\.[^']*)\.ts'/g;
    writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, "$1.js'"));
  }
  for (const asset of ['crs/catalogue.br', 'data/eum/items.txt', 'data/eum/units.txt'])
    cpSync(join(here, asset), join(dist, asset));
  const text = readFileSync(manifest, 'utf8');
  const { exports, bin, scripts: _, ...rest } = JSON.parse(text);
  const compiled = (path, extension) => `./dist/${path.slice(2).replace(/\.ts$/, extension)}`;
  for (const [name, path] of Object.entries(exports))
    exports[name] = { types: compiled(path, '.d.ts'), default: compiled(path, '.js') };
  for (const [name, path] of Object.entries(bin)) bin[name] = compiled(path, '.js');
  writeFileSync(saved, text);
  writeFileSync(manifest, `${JSON.stringify({ ...rest, bin, exports }, undefined, 2)}\n`);
}

function postpack() {
  renameSync(saved, manifest);
  rmSync(dist, { recursive: true, force: true });
}

function copy(folder) {
  const work = mkdtempSync(join(tmpdir(), 'hydrofiles-'));
  try {
    const inCopy = join(work, 'package');
    cpSync(here, inCopy, { recursive: true, filter: (path) => !/[/\\](node_modules|dist)$/.test(path) });
    symlinkSync(resolve(here, '../../node_modules'), join(work, 'node_modules'), 'junction');
    const target = resolve(folder);
    const output = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
      cwd: inCopy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    });
    const [{ filename }] = JSON.parse(output.slice(output.indexOf('[')));
    console.log(join(target, filename));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const [mode, folder = '.'] = process.argv.slice(2);
({ prepack, postpack, copy })[mode](folder);
