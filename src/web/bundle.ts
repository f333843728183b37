import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build, stop } from 'esbuild';

const zipped = promisify(gzip);

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  /** ETag without quotes. */
  readonly etag: string;
}

/** A page with its scripts and styles. */
export interface Bundle {
  /** Changes with the content of the files: part of their address, so that browsers keep them. */
  readonly version: string;
  readonly files: ReadonlyMap<string, Asset>;
  /** HTML; `{assets}` is replaced by the address of the folder of the files. */
  readonly page: string;
}

const MAP = new URL('map/', import.meta.url);
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Bundles the map page in memory, and compresses its files. */
export async function bundleMap(): Promise<Bundle> {
  const [texts, worker, page] = await Promise.all([
    scriptsAndStyles(),
    // MapLibre loads its worker from the folder of the script that holds it
    readFile(new URL(import.meta.resolve('maplibre-gl/dist/maplibre-gl-worker.mjs')), 'utf8'),
    readFile(new URL('page.html', MAP), 'utf8'),
  ]);
  texts.set('maplibre-gl-worker.mjs', worker.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  const files = new Map(
    await Promise.all([...texts].map(async ([name, text]) => [name, await makeAsset(name, text)] as const)),
  );
  const version = digest([...files].map(([name, { etag }]) => `${name} ${etag}`).join('\n')).slice(0, 16);
  return { version, files, page };
}

/** By name of the file. esbuild works in a process of its own, which ends afterwards. */
async function scriptsAndStyles(): Promise<Map<string, string>> {
  try {
    const { outputFiles } = await build({
      absWorkingDir: fileURLToPath(MAP),
      entryPoints: ['main.ts', 'page.css'],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2024',
      legalComments: 'inline',
      outdir: '.',
      write: false,
      logLevel: 'silent',
    });
    return new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  } finally {
    await stop();
  }
}

const digest = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('base64url');

async function makeAsset(name: string, text: string): Promise<Asset> {
  const bytes = Buffer.from(text);
  const type = TYPES[extname(name)]!;
  return { type, bytes, gzip: await zipped(bytes, { level: 7 }), etag: digest(bytes).slice(0, 22) };
}
