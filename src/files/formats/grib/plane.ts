import type { FieldGrid } from './field.ts';

/**
 * The values of a message in rows from west to east, the first row of the message first. Rows of a reduced grid get
 * the nearest of their points.
 */
export function arrange<A extends Float32Array | Float64Array>(values: Float64Array, grid: FieldGrid, to: A): A {
  const { width, height, fromEast, byColumns, alternating, rowLengths, around } = grid;
  if (rowLengths !== undefined) return spread(values, rowLengths, width, around, to);
  if (!(fromEast || byColumns || alternating)) {
    to.set(values);
    return to;
  }
  const [lines, length] = byColumns ? [width, height] : [height, width];
  for (let line = 0, from = 0; line < lines; line++)
    for (let n = 0; n < length; n++, from++) {
      const along = alternating && line % 2 === 1 ? length - 1 - n : n;
      const [row, column] = byColumns ? [along, line] : [line, along];
      to[row * width + (fromEast ? width - 1 - column : column)] = values[from]!;
    }
  return to;
}

function spread<A extends Float32Array | Float64Array>(
  values: Float64Array,
  rowLengths: readonly number[],
  width: number,
  around: boolean,
  to: A,
): A {
  let from = 0;
  for (const [row, length] of rowLengths.entries()) {
    for (let column = 0; column < width; column++) {
      const nearest = around
        ? Math.round((column * length) / width) % length
        : width === 1
          ? 0
          : Math.round((column * (length - 1)) / (width - 1));
      to[row * width + column] = length === 0 ? Number.NaN : values[from + nearest]!;
    }
    from += length;
  }
  return to;
}
