import { rm } from 'node:fs/promises';
import { posix } from 'node:path';
import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { FileSource } from '../io/bytes.ts';
import type { ZipEntry } from '../io/zip.ts';
import { shown, zipEntries } from '../io/zip.ts';
import { checkUnpackedSize, readEntry, UnpackedEntry } from '../io/zip-entry.ts';
import { XmlScanner } from './xml-scanner.ts';

/** A part of a collection: one step, in seconds. */
export interface Step {
  readonly seconds: number;
  readonly entry: ZipEntry;
}

const maxCollectionBytes = 64 << 20;

/** The steps of a zip: those of its only .pvd, in order of time, or its only .vtu. */
export async function collectionSteps(zip: ByteSource, context: Context): Promise<Step[]> {
  const entries = (await zipEntries(zip)).filter(({ name }) => !/(^|\/)(__MACOSX\/|\._)/.test(name));
  const endingIn = (ending: string) => entries.filter(({ name }) => name.toLowerCase().endsWith(ending));
  const [collection, ...more] = endingIn('.pvd');
  if (more.length > 0) throw new FormatError(`The zip has ${more.length + 1} collections (.pvd). Remove all but one.`);
  if (collection !== undefined) return stepsOf(zip, collection, entries, context);
  const [only, ...others] = endingIn('.vtu');
  if (only === undefined) throw new FormatError('The zip has neither a .pvd nor a .vtu file.');
  if (others.length > 0)
    throw new FormatError(`The zip has ${others.length + 1} .vtu files, but no .pvd that says which step each is.`);
  await checkUnpackedSize([only], context.scratch);
  return [{ seconds: 0, entry: only }];
}

async function stepsOf(
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
  const steps: (Step & { part: string | undefined })[] = [];
  const scanner = new XmlScanner({ size: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) });
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

/** Files of a zip, unpacked when they are needed. Only some are open at a time: there may be thousands. */
export class UnpackedFiles {
  readonly #zip: ByteSource;
  readonly #context: Context;
  readonly #paths = new Map<ZipEntry, Promise<string>>();
  readonly #open = new Map<ZipEntry, FileSource>();

  constructor(zip: ByteSource, context: Context) {
    this.#zip = zip;
    this.#context = context;
    context.onEnd(async () => {
      for (const file of this.#open.values()) await file.close();
      for (const unpacked of await Promise.allSettled(this.#paths.values()))
        if (unpacked.status === 'fulfilled') await rm(unpacked.value, { force: true });
    });
  }

  /** A file that can be read at any time, although it may be closed in between. */
  source(entry: ZipEntry): ByteSource {
    return { size: entry.size, read: async (offset, length) => (await this.#file(entry)).read(offset, length) };
  }

  async #file(entry: ZipEntry): Promise<FileSource> {
    const open = this.#open.get(entry);
    if (open !== undefined) return open;
    for (const [other, file] of this.#open) {
      if (this.#open.size < maxOpen) break;
      this.#open.delete(other);
      await file.close();
    }
    const path = this.#paths.get(entry) ?? this.#unpack(entry);
    this.#paths.set(entry, path);
    const file = await FileSource.open(await path, { checksum: false });
    this.#open.set(entry, file);
    return file;
  }

  async #unpack(entry: ZipEntry): Promise<string> {
    const unpacked = await UnpackedEntry.open(this.#zip, entry, this.#context.scratch);
    try {
      // The last byte is available only after the checksum is verified.
      await unpacked.read(entry.size - 1, 1);
    } finally {
      await unpacked.close();
    }
    return unpacked.path;
  }
}

const maxOpen = 16;
