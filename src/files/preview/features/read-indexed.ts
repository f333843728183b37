import type { Feature, FeatureCollection } from '../../data/feature-collection.ts';
import { type FeatureBlock, foundBlocks, scanBlocks } from '../../formats/io/flatgeobuf/feature-blocks.ts';
import { FeatureReader } from '../../formats/io/flatgeobuf/feature-reader.ts';
import { InvalidRecord } from '../../formats/io/flatgeobuf/flat-table.ts';
import { type Found, findByNumber, searchIndex } from '../../formats/io/flatgeobuf/index-search.ts';
import type { Area } from '../../formats/io/flatgeobuf/schema.ts';
import type { IndexedFeatures } from './indexed-features.ts';

/**
 * Features of a FlatGeobuf that are read without those before them. Those without an id have their number from 1, as in
 * tiles.
 */
export interface FeaturesByIndex {
  readonly count: number;
  /** The features whose boxes touch areas. */
  within(areas: readonly Area[]): AsyncIterable<readonly Feature[]>;
  /** Features that a search has found, with their numbers. */
  of(found: readonly Found[]): AsyncIterable<ReadonlyMap<number, Feature>>;
  /** The features from a number on. */
  from(number: number): AsyncIterable<readonly Feature[]>;
}

/** Undefined for a file without an index, or without the fields of the data that it is made of. */
export function byIndex(
  { fields }: FeatureCollection,
  { source, header }: IndexedFeatures,
): FeaturesByIndex | undefined {
  const { index, count } = header;
  const own = header.columns.flatMap(({ field }) => field ?? []);
  if (index === undefined || own.length !== fields.length) return undefined;
  const indexed = { ...header, index };
  return {
    count,
    async *within(areas) {
      const reader = new FeatureReader(header);
      for await (const found of searchIndex(source, indexed, areas))
        for await (const block of foundBlocks(source, found)) yield featuresOf(reader, block);
    },
    async *of(found) {
      const reader = new FeatureReader(header);
      for await (const block of foundBlocks(source, found)) yield readBlock(reader, block);
    },
    async *from(number) {
      if (number >= count) return;
      const reader = new FeatureReader(header);
      const { offset } = await findByNumber(source, indexed, number);
      for await (const block of scanBlocks(source, header, { number, offset })) yield featuresOf(reader, block);
    },
  };
}

/** Features that cannot be read are left out, as they are of the whole. */
function readBlock(reader: FeatureReader, { bytes, offset, features }: FeatureBlock): Map<number, Feature> {
  const read = new Map<number, Feature>();
  for (const { number, at, size, offset: own = offset + at } of features)
    try {
      read.set(number, { id: number + 1, ...reader.read(bytes.subarray(at, at + size), own) });
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
    }
  return read;
}

const featuresOf = (reader: FeatureReader, block: FeatureBlock): Feature[] => [...readBlock(reader, block).values()];
