import { z } from 'zod';
import type { ByteSource } from '../../data/bytes.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { SEVERAL_LAYERS } from '../define.ts';
import { shown, type ZipEntry } from '../io/zip.ts';
import { readEntry } from '../io/zip-entry.ts';
import { type ArrayMetadata, arrayMetadata, checked, groupAttributes, jsonOf } from './metadata.ts';
import { arrayMetadataV2, groupAttributesV2 } from './metadata-v2.ts';

const METADATA = 'zarr.json';
const GROUP = '.zgroup';
const ARRAY = '.zarray';
const ATTRIBUTES = '.zattrs';
const CONSOLIDATED = '.zmetadata';
/** Names of the files that describe groups and arrays, by version of Zarr. */
const metadataFiles: Readonly<Record<2 | 3, readonly string[]>> = { 2: [GROUP, ARRAY, CONSOLIDATED], 3: [METADATA] };
/** The name of a file without its folder. */
const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const longestMetadata = 1 << 24;
const mostNodes = 10_000;

/** Groups and arrays by path below the root, whose path is empty. */
export interface Hierarchy {
  /** Folder of the root in the zip, with its slash. */
  readonly folder: string;
  readonly groups: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly arrays: ReadonlyMap<string, ArrayMetadata>;
  /** Why some arrays cannot be read. */
  readonly unreadable: ReadonlyMap<string, string>;
}

type Contents = Map<string, unknown>;

const Consolidated2 = z.object({ metadata: z.record(z.string(), z.unknown()) });
const Consolidated3 = z.object({
  consolidated_metadata: z
    .object({ metadata: z.record(z.string(), z.unknown()) })
    .nullish()
    .catch(undefined),
});

/** The folder of the root of the store in a zip, with its slash. @throws FormatError if there is no store */
export const folderOfStore = (names: readonly string[]): string => rootOf(names).folder;

/** The metadata of the root, its folder, that of all stores, and the names of all metadata. */
function rootOf(names: readonly string[]) {
  const version = names.some((name) => lastOf(name) === METADATA) ? 3 : 2;
  const nodes = names.filter((name) => metadataFiles[version].includes(lastOf(name)));
  const [root] = nodes.filter((name) => lastOf(name) !== ARRAY).toSorted((one, other) => one.length - other.length);
  if (root === undefined)
    throw new FormatError(
      nodes.length > 0
        ? 'The zip holds arrays of Zarr 2, but no group: no .zgroup is in it.'
        : 'The zip holds no Zarr store: no zarr.json or .zgroup is in it.',
    );
  if (nodes.length > mostNodes) throw tooMany(nodes.length);
  const first = root.slice(0, -lastOf(root).length);
  // Several stores beside each other are groups.
  const folder = nodes.every((name) => name.startsWith(first)) ? first : '';
  return { version, root, first, folder, nodes } as const;
}

/**
 * The groups and arrays of all stores in a zip. What consolidated metadata name besides is there, too.
 * @throws FormatError if the zip holds no group of Zarr 2 or 3
 */
export async function hierarchyOf(source: ByteSource, entries: ReadonlyMap<string, ZipEntry>): Promise<Hierarchy> {
  const names = [...entries.keys()];
  const { version, root, first, folder, nodes } = rootOf(names);
  const wanted =
    version === 2 ? names.filter((name) => [...metadataFiles[2], ATTRIBUTES].includes(lastOf(name))) : nodes;
  const contents: Contents = new Map();
  const unreadable = new Map<string, string>();
  for (const name of wanted) {
    const path = name.slice(folder.length);
    try {
      contents.set(path, jsonOf(await textOf(source, entries.get(name)!), name));
    } catch (error) {
      if (!(error instanceof FormatError) || name === root) throw error;
      unreadable.set(folderOf(path), error.message);
    }
  }
  addConsolidated(contents, version);
  if (contents.size > 2 * mostNodes) throw tooMany(contents.size);
  const { groups, arrays } = version === 3 ? nodesOf3(contents, unreadable) : nodesOf2(contents, unreadable);
  if (folder === '' && first !== '' && !groups.has('')) groups.set('', {});
  return { folder, groups, arrays, unreadable };
}

const tooMany = (count: number) =>
  new FormatError(`The store has ${count} arrays and groups. The maximum is ${mostNodes}.`);

async function textOf(source: ByteSource, entry: ZipEntry): Promise<string> {
  const bytes = await readEntry(source, entry, longestMetadata);
  if (bytes !== undefined) return bytes.toString('utf8');
  throw new FormatError(`'${shown(entry.name)}' in the zip has more than ${longestMetadata} bytes.`);
}

