import type { GeometryStatistics } from './geo.ts';

/** Adds type and vertices of a geometry that WkbWriter has written. Returns its end. */
export function addVertices(bytes: Buffer, start: number, statistics: GeometryStatistics, isPart = false): number {
  const code = bytes.readUInt32LE(start + 1);
  if (!isPart) statistics.codes.add(code);
  const type = code % 1000;
  let at = start + 5;
  if (type === 1) return addRun(bytes, at, 1, code, statistics);
  const count = bytes.readUInt32LE(at);
  at += 4;
  if (type === 2) return addRun(bytes, at, count, code, statistics);
  for (let n = 0; n < count; n++)
    at =
      type === 3
        ? addRun(bytes, at + 4, bytes.readUInt32LE(at), code, statistics)
        : addVertices(bytes, at, statistics, true);
  return at;
}

function addRun(bytes: Buffer, start: number, count: number, code: number, statistics: GeometryStatistics): number {
  const { x, y, z, m } = statistics;
  const [hasZ, hasM] = [code >= 3000 || Math.floor(code / 1000) === 1, code >= 2000];
  let at = start;
  for (let n = 0; n < count; n++) {
    x.add(bytes.readDoubleLE(at));
    y.add(bytes.readDoubleLE(at + 8));
    at += 16;
    if (hasZ) z.add(bytes.readDoubleLE(at));
    if (hasZ) at += 8;
    if (hasM) m.add(bytes.readDoubleLE(at));
    if (hasM) at += 8;
  }
  return at;
}
