import { FormatError } from '../../errors.ts';

const [letterG, letterP] = [71, 80];
/** Bytes of the envelope by its code. */
const envelopes = [0, 32, 48, 48, 64];

/**
 * Where the well-known binary begins in a blob of GeoPackage (`GP`, version, flags, system, envelope).
 * @throws FormatError for another blob
 */
export function geometryStart(bytes: Buffer): number {
  if (bytes.length < 8 || bytes[0] !== letterG || bytes[1] !== letterP)
    throw new FormatError("The geometry is no blob of GeoPackage: it does not begin with 'GP'.");
  const flags = bytes[3]!;
  if ((flags & 0x20) !== 0) throw new FormatError('The geometry is of an extension, which cannot be read.');
  const envelope = envelopes[(flags >> 1) & 7];
  if (envelope === undefined) throw new FormatError(`The geometry has an envelope of the kind ${(flags >> 1) & 7}.`);
  return 8 + envelope;
}

/** Bytes before a geometry with and without an envelope of x and y. */
export const [headLength, headWithEnvelope] = [8, 40];

/** Writes the head of a blob; the envelope (west, south, east, north) is absent for points and empty geometries. */
export function putHead(bytes: Buffer, srs: number, envelope: readonly number[] | undefined, isEmpty: boolean): void {
  bytes[0] = letterG;
  bytes[1] = letterP;
  bytes[2] = 0;
  bytes[3] = 1 | (envelope === undefined ? 0 : 2) | (isEmpty ? 16 : 0);
  bytes.writeInt32LE(srs, 4);
  if (envelope === undefined) return;
  const [west, south, east, north] = envelope as [number, number, number, number];
  bytes.writeDoubleLE(west, 8);
  bytes.writeDoubleLE(east, 16);
  bytes.writeDoubleLE(south, 24);
  bytes.writeDoubleLE(north, 32);
}