/** Nodes that only the metadata of a group above them have. */
function addConsolidated(contents: Contents, version: 2 | 3): void {
  for (const [path, content] of [...contents]) {
    const folder = folderOf(path);
    const add = (name: string, one: unknown) => {
      const whole = folder === '' ? name : `${folder}/${name}`;
      if (!contents.has(whole)) contents.set(whole, one);
    };
    if (version === 3) {
      const { metadata = {} } = Consolidated3.safeParse(content).data?.consolidated_metadata ?? {};
      for (const [name, one] of Object.entries(metadata)) add(`${name}/${METADATA}`, one);
    } else if (lastOf(path) === CONSOLIDATED)
      for (const [name, one] of Object.entries(checked(Consolidated2, content, path).metadata)) add(name, one);
  }
}

interface Nodes {
  readonly groups: Map<string, Readonly<Record<string, unknown>>>;
  readonly arrays: Map<string, ArrayMetadata>;
}

function nodesOf3(contents: Contents, unreadable: Map<string, string>): Nodes {
  const nodes: Nodes = { groups: new Map(), arrays: new Map() };
  for (const [path, content] of contents) {
    const node = folderOf(path);
    const isArray = node !== '' && Object(content).node_type === 'array';
    read(node, unreadable, () => {
      if (isArray) nodes.arrays.set(node, arrayMetadata(content, node));
      else nodes.groups.set(node, groupAttributes(content, path));
    });
  }
  return nodes;
}

function nodesOf2(contents: Contents, unreadable: Map<string, string>): Nodes {
  const nodes: Nodes = { groups: new Map(), arrays: new Map() };
  for (const [path, content] of contents) {
    const node = folderOf(path);
    const beside = contents.get(node === '' ? ATTRIBUTES : `${node}/${ATTRIBUTES}`);
    if (lastOf(path) === ARRAY)
      read(node, unreadable, () => nodes.arrays.set(node, arrayMetadataV2(content, beside, node)));
    if (lastOf(path) === GROUP)
      read(node, unreadable, () => nodes.groups.set(node, groupAttributesV2(content, beside, path)));
  }
  return nodes;
}

/** A node that is not valid is left out, but not the root. */
function read(node: string, unreadable: Map<string, string>, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof FormatError) || node === '') throw error;
    unreadable.set(node, error.message);
  }
}

/**
 * The path of the group to read: the wanted one, else the root or the only group that has arrays.
 * @throws ConversionError if the group is not there, or several could be meant
 */
export function chosenGroup({ groups, arrays, unreadable }: Hierarchy, wanted: string | undefined): string {
  const withArrays = [...new Set([...arrays.keys(), ...unreadable.keys()].map(folderOf))].toSorted();
  if (wanted !== undefined) {
    const path = wanted.replace(/^\/+|\/+$/g, '');
    if (groups.has(path) || withArrays.includes(path)) return path;
    throw new ConversionError(`The store has no group '${shown(wanted)}'. Its groups: ${listed([...groups.keys()])}.`);
  }
  if (withArrays.length === 0 || withArrays.includes('')) return '';
  if (withArrays.length === 1) return withArrays[0]!;
  throw new ConversionError(
    `The store has ${withArrays.length} groups with arrays. Choose one with Group: ${listed(withArrays)}.`,
    SEVERAL_LAYERS,
  );
}

/**
 * The arrays of a group by name, and the coordinates that it has from the groups above it: arrays with the name of
 * their only dimension.
 */
export function arraysOf({ arrays }: Hierarchy, group: string): Map<string, { node: string; metadata: ArrayMetadata }> {
  const found = new Map<string, { node: string; metadata: ArrayMetadata }>();
  for (const [node, metadata] of arrays) if (folderOf(node) === group) found.set(lastOf(node), { node, metadata });
  const used = new Set([...found.values()].flatMap(({ metadata }) => metadata.dimensions));
  for (let above = group; above !== ''; ) {
    above = folderOf(above);
    for (const [node, metadata] of arrays) {
      const name = lastOf(node);
      const [dimension, ...others] = metadata.dimensions;
      const isCoordinate = dimension === name && others.length === 0 && used.has(name);
      if (folderOf(node) === above && isCoordinate && !found.has(name)) found.set(name, { node, metadata });
    }
  }
  return found;
}

const mostListed = 20;

const listed = (paths: readonly string[]): string => {
  const first = paths.slice(0, mostListed).map((path) => `/${shown(path)}`);
  return [...first, ...(paths.length > mostListed ? ['…'] : [])].join(', ');
};
