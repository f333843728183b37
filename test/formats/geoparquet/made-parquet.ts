import type { ByteSink } from '../../../src/files/data/bytes.ts';
import { physical } from '../../../src/files/formats/geoparquet/parquet/constants.ts';
import { type ColumnSpec, ColumnWriter } from '../../../src/files/formats/geoparquet/write/column-writer.ts';
import { ParquetFile } from '../../../src/files/formats/geoparquet/write/parquet-file.ts';

/** Values of a column; those in a group have a path of two names. */
export interface MadeColumn extends ColumnSpec {
  readonly values: readonly (number | bigint | Buffer | null)[];
}

/** A Parquet file of any columns and metadata, as other programs may write it. */
export async function madeParquet(
  made: readonly MadeColumn[],
  keyValues: Readonly<Record<string, string | undefined>> = {},
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const sink = { append: async (bytes: Uint8Array) => void parts.push(bytes) } as unknown as ByteSink;
  const file = new ParquetFile(
    sink,
    made.map(({ path, values: _, ...spec }) => ({
      name: path[0]!,
      isOptional: true,
      columns: [{ path, ...spec }],
    })),
  );
  const columns = made.map(({ values, ...spec }) => {
    const column = new ColumnWriter(spec);
    for (const value of values)
      if (value === null) column.null();
      else if (typeof value === 'object') column.text(value, 0, value.length);
      else column.number(value);
    return column;
  });
  await file.rowGroup(columns, made[0]!.values.length);
  await file.end(keyValues, 'test');
  return Buffer.concat(parts);
}

/** The metadata `geo` of a column `geometry`. */
export const geoOf = (column: object): string =>
  JSON.stringify({
    version: '1.1.0',
    primary_column: 'geometry',
    columns: { geometry: { encoding: 'WKB', geometry_types: [], ...column } },
  });

/** A point, as WKB. */
export const wkbPoint = (x: number, y: number): Buffer => {
  const bytes = Buffer.alloc(21);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32LE(1, 1);
  bytes.writeDoubleLE(x, 5);
  bytes.writeDoubleLE(y, 13);
  return bytes;
};

export const geometryColumn = (...values: Buffer[]): MadeColumn => ({
  path: ['geometry'],
  type: physical.bytes,
  values,
});
