import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../blobs/blobs.ts';
import { openBlobStore } from '../../blobs/open.ts';
import { readWhole } from '../../blobs/steady-read.ts';
import { AppError } from '../../errors.ts';
import { decodeManifest, encodeManifest, type Manifest, manifestName } from './manifest.ts';

/** A folder or bucket with backups. */
export interface Target {
  /** For messages; without credentials. */
  name: string;
  store: BlobStore;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens `s3://…`, whose credentials may stand in the environment instead, or a folder.
 * @param options.create creates the folder; else it must exist
 */
export async function openTarget(text: string, env: Environment, options: { create: boolean }): Promise<Target> {
  if (text.startsWith('s3:')) {
    const url = withCredentials(text, env);
    const name = text.split('?', 1)[0]!.replace(/^s3:\/\/.*@/, 's3://');
    const store = await openBlobStore(url, '').catch(() => {
      throw new Error(
        `The target '${name}' is not s3://key:secret@host:port/bucket[/folder][?region=…][&tls=false]. Without key and secret, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set.`,
      );
    });
    return { name, store };
  }
  const folder = resolve(text);
  if (!options.create && !(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Error(`There is no folder ${folder}, so there are no backups in it.`);
  return { name: folder, store: await openBlobStore(undefined, folder) };
}

function withCredentials(url: string, { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret }: Environment): string {
  if (url.includes('@') || key === undefined || secret === undefined) return url;
  return url.replace(/^s3:\/\//, `s3://${encodeURIComponent(key)}:${encodeURIComponent(secret)}@`);
}

/** An id that sorts by time. */
export const newId = (time: string): string =>
  `${time.replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`;

const ID = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/;

/** A backup of a target. Without manifest: that is damaged, or a newer version wrote it. */
export interface ListedBackup {
  id: string;
  /** ISO 8601; with a damaged manifest in whole seconds. */
  time: string;
  manifest?: Manifest;
}

/** Newest first. */
export async function listBackups({ store }: Target): Promise<ListedBackup[]> {
  const ids: string[] = [];
  for await (const { name } of store.list('backup/')) {
    const id = /^backup\/(.*)\.json$/.exec(name)?.[1] ?? '';
    if (ID.test(id)) ids.push(id);
  }
  const listed = ids.map(async (id): Promise<ListedBackup[]> => {
    try {
      const manifest = await findManifest(store, id);
      return [manifest === undefined ? { id, time: timeOf(id) } : { id, time: manifest.time, manifest }];
    } catch (error) {
      // deleted meanwhile
      if (error instanceof AppError && error.kind === 'notFound') return [];
      throw error;
    }
  });
  return (await Promise.all(listed)).flat().sort((a, b) => (a.time < b.time ? 1 : -1));
}

const timeOf = (id: string) => id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, '$1-$2-$3T$4:$5:$6.000Z');

/** The backup of this id; undefined: the newest complete one. */
export const chooseBackup = (target: Target, id: string | undefined): Promise<Manifest> =>
  id === undefined ? newestComplete(target) : readManifest(target, id);

async function newestComplete(target: Target): Promise<Manifest> {
  const listed = await listBackups(target);
  const found = listed.find(({ manifest }) => manifest?.state === 'complete')?.manifest;
  if (found !== undefined) return found;
  throw new Error(
    listed.length === 0
      ? `There are no backups in ${target.name}.`
      : `None of the ${listed.length} backups in ${target.name} is complete. To restore one that lacks blobs, give its id.`,
  );
}

async function readManifest({ name, store }: Target, id: string): Promise<Manifest> {
  const file = manifestName(id);
  if (!ID.test(id) || (await store.info(file)) === undefined)
    throw new Error(`There is no backup '${id}' in ${name}. 'platform backup list' shows those that there are.`);
  const manifest = await findManifest(store, id);
  if (manifest === undefined)
    throw new Error(`The manifest ${file} in ${name} is damaged, or a newer version of the platform wrote it.`);
  return manifest;
}

async function findManifest(store: BlobStore, id: string): Promise<Manifest | undefined> {
  const manifest = decodeManifest((await buffer(readWhole(store, manifestName(id)))).toString('utf8'));
  return manifest?.id === id ? manifest : undefined;
}

export async function writeManifest({ store }: Target, manifest: Manifest): Promise<void> {
  await store.put(
    manifestName(manifest.id),
    [Buffer.from(encodeManifest(manifest))] as never,
    Number.POSITIVE_INFINITY,
  );
}
