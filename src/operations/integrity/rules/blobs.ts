import { AppError } from '../../../errors.ts';
import { computeDigest } from '../../../transfers/store/checked-blobs.ts';
import type { Rule, RuleParts, Violation } from '../rule.ts';
import { MAX_VIOLATIONS } from '../sql-rule.queries.ts';
import { eachOf } from './each-of.ts';
import { listNamed, type NamedBlob, sampleNamed } from './named-blobs.queries.ts';

const PAGE = 500;
/** Blobs that are looked up, and read, at once. */
const LOOKUPS = 16;
const READERS = 2;
/** Blobs that are read unless all are. */
const SAMPLE = 100;

const bytes = (size: number) => `${size.toLocaleString('en')} bytes`;

/** Each blob that something needs is in the store, and has its size. */
export const blobPresence: Rule = {
  name: 'blob',
  async find(parts) {
    const found: Violation[] = [];
    for await (const page of pages(parts)) {
      await eachOf(page, LOOKUPS, async (blob) => {
        const message = await wrongInfo(parts, blob);
        if (message !== undefined) found.push({ id: blob.name, message });
      });
      if (found.length >= MAX_VIOLATIONS) break;
    }
    return found;
  },
};

async function wrongInfo({ store }: RuleParts, { name, size, writtenSize }: NamedBlob): Promise<string | undefined> {
  const info = await store.info(name);
  if (info === undefined) return `The store does not have the blob ${name}.`;
  const expected = size ?? writtenSize;
  if (expected !== undefined && info.size !== expected)
    return `The blob ${name} has ${bytes(info.size)} in the store, and ${bytes(expected)} in the database.`;
  return writtenSize === undefined || writtenSize === expected
    ? undefined
    : `The blob ${name} has ${bytes(info.size)}, but ${bytes(writtenSize)} were written.`;
}

/** The bytes of blobs are those that were written: of all, or of a sample. */
export const blobBytes: Rule = {
  name: 'blob-digest',
  async find(parts) {
    const found: Violation[] = [];
    const chosen = parts.readsAll || parts.only !== undefined ? pages(parts) : [await sampleNamed(parts.db, SAMPLE)];
    for await (const page of chosen) {
      await eachOf(page, READERS, async (blob) => {
        const message = await wrongBytes(parts, blob);
        if (message !== undefined) found.push({ id: blob.name, message });
      });
      if (found.length >= MAX_VIOLATIONS) break;
    }
    return found;
  },
};

/** A blob of another size, or that is missing, violates another rule. */
async function wrongBytes({ store, signal }: RuleParts, { name, writtenSize, digest }: NamedBlob) {
  if (digest === undefined || writtenSize === undefined) return undefined;
  try {
    const read = await computeDigest(store, name, signal);
    return read.size !== writtenSize || read.hex === digest
      ? undefined
      : `The bytes of the blob ${name} are not those that were written: digest ${read.hex} instead of ${digest}.`;
  } catch (error) {
    if (error instanceof AppError && ['notFound', 'preconditionFailed'].includes(error.kind)) return undefined;
    throw error;
  }
}

async function* pages({ db, only, signal }: RuleParts): AsyncGenerator<readonly NamedBlob[]> {
  for (let after = ''; ; ) {
    signal?.throwIfAborted();
    const page = await listNamed(db, after, PAGE, only);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.name;
  }
}
