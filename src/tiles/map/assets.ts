import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';

const zipped = promisify(gzip);

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  readonly etag: string;
}

/** Scripts and styles of the map page. */
export interface Assets {
  /** Changes with their content: part of their address, so that browsers keep them. */
  readonly version: string;
  readonly files: ReadonlyMap<string, Asset>;
}

const PAGE = new URL('page/', import.meta.url);
const LIBRARY = ['maplibre-gl.mjs', 'maplibre-gl-worker.mjs', 'maplibre-gl.css'] as const;
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Reads the scripts, removes their types, and compresses them. */
export async function readAssets(): Promise<Assets> {
  const names = (await readdir(PAGE)).filter((name) => /\.(?:ts|css)$/.test(name)).sort();
  const sources = await Promise.all(names.map((name) => readFile(new URL(name, PAGE), 'utf8')));
  const scripts = names.filter((name) => name.endsWith('.ts'));
  const stripped = await strip(scripts.map((name) => sources[names.indexOf(name)]!));
  const texts = new Map(scripts.map((name, n) => [name.replace(/ts$/, 'js'), forBrowsers(stripped[n]!)]));
  names.forEach((name, n) => {
    if (name.endsWith('.css')) texts.set(name, sources[n]!);
  });
  for (const name of LIBRARY)
    texts.set(name, withoutMap(await readFile(new URL(import.meta.resolve(`maplibre-gl/dist/${name}`)), 'utf8')));
  const files = new Map(
    await Promise.all([...texts].map(async ([name, text]) => [name, await assetOf(name, text)] as const)),
  );
  const version = digest([...files].map(([name, { etag }]) => `${name} ${etag}`).join('\n')).slice(0, 16);
  return { version, files };
}

/** Imports get names that the server has. */
const forBrowsers = (script: string): string =>
  script.replace(/(from\s+'\.\/[\w-]+)\.ts'/g, "$1.js'").replace(/(from\s+)'maplibre-gl'/g, "$1'./maplibre-gl.mjs'");

const withoutMap = (text: string): string => text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');

const digest = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('base64url');

async function assetOf(name: string, text: string): Promise<Asset> {
  const bytes = Buffer.from(text);
  const type = TYPES[name.split('.').at(-1)!]!;
  return { type, bytes, gzip: await zipped(bytes, { level: 7 }), etag: digest(bytes).slice(0, 22) };
}

/** In a thread, because Node warns of its function in this one, and because it takes a while. */
function strip(sources: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('strip-thread.ts', import.meta.url), {
      workerData: sources,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`The thread that removes types ended with ${code}.`)));
  });
}
