import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import { isKnownType } from './shapes.ts';

export interface ShpHeader {
  type: number;
  /** Offset of the end of the last record. */
  end: number;
  /** Size of the file as declared. */
  declared: number;
  /** Range of M as declared by the header. */
  measures: readonly [number, number];
}

export async function readShpHeader(source: ByteSource, { remark }: Context): Promise<ShpHeader> {
  const header = Buffer.from(await source.read(0, 100));
  if (header.length < 100) throw new FormatError(`The .shp file has ${source.size} bytes. Its header takes 100.`, 0);
  if (header.readInt32BE(0) !== 9994)
    throw new FormatError('The .shp file is not a shapefile: it does not begin with 9994.', 0);
  const type = header.readInt32LE(32);
  if (type === 31)
    throw new FormatError('The shapefile contains MultiPatches (3D surfaces), which are not supported.', 32);
  if (!isKnownType(type)) throw new FormatError(`The shapefile has the unknown shape type ${type}.`, 32);
  const declared = 2 * header.readUInt32BE(24);
  if (declared !== source.size) remark(`The .shp file has ${source.size} bytes, but its header declares ${declared}.`);
  const end = declared >= 100 && declared < source.size ? declared : source.size;
  return { type, end, declared, measures: [header.readDoubleLE(84), header.readDoubleLE(92)] };
}
