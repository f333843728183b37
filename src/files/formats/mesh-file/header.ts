import type { ByteSource } from '../../data/bytes.ts';
import type { EumQuantity } from '../../data/item.ts';
import { FormatError } from '../../errors.ts';
import { readBuffer } from '../io/buffers.ts';
import { longestLine } from '../io/line-words.ts';

/** The first line of a mesh file. */
export interface MeshHeader {
  /** Quantity of z; bathymetry in metres for the older form of the header, which has no quantity. */
  readonly quantity: EumQuantity;
  readonly nodes: number;
  readonly projection: string;
  /** Offset of the first node. */
  readonly end: number;
}

/** Bathymetry in metres. */
export const bathymetry: EumQuantity = { item: 100079, unit: 1000 };

/**
 * Newer: quantity, unit, number of nodes, projection. Older: number of nodes, projection. The projection runs to the
 * end of the line.
 */
const newer = /^(\d{1,9})\s+(\d{1,9})\s+(\d{1,9})(?:\s+([^\d\s].*))?$/;
const older = /^(\d{1,9})(?:\s+([^\d\s].*))?$/;

/** @throws FormatError if the first line is no header */
export async function readHeader(source: ByteSource): Promise<MeshHeader> {
  const bytes = await readBuffer(source, 0, longestLine);
  const end = bytes.indexOf(10);
  const line = bytes
    .toString('utf8', 0, end < 0 ? 0 : end)
    .replace(/^\ufeff/, '')
    .trim();
  const [, item, unit, count, projection] = newer.exec(line) ?? [];
  const [, oldCount, oldProjection] = older.exec(line) ?? [];
  const nodes = Number(count ?? oldCount);
  if (end < 0 || Number.isNaN(nodes))
    throw new FormatError(
      `'${line.slice(0, 60).replace(/[^\x20-\x7e]/g, '?')}' is not the header of a mesh file, which is a number of nodes and a projection.`,
      0,
    );
  return {
    quantity: item === undefined ? bathymetry : { item: Number(item), unit: Number(unit) },
    nodes,
    projection: projection ?? oldProjection ?? '',
    end: end + 1,
  };
}
