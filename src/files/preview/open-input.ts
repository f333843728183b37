import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { withCleanNames } from '../convert/clean-names.ts';
import { inSystem, withName } from '../convert/in-system.ts';
import type { ByteSource } from '../data/bytes.ts';
import type { Data } from '../data/data.ts';
import { ConversionError } from '../errors.ts';
import type { Context, Reader } from '../formats/define.ts';
import { detect } from '../formats/detect.ts';
import { FileSource } from '../formats/io/bytes.ts';
import { unpackedBlocks } from '../formats/io/packed-blocks.ts';
import { ChunkCache } from '../formats/io/store/chunk-cache.ts';
import { completeParameters } from '../formats/parameters.ts';
import { findReader, readers } from '../formats/registry.ts';
import { Srid } from '../formats/srid.ts';
import { mdReader } from '../formats/zarr/format.ts';
import { dataOfStore } from '../formats/zarr/open.ts';
import { ZarrStore } from '../formats/zarr/store.ts';
import type { PreviewInput } from './preview.ts';

/** Decoded chunks of a store: planes and blocks of them are kept, too. */
const chunkBytes = 1 << 25;

export interface OpenInputOptions {
  /** Folder for temporary files, in which the preview makes one of its own. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** What was read of an input. */
export interface ReadInput {
  readonly data: Data;
  readonly reader: Reader;
  /** Complete parameters of the reader. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly source: ByteSource;
  /** Context of the reader; its folder exists until the preview ends. */
  readonly context: Context;
  readonly mostIndexed?: number;
}

const mostMember = ({ mostIndexed }: PreviewInput) => (mostIndexed === undefined ? {} : { mostIndexed });

/** The bytes of an input. A local file closes with `open`. */
async function sourceOf({ path, source, kind }: PreviewInput, open: AsyncDisposableStack): Promise<ByteSource> {
  // stores of features are packed
  if (source !== undefined) return kind === 'store' ? unpackedBlocks(source) : source;
  if (path === undefined) throw new ConversionError('A preview needs the path of a file, or a source of bytes.');
  return open.use(await FileSource.open(path, { checksum: false }));
}

/** @throws ConversionError for content that no reader reads, and FormatError for malformed content */
export async function readerOf(source: ByteSource, name: string | undefined): Promise<Reader> {
  const named = name === undefined ? undefined : findReader(name);
  if (name !== undefined && named === undefined) throw new ConversionError(`'${name}' is not a reader.`);
  if (named !== undefined) return named;
  const found = await detect(source);
  if (found?.fault !== undefined) throw found.fault;
  const reader = readers.find(({ format }) => format === found?.format);
  if (reader !== undefined) return reader;
  const content = found === undefined ? 'is not known' : `looks like ${found.name}`;
  throw new ConversionError(`There is no preview: the content ${content}. ${found?.advice ?? ''}`.trim());
}

/** Opens a Zarr store without the pass of its reader that counts invalid values. */
async function openStore(source: ByteSource, { Group }: Record<string, unknown>): Promise<Data> {
  const group = Group as string | undefined;
  const store = await ZarrStore.open(source, { cache: new ChunkCache(chunkBytes), group });
  return (await dataOfStore(store, { log() {}, reportLoss() {}, remark() {} })).data;
}

/**
 * Reads an input as a conversion would; records that cannot be read are left out.
 * @param open ends what the data need
 * @throws FormatError for malformed content, ConversionError for content that no reader reads
 */
export async function openInput(
  input: PreviewInput,
  { scratch, signal }: OpenInputOptions,
  open: AsyncDisposableStack,
): Promise<ReadInput> {
  const folder = await mkdtemp(join(scratch, 'preview-'));
  open.defer(() => rm(folder, { recursive: true, force: true }));
  const source = await sourceOf(input, open);
  const reader = await readerOf(source, input.reader);
  const context: Context = {
    signal,
    scratch: folder,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    onBadRecord: 'skip',
    reportBadRecord() {},
    onEnd: (close) => open.defer(close),
  };
  const parameters = completeParameters(reader, input.parameters ?? {});
  const found =
    reader.name === mdReader.name
      ? await openStore(source, parameters)
      : await reader.read(source, parameters, context);
  const read = withCleanNames(found, context.remark);
  if (read.kind === 'bytes') return { data: read, reader, parameters, source, context };
  const stem = (input.name ?? basename(input.path ?? '')).replace(/\.[^.]*$/, '');
  const isNowhere = read.crs === undefined && !('located' in read && read.located === false);
  const srid = Srid.safeParse(parameters.SRID).data ?? (isNowhere ? Srid.safeParse(input.srid).data : undefined);
  const data = inSystem(withName(read, stem), srid);
  return { data, reader, parameters, source, context, ...mostMember(input) };
}
