import { basename, resolve } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { build, stop } from 'esbuild';

/** What is bundled. */
export interface Entries {
  readonly folder: string;
  readonly entryPoints: string[];
}

/** What they became. */
export interface Bundled {
  /** By name of the file. */
  readonly texts: Map<string, string>;
  /** Paths of all files that were read. */
  readonly inputs: string[];
}

const { folder, entryPoints } = workerData as Entries;
try {
  const { outputFiles, metafile } = await build({
    absWorkingDir: folder,
    entryPoints,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'inline',
    outdir: '.',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const bundled: Bundled = {
    texts: withShortNames(outputFiles.map(({ path, text }) => [basename(path), text])),
    inputs: Object.keys(metafile.inputs).map((path) => resolve(folder, path)),
  };
  parentPort!.postMessage(bundled);
} finally {
  await stop();
}

/**
 * Names without hashes, since the address of the folder has one: hashes do not compress, and pages name many files.
 * @param files names and texts
 */
function withShortNames(files: readonly (readonly [string, string])[]): Map<string, string> {
  const short = new Map<string, string>();
  const taken = new Set(files.map(([name]) => name));
  for (const [name] of files) {
    const [, first] = /^(.+)-[0-9A-Z]{8}\.js$/.exec(name) ?? [];
    if (first === undefined) continue;
    const start = first === 'chunk' ? '' : first;
    let next = `${start || '0'}.js`;
    for (let n = 1; taken.has(next); n++) next = `${start}${n.toString(36)}.js`;
    taken.add(next);
    short.set(name, next);
  }
  const imports = (text: string) =>
    text.replace(/"\.\/([\w.-]+)"/g, (whole, name: string) => (short.has(name) ? `"./${short.get(name)}"` : whole));
  return new Map(files.map(([name, text]) => [short.get(name) ?? name, imports(text)]));
}
