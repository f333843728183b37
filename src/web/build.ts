import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { keepMade, type Made } from './bundle-cache.ts';
import type { Bundled, Entries } from './bundle-thread.ts';

const zipped = promisify(gzip);

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Undefined for a file that is compressed. */
  readonly gzip?: Uint8Array;
  /** ETag without quotes. */
  readonly etag: string;
}

/** A page with its scripts and styles. */
export interface Bundle {
  /** Changes with the content of the files: part of their address, so that browsers keep them. */
  readonly version: string;
  readonly files: ReadonlyMap<string, Asset>;
  /**
   * HTML; `{assets}` is replaced by the address of the folder of the files, `{basemap}` by a `meta` element with an
   * outside base map or by nothing.
   */
  readonly page: string;
}

const ROOT = new URL('./', import.meta.url);
/** What esbuild reads without naming it. */
const SETTINGS = new URL('./tsconfig.json', import.meta.url);
const BUILD = new URL(import.meta.url);
const THREAD = new URL('./bundle-thread.ts', import.meta.url);
const BUNDLER = new URL(import.meta.resolve('esbuild/package.json'));
/** MapLibre loads it from the folder of the script that holds it. */
const WORKER = new URL(import.meta.resolve('maplibre-gl/dist/maplibre-gl-worker.mjs'));
/** Names of countries: no other script than Latin. */
const FONT = new URL(import.meta.resolve('@fontsource/open-sans/files/open-sans-latin-600-normal.woff2'));
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Bundles the map page in memory, and compresses its files. */
export const bundleMap = (): Promise<Bundle> => bundle('map/', ['main.ts', 'page.css']);

let ofConsole: Promise<Bundle> | undefined;

/**
 * Bundles the console in memory: the pages, MapLibre and charts are files of their own, which load when they are
 * needed. A process does it once.
 */
export function bundleConsole(): Promise<Bundle> {
  ofConsole ??= bundle('app/', ['main.tsx', 'console.css']);
  ofConsole.catch(() => {
    ofConsole = undefined;
  });
  return ofConsole;
}

/**
 * The files are kept beside the compiled code of this process, if that is kept.
 * @param folder of `page.html` and of the entry points
 */
async function bundle(folder: string, entryPoints: string[]): Promise<Bundle> {
  const cache = getCompileCacheDir();
  const file = cache === undefined ? undefined : join(cache, 'bundles', folder.replace('/', ''));
  const [files, page] = await Promise.all([
    keepMade(file, () => makeFiles(new URL(folder, ROOT), entryPoints)),
    readFile(new URL(`${folder}page.html`, ROOT), 'utf8'),
  ]);
  const version = digest([...files].map(([name, { etag }]) => `${name} ${etag}`).join('\n')).slice(0, 16);
  return { version, files, page };
}

async function makeFiles(folder: URL, entryPoints: string[]): Promise<Made<Map<string, Asset>>> {
  const [{ texts, inputs }, worker, font] = await Promise.all([
    scriptsAndStyles(folder, entryPoints),
    readFile(WORKER, 'utf8'),
    readFile(FONT),
  ]);
  texts.set('maplibre-gl-worker.mjs', worker.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  const contents = [
    ...[...texts].map(([name, text]) => [name, Buffer.from(text)] as const),
    ['open-sans.woff2', font] as const,
  ];
  const value = new Map(
    await Promise.all(contents.map(async ([name, bytes]) => [name, await makeAsset(name, bytes)] as const)),
  );
  return {
    value,
    inputs: [...inputs, ...[WORKER, FONT, BUNDLER, SETTINGS, THREAD, BUILD].map((url) => fileURLToPath(url))],
  };
}

/**
 * esbuild works in a process of its own, which has the environment of the thread that starts it: an empty one, since
 * that of this process may hold secrets.
 */
async function scriptsAndStyles(folder: URL, entryPoints: string[]): Promise<Bundled> {
  const entries: Entries = { folder: fileURLToPath(folder), entryPoints };
  const thread = new Worker(THREAD, { workerData: entries, env: {} });
  // an error of the thread rejects
  const [bundled] = (await once(thread, 'message')) as [Bundled];
  return bundled;
}

const digest = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('base64url');

async function makeAsset(name: string, bytes: Uint8Array): Promise<Asset> {
  const type = TYPES[extname(name)]!;
  const etag = digest(bytes).slice(0, 22);
  return type.startsWith('text/')
    ? { type, bytes, gzip: await zipped(bytes, { level: 7 }), etag }
    : { type, bytes, etag };
}
