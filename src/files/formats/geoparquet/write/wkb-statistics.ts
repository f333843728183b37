import type { GeometryStatistics } from './geo.ts';

/** Adds type and place of a geometry that WkbWriter has written. `box`: west, south, east, north; infinite if empty. */
export function addGeometry(bytes: Buffer, start: number, box: Float64Array, statistics: GeometryStatistics): void {
  const code = bytes.readUInt32LE(start + 1);
  statistics.codes.add(code);
  if (code >= 1000) addVertices(bytes, start, statistics);
  else if (box[0]! <= box[2]!) statistics.addBox(box);
}

/** Adds the vertices of a geometry. Returns its end. */
function addVertices(bytes: Buffer, start: number, statistics: GeometryStatistics): number {
  const code = bytes.readUInt32LE(start + 1);
  const type = code % 1000;
  let at = start + 5;
  if (type === 1) return addRun(bytes, at, 1, code, statistics);
  const count = bytes.readUInt32LE(at);
  at += 4;
  if (type === 2) return addRun(bytes, at, count, code, statistics);
  for (let n = 0; n < count; n++)
    at =
      type === 3 ? addRun(bytes, at + 4, bytes.readUInt32LE(at), code, statistics) : addVertices(bytes, at, statistics);
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
