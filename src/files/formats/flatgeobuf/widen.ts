import type { Context } from '../define.ts';
import { FlatTable } from '../io/flatgeobuf/flat-table.ts';
import { featureSlots } from '../io/flatgeobuf/schema.ts';
import { eachValue, valueAt } from '../io/flatgeobuf/values.ts';
import { OrderedSpool } from '../io/ordered-spool.ts';
import { isPresent, type OutputColumn, roomFor } from './columns.ts';

/** Copies the features, with the values of columns that a later value widened in the final type of their column. */
export async function withFinalTypes(
  spool: OrderedSpool,
  columns: readonly OutputColumn[],
  context: Context,
): Promise<OrderedSpool> {
  const changed = await OrderedSpool.create(context);
  const inOrder = Uint32Array.from(spool.sizes, (_, n) => n);
  for await (const { bytes, first, count } of spool.ordered(inOrder)) {
    context.signal.throwIfAborted();
    for (let n = first, at = 0; n < first + count; n++) {
      const size = spool.sizes[n]!;
      changed.add(putWidened(changed, bytes.subarray(at, at + size), columns, n));
      at += size;
    }
    await changed.out.drain();
  }
  return changed;
}

/** The properties are the last part of a feature, so that all before them stays. */
function putWidened({ out }: OrderedSpool, feature: Buffer, columns: readonly OutputColumn[], number: number): number {
  const table = FlatTable.root(feature.subarray(4), 0);
  const properties = table.vector(featureSlots.properties, 1)!;
  const values: (readonly [column: number, value: unknown])[] = [];
  eachValue(
    table,
    properties,
    (column) => columns[column]?.typeAt(number),
    (column, type, at, length) => values.push([column, valueAt(table.bytes, type, at, length)]),
  );
  const head = properties.at;
  const present = values.filter(([, value]) => isPresent(value));
  out.reserve(4 + head + 8 + present.reduce((sum, [, value]) => sum + roomFor(value), 0));
  const { bytes, at: start } = out;
  const vector = start + head;
  feature.copy(bytes, start, 0, 4 + head);
  let at = start + 4 + head;
  for (const [column, value] of present) {
    bytes.writeUInt16LE(column, at);
    at = columns[column]!.put(bytes, at + 2, value, number);
  }
  bytes.writeUInt32LE(at - vector - 4, vector);
  while ((at - start) % 8 !== 0) bytes[at++] = 0;
  bytes.writeUInt32LE(at - start - 4, start);
  out.at = at;
  return at - start;
}
