import { readSync } from 'node:fs';
import type { ByteSource } from 'hydrofiles/bytes';
import type { Feature } from 'hydrofiles/data';
import { FeatureReader, type Found, foundBlocks, InvalidRecord, searchLeaves } from 'hydrofiles/features';
import {
  type Chosen,
  FeatureChooser,
  type FoundFeature,
  type GeometryPlacer,
  type SourceFeature,
  TileAreas,
} from 'hydrofiles/tile-drawing';
import { LRUCache } from 'lru-cache';
import type { DrawContext } from '../draw-threads.ts';
import type { FeatureJob } from './vector-job.ts';

/** Codes of FlatGeobuf for lines. */
const LINES: readonly number[] = [2, 5];
/** A feature that is larger is left out. */
const MOST_FEATURE_BYTES = 64 << 20;
/** Features of more bytes stay in the memory of the thread with their places on the map. */
const LARGE_BYTES = 1 << 20;
/** Maximum bytes of coordinates of the features held in memory. */
const MOST_KEPT_BYTES = 128 << 20;

const ENTRY_BYTES = 200;
const bytesOfPlaces = ({ geometries }: FoundFeature): number =>
  geometries.reduce((sum, { coordinates }) => sum + coordinates.byteLength, ENTRY_BYTES);

/** Large features by blob and number: each tile below them would read and place them anew. */
const largeOnes = new LRUCache<string, FoundFeature>({ maxSize: MOST_KEPT_BYTES, sizeCalculation: bytesOfPlaces });

/** The features of a tile in the order of the file, and the side below which they were coalesced. */
export async function readFeatures(
  job: FeatureJob,
  context: DrawContext,
): Promise<{ features: SourceFeature[]; side: number; lines: boolean }> {
  const { tile, crs, header, blob } = job;
  const source = openSource(job, context);
  const lines = LINES.includes(header.geometryType);
  using areas = await TileAreas.create(crs);
  const area = areas.of(tile);
  const chooser = new FeatureChooser<Found>(areas.pixel(tile, area.tile, (header.box ?? area.tile)!), lines);
  for await (const leaves of searchLeaves(source, header, area.wanted)) {
    context.throwIfAborted();
    chooser.add(leaves);
  }
  const { features: chosen, side } = chooser.chosen();
  const keyOf = ({ number }: Found) => `${blob} ${number} ${job.fields.join(' ')}`;
  // Held until the tile is drawn, whatever gives way to others meanwhile. Of a feature that stands for others the first
  // vertex is drawn, which may differ from the first one that has a place.
  const known = new Map(chosen.map((one) => [one.number, one.coalesced ? undefined : largeOnes.get(keyOf(one))]));
  const unknown = chosen.filter(({ number }) => known.get(number) === undefined);
  const bytes = await readBytes(source, unknown, context);
  const reader = new FeatureReader(header, new Set(job.fields));
  const features = chosen.map((one) => ({
    side: one.side,
    size: one.size,
    coalesced: one.coalesced,
    placed: (placer: GeometryPlacer) => {
      context.throwIfAborted();
      const before = known.get(one.number);
      if (before !== undefined) return before;
      const own = bytes.get(one.number);
      const feature = own && placedOf(read(reader, own, one.offset), one, { placer, fields: job.fields });
      if (feature && !one.coalesced && own.length >= LARGE_BYTES) {
        largeOnes.set(keyOf(one), feature);
        known.set(one.number, feature);
      }
      return feature;
    },
  }));
  return { features, side, lines };
}

function placedOf(
  feature: Feature | undefined,
  { number, coalesced }: Chosen<Found>,
  { placer, fields }: { placer: GeometryPlacer; fields: readonly number[] },
): FoundFeature | undefined {
  if (feature?.geometry === undefined) return undefined;
  const { id, geometry, values } = feature;
  return {
    id: typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : number + 1,
    geometries: coalesced ? placer.placeFirst(geometry) : placer.place(geometry),
    values: fields.map((field) => values[field]),
  };
}

/** Undefined for a broken feature: it does not hide the others. */
function read(reader: FeatureReader, bytes: Buffer, offset: number): Feature | undefined {
  try {
    return reader.read(bytes, offset);
  } catch (error) {
    if (error instanceof InvalidRecord) return undefined;
    throw error;
  }
}

function openSource({ descriptor, size }: FeatureJob, context: DrawContext): ByteSource {
  if (descriptor === undefined)
    return { size, read: (offset, length) => context.ask({ offset, length: Math.min(length, size - offset) }) };
  return {
    size,
    async read(offset, length) {
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - offset)));
      for (let done = 0; done < bytes.length; ) {
        const count = readSync(descriptor, bytes, done, bytes.length - done, offset + done);
        if (count === 0) throw new Error(`The blob ends after ${offset + done} of ${size} bytes.`);
        done += count;
      }
      return bytes;
    },
  };
}

/** The bytes of features by their numbers, without what lies between them. Those that are too large are missing. */
async function readBytes(source: ByteSource, chosen: readonly Chosen<Found>[], { throwIfAborted }: DrawContext) {
  const all = new Map<number, Buffer>();
  for await (const { bytes, features } of foundBlocks(source, chosen, MOST_FEATURE_BYTES)) {
    throwIfAborted();
    const needed = features.reduce((sum, { size }) => sum + size, 0);
    // A block of features far from each other is mostly what lies between them.
    const isDense = 2 * needed >= bytes.length;
    for (const { number, at, size } of features) {
      const own = bytes.subarray(at, at + size);
      all.set(number, isDense ? own : Buffer.from(own));
    }
  }
  return all;
}
