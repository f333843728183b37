import { product } from '../../../data/hyperslab.ts';

/** Usual size of a chunk in bytes, before compression. */
const usual = 1 << 17;
const largest = 1 << 23;
/** Steps per chunk; more if the steps are small. */
const usualSteps = 8;
/** More chunks than this make larger chunks. */
const mostChunks = 1 << 16;
/** Bytes of an item that the writer collects in memory. */
export const bufferBytes = 1 << 25;

/**
 * The shape of the chunks of an item: 128 kB of up to eight steps and a nearly square tile of the last two dimensions,
 * so that a step of everything decodes at most eight times its bytes, and a point over all steps one small chunk for
 * each eight steps. If steps are small, a chunk has more than eight of them; if eight steps exceed the
 * writer's buffer, it has fewer. If an item would have more than 65,536 chunks, their size doubles, up to 8 MB.
 * @param steps absent: constant over time
 * @param lengths of the dimensions besides time
 */
export function chunkShape(steps: number | undefined, lengths: readonly number[], bytes: number): number[] {
  for (let size = usual; ; size *= 2) {
    const shape = shapeOf(steps, lengths, bytes, size);
    const whole = steps === undefined ? lengths : [steps, ...lengths];
    const count = product(whole.map((length, d) => Math.ceil(length / shape[d]!)));
    if (count <= mostChunks || size >= largest) return shape;
  }
}

function shapeOf(steps: number | undefined, lengths: readonly number[], bytes: number, size: number): number[] {
  const step = Math.max(bytes, product(lengths) * bytes);
  const most = Math.max(usualSteps, Math.floor(size / step));
  const deep = Math.max(1, Math.min(steps ?? 1, most, Math.floor(bufferBytes / step)));
  const tile = tileOf(lengths, Math.max(1, Math.floor(size / (deep * bytes))), bytes);
  return steps === undefined ? tile : [deep, ...tile];
}

function tileOf(lengths: readonly number[], cells: number, bytes: number): number[] {
  if (lengths.length === 0) return [];
  const [y, x] = lengths.length === 1 ? [1, lengths[0]!] : (lengths.slice(-2) as [number, number]);
  const leading = lengths.slice(0, -2);
  if (y * x <= cells) {
    let left = Math.floor(cells / Math.max(1, y * x));
    const more = leading.toReversed().map((length) => {
      const taken = Math.max(1, Math.min(length, left));
      // An outer dimension is joined only when the inner ones are whole, so that chunks are runs of the writer's
      // values.
      left = taken < length ? 1 : Math.floor(left / taken);
      return taken;
    });
    const plane = [Math.max(1, y), Math.max(1, x)];
    return [...more.toReversed(), ...(lengths.length === 1 ? plane.slice(1) : plane)];
  }
  const inBuffer = Math.max(1, Math.floor(bufferBytes / (x * bytes)));
  const across = Math.min(x, Math.max(1, Math.floor(Math.sqrt(cells))));
  const rows = Math.min(y, Math.max(1, Math.floor(cells / across)), inBuffer);
  const columns = Math.min(x, Math.max(1, Math.floor(cells / rows)));
  const tile = lengths.length === 1 ? [columns] : [rows, columns];
  return [...leading.map(() => 1), ...tile];
}
