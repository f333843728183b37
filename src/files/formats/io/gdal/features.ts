import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '../../../data/bytes.ts';
import type { FeatureCollection } from '../../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import { layerToFlatGeobuf, type VectorFile, type VectorLayer } from '../../../geo/vector/translate-layer.ts';
import { type Context, SEVERAL_LAYERS } from '../../define.ts';
import { FileSink, FileSource } from '../bytes.ts';
import { readFlatGeobuf } from '../flatgeobuf/read.ts';
import { piecesOf } from '../pieces.ts';
import { shown } from '../zip.ts';
import { hasHeights, withoutHeights } from './heights.ts';

export interface WantedLayer {
  readonly layer?: string | undefined;
  /** Name of the features; absent: that of the layer. */
  readonly name?: string;
  /** Layers of which one is chosen if none is named; absent: all. */
  readonly among?: readonly string[];
  readonly srid?: string | undefined;
  /** Whether vertices of the layer get heights; absent: as its type says, else if one is not 0. */
  readonly hasHeights?: (layer: string) => boolean;
}

/** A folder of the conversion's scratch folder, in which GDAL sees nothing else. */
export async function newFolder({ scratch, onEnd }: Pick<Context, 'scratch' | 'onEnd'>): Promise<string> {
  const folder = join(scratch, randomUUID());
  await mkdir(folder);
  onEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies the file into a folder of its own, behind the bytes `before`. */
export async function copyToFolder(
  source: ByteSource,
  name: string,
  context: Context,
  before?: Uint8Array,
): Promise<string> {
  const path = join(await newFolder(context), name);
  await using sink = await FileSink.create(path, { checksum: false });
  if (before !== undefined) await sink.append(Buffer.from(before));
  for await (const bytes of piecesOf(source)) {
    context.signal.throwIfAborted();
    await sink.append(bytes);
  }
  await sink.flush();
  return path;
}

/**
 * Features of a layer of a file that GDAL reads: it writes them to a FlatGeobuf in the scratch folder.
 * @throws FormatError with GDAL's message, ConversionError if there are several layers
 */
export async function readByGdal(file: VectorFile, wanted: WantedLayer, context: Context): Promise<FeatureCollection> {
  const output = join(await newFolder(context), 'features.fgb');
  const { layer, withHeights } = await layerToFlatGeobuf(file, output, (layers) => {
    const chosen = chosenLayer(layers, wanted);
    return { layer: chosen, withHeights: wanted.hasHeights?.(chosen.name) ?? chosen.heights !== 'none' };
  });
  context.signal.throwIfAborted();
  const written = await FileSource.open(output, { checksum: false });
  context.onEnd(() => written.close());
  const features = withLists(await readFlatGeobuf(written, wanted.srid, context), layer.lists, context);
  const named = { ...features, name: wanted.name ?? layer.name };
  if (!withHeights || layer.heights !== 'unknown') return named;
  // What this pass finds is reported by the next one.
  const silent = { ...context, reportLoss() {}, remark() {}, reportBadRecord() {} };
  return (await hasHeights(await readFlatGeobuf(written, wanted.srid, silent))) ? named : withoutHeights(named);
}

/** Lists of values are JSON text. */
function withLists(features: FeatureCollection, lists: readonly string[], { remark }: Context): FeatureCollection {
  if (lists.length === 0) return features;
  remark(`Repeated elements became lists in the fields ${lists.slice(0, 20).map(shown).join(', ')}.`);
  return {
    ...features,
    fields: features.fields.map((field) => (lists.includes(field.name) ? { ...field, type: 'json' } : field)),
  };
}

/** The wanted layer, in any letter case, else the only one that has features. */
function chosenLayer(layers: readonly VectorLayer[], { layer: wanted, among }: WantedLayer): VectorLayer {
  const names = (all: readonly VectorLayer[]) =>
    all
      .slice(0, 50)
      .map(({ name }) => shown(name))
      .join(', ');
  if (wanted !== undefined) {
    const found = layers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
    if (found !== undefined) return found;
    throw new ConversionError(`The file has no layer '${shown(wanted)}'. Its layers: ${names(layers)}.`);
  }
  const filled = layers.filter(({ name, count }) => count > 0 && (among?.includes(name) ?? true));
  if (filled.length > 1)
    throw new ConversionError(
      `The file has ${filled.length} layers. Choose one with Layer: ${names(filled)}.`,
      SEVERAL_LAYERS,
    );
  const only = filled[0] ?? layers[0];
  if (only !== undefined) return only;
  throw new FormatError('The file has no layers.');
}
