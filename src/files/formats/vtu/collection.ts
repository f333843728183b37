import { posix } from 'node:path';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { memorySource } from '../io/buffers.ts';
import { filesOfZip, shown, type ZipEntry } from '../io/zip.ts';
import { checkUnpackedSize, readEntry } from '../io/zip-entry.ts';
import { XmlScanner } from './xml-scanner.ts';

/** A part of a collection: one step. */
export interface Step {
  /** Absent: the zip has no collection, which would say it. */
  readonly seconds?: number;
  readonly entry: ZipEntry;
}

const maxCollectionBytes = 64 << 20;

/** The steps of a zip: those of its only .pvd, in order of time, or its only .vtu. */
export async function collectionSteps(zip: ByteSource, context: Context): Promise<Step[]> {
  const entries = await filesOfZip(zip);
  const endingIn = (ending: string) => entries.filter(({ name }) => name.toLowerCase().endsWith(ending));
  const [collection, ...more] = endingIn('.pvd');
  if (more.length > 0) throw new FormatError(`The zip has ${more.length + 1} collections (.pvd). Remove all but one.`);
  if (collection !== undefined) return listSteps(zip, collection, entries, context);
  const [only, ...others] = endingIn('.vtu');
  if (only === undefined) throw new FormatError('The zip has neither a .pvd nor a .vtu file.');
  if (others.length > 0)
    throw new FormatError(`The zip has ${others.length + 1} .vtu files, but no .pvd that says which step each is.`);
  await checkUnpackedSize([only], context.scratch);
  return [{ entry: only }];
}

async function listSteps(
  zip: ByteSource,
  collection: ZipEntry,
  entries: readonly ZipEntry[],
  { scratch }: Context,
): Promise<Step[]> {
  const bytes = await readEntry(zip, collection, maxCollectionBytes);
  if (bytes === undefined)
    throw new FormatError(`'${shown(collection.name)}' is larger than ${maxCollectionBytes} bytes.`);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const folder = posix.dirname(collection.name);
  const steps: (Required<Step> & { part: string | undefined })[] = [];
  const scanner = new XmlScanner(memorySource(bytes));
  const wrong = (fault: string) => new FormatError(`'${shown(collection.name)}' ${fault}`, collection.offset);
  for (let tag = await scanner.next(); tag !== undefined; tag = await scanner.next()) {
    if (tag.name === 'VTKFile' && tag.kind === 'open' && tag.attributes.get('type') !== 'Collection')
      throw wrong('is no VTK Collection.');
    if (tag.name !== 'DataSet' || tag.kind === 'close') continue;
    const file = tag.attributes.get('file') ?? '';
    const entry = byName.get(posix.join(folder, file));
    if (entry === undefined) throw wrong(`names '${shown(file)}', which the zip does not have.`);
    const text = tag.attributes.get('timestep') ?? '0';
    const seconds = Number(text);
    if (text.trim() === '' || !Number.isFinite(seconds)) throw wrong(`has the timestep '${shown(text)}'.`);
    steps.push({ seconds, entry, part: tag.attributes.get('part') });
  }
  if (steps.length === 0) throw wrong('names no parts.');
  steps.sort((one, other) => one.seconds - other.seconds);
  // Steps may have the same time, as in DFS files; then all are declared to be the same part.
  for (const [n, { seconds, part }] of steps.entries())
    if (n > 0 && seconds === steps[n - 1]!.seconds && (part === undefined || part !== steps[n - 1]!.part))
      throw wrong(`has several parts at the timestep ${seconds}. Merge them into one file per step.`);
  await checkUnpackedSize(new Set(steps.map(({ entry }) => entry)).values().toArray(), scratch);
  return steps;
}
