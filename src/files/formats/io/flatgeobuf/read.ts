import type { ByteSource } from '../../../data/bytes.ts';
import { geometryFamilies } from '../../../data/collections.ts';
import { strideOf } from '../../../data/dimensions.ts';
import type { Feature, FeatureCollection, GeometryType } from '../../../data/feature-collection.ts';
import { FormatError } from '../../../errors.ts';
import { ONE_VERTEX, PART_LEFT_OUT, withoutShortLines } from '../../../geo/vector/short-lines.ts';
import type { Context } from '../../define.ts';
import { scanBlocks } from './feature-blocks.ts';
import { FeatureReader } from './feature-reader.ts';
import { InvalidRecord } from './flat-table.ts';
import { crsOf } from './header-crs.ts';
import { type Header, readHeader } from './header-reader.ts';
import { columnTypes, geometryCodes } from './schema.ts';

/**
 * Features of a FlatGeobuf.
 * @param SRID overrides the system of the file
 */
export async function readFlatGeobuf(
  source: ByteSource,
  SRID: string | undefined,
  context: Context,
): Promise<FeatureCollection> {
  const header = await readHeader(source);
  const crs = SRID === undefined ? await crsOf(header, context) : undefined;
  const binary = header.columns.filter(({ type }) => type === columnTypes.Binary).length;
  if (binary > 0) context.reportLoss(`${binary} columns of bytes were left out.`);
  const types = typesOf(header, source.size);
  return {
    kind: 'features',
    ...(header.name === undefined ? {} : { name: header.name }),
    ...(crs === undefined ? {} : { crs }),
    fields: header.columns.flatMap(({ field }) => field ?? []),
    hasZ: header.hasZ,
    hasM: header.hasM,
    ...(types === undefined ? {} : { geometryTypes: types }),
    ...(header.count === 0 ? {} : { count: header.count }),
    chunks: () => allFeatures(source, header, context),
  };
}

/** The types that the file can hold. A file without features takes those of the first feature. */
function typesOf({ geometryType, count, start }: Header, size: number): readonly GeometryType[] | undefined {
  const found = geometryFamilies.find((family) => family.some((type) => geometryCodes[type] === geometryType));
  if (found !== undefined) return found;
  return count === 0 && start >= size ? undefined : (Object.keys(geometryCodes) as GeometryType[]);
}

/** @throws InvalidRecord if the feature has nothing but lines of one vertex */
function withLines(feature: Feature, stride: number, { remark }: Context): Feature {
  if (feature.geometry === undefined) return feature;
  const geometry = withoutShortLines(feature.geometry, stride);
  if (geometry === undefined) throw new InvalidRecord(ONE_VERTEX);
  if (geometry === feature.geometry) return feature;
  remark(PART_LEFT_OUT);
  return { ...feature, geometry };
}

async function* allFeatures(source: ByteSource, header: Header, context: Context): AsyncGenerator<readonly Feature[]> {
  const reader = new FeatureReader(header);
  let end = header.start;
  for await (const { bytes, offset, features } of scanBlocks(source, header)) {
    const chunk: Feature[] = [];
    for (const { number, at, size } of features) {
      try {
        chunk.push(withLines(reader.read(bytes.subarray(at, at + size), offset + at), strideOf(header), context));
      } catch (error) {
        if (!(error instanceof InvalidRecord)) throw error;
        const reason = new FormatError(`Feature ${number + 1}: ${error.message}`);
        context.reportBadRecord({ number: number + 1, reason });
      }
      end = offset + at + size;
    }
    if (reader.ownColumns)
      context.reportLoss('Features have columns of their own beside those of the header; they were left out.');
    if (chunk.length > 0) yield chunk;
  }
  if (end < source.size) context.remark(`${source.size - end} bytes after the last feature were not read.`);
}
