import { glob, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { formatOfName } from '../formats/detect.ts';
import { UsageError } from './errors.ts';
import { isAddress, recognise } from './input.ts';
import { STDIO } from './output.ts';
import { mainFile, namesIn } from './shapefile-zip.ts';

/** Files that the arguments of a command name. */
export interface Expanded {
  files: string[];
  /** Several files may come: there are several arguments, a folder or a pattern. */
  many: boolean;
}

/**
 * Replaces folders by their files that a reader reads, and patterns such as `rain_*.tif`, which the shell has not
 * expanded, by the files that match. A file that a folder or pattern names by several of its parts comes once.
 */
export async function expandFiles(given: readonly string[]): Promise<Expanded> {
  const files: string[] = [];
  let many = given.length > 1;
  for (const one of given) {
    const found = one === STDIO || isAddress(one) ? undefined : await filesAt(one);
    many ||= found !== undefined;
    files.push(...(found ?? [one]));
  }
  return { files, many };
}

/** Undefined: the argument is a file, or there is nothing. */
async function filesAt(given: string): Promise<string[] | undefined> {
  const there = await stat(given).catch(() => undefined);
  if (there?.isDirectory()) {
    const entries = await readdir(given, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
    const readable: string[] = [];
    for (const path of await mainFiles(names.map((name) => join(given, name))))
      if (await isReadable(path)) readable.push(path);
    if (readable.length > 0) return readable;
    throw new UsageError(`The folder ${given} has no file that a reader reads.`);
  }
  if (there !== undefined || !/[*?[\]{}]/.test(given)) return undefined;
  const matches: string[] = [];
  for await (const match of glob(given)) matches.push(match);
  const found = await mainFiles(matches);
  if (found.length === 0) throw new UsageError(`No file matches ${given}.`);
  return found;
}

async function mainFiles(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const folders = new Map<string, ReturnType<typeof namesIn>>();
  /** Reads each folder once: it may have the parts of thousands of shapefiles. */
  const names = (folder: string) => {
    const known = folders.get(folder) ?? namesIn(folder);
    folders.set(folder, known);
    return known;
  };
  for (const path of paths.toSorted()) {
    const there = await stat(path).catch(() => undefined);
    // one that is not there, such as a link to nothing, fails for itself
    if (there?.isFile() ?? true) found.add(await mainFile(path, names));
  }
  return [...found];
}

/** By its content, else by its name: a damaged file fails for itself. */
async function isReadable(path: string): Promise<boolean> {
  // not before, so that the help of commands does not load it
  const { readers } = await import('../formats/registry.ts');
  const { format } = await recognise(path).catch((): { format?: string } => ({}));
  return readers.some((one) => one.format === format) || formatOfName(basename(path)) !== undefined;
}
