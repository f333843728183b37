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

const MAP = new URL('map/', import.meta.url);
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Bundles the map page in memory, and compresses its files. */
export async function bundleMap(): Promise<Bundle> {
  const [texts, worker, font, page] = await Promise.all([
    scriptsAndStyles(),
    // MapLibre loads its worker from the folder of the script that holds it
    readFile(new URL(import.meta.resolve('maplibre-gl/dist/maplibre-gl-worker.mjs')), 'utf8'),
    // names of countries: no other script than Latin
    readFile(new URL(import.meta.resolve('@fontsource/open-sans/files/open-sans-latin-600-normal.woff2'))),
    readFile(new URL('page.html', MAP), 'utf8'),
  ]);
  texts.set('maplibre-gl-worker.mjs', worker.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  const contents = [
    ...[...texts].map(([name, text]) => [name, Buffer.from(text)] as const),
    ['open-sans.woff2', font] as const,
  ];
  const files = new Map(
    await Promise.all(contents.map(async ([name, bytes]) => [name, await makeAsset(name, bytes)] as const)),
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

async function makeAsset(name: string, bytes: Uint8Array): Promise<Asset> {
  const type = TYPES[extname(name)]!;
  const etag = digest(bytes).slice(0, 22);
  return type.startsWith('text/')
    ? { type, bytes, gzip: await zipped(bytes, { level: 7 }), etag }
    : { type, bytes, etag };
}
