import type { ExecutionContext } from 'ava';
import type { ByteSink } from '../../../src/files/data/bytes.ts';
import { stepCount, timeOf } from '../../../src/files/data/time-axis.ts';
import { encodeBlock } from '../../../src/files/formats/ts/block.ts';
import { kindsOf, type PropertyDefinition, type SeriesDefinition } from '../../../src/files/formats/ts/definition.ts';
import type { Cell } from '../../../src/files/formats/ts/rows.ts';
import { SeriesFileWriter } from '../../../src/files/formats/ts/series-file.ts';
import { read } from '../read.ts';

/** A series with its rows: time, value and cells of the data fields. */
export interface TestSeries extends Partial<SeriesDefinition> {
  name: string;
  dataType?: SeriesDefinition['item']['dataType'];
  rows: readonly (readonly [time: string, ...Cell[]])[];
}

const micros = (time: string): bigint => BigInt(Date.parse(`${time}Z`)) * 1000n;

class Memory implements ByteSink {
  readonly parts: Uint8Array[] = [];
  position = 0;
  async append(bytes: Uint8Array) {
    this.parts.push(bytes);
    this.position += bytes.length;
  }
  async patch() {}
  async restart() {}
}

/** A dataset's series as a worker hands them to a conversion, in blocks of at most `size` rows. */
export async function seriesFile(
  all: readonly TestSeries[],
  { schema = [], size = 2 }: { schema?: PropertyDefinition[]; size?: number } = {},
): Promise<Buffer> {
  const sink = new Memory();
  const file = new SeriesFileWriter(sink);
  for (const { name, dataType = 'Double', id = name, rows, properties = {}, dataFields = [], ...rest } of all) {
    const item = { name, unit: 'eumUmeter', item: 'eumIWaterLevel', dataType, ...rest.item };
    const definition = { id, item, properties, dataFields };
    const times = rows.map(([time]) => micros(time));
    const last = times.at(-1);
    const n = file.addSeries({
      ...definition,
      present: { rows: rows.length, ...(last === undefined ? {} : { last }) },
    });
    const kinds = kindsOf(definition);
    const columns = kinds.map((_, column) => rows.map((row) => row[column + 1] as Cell));
    for (let from = 0; from < rows.length; from += size) {
      const to = Math.min(rows.length, from + size);
      const data = encodeBlock({ times, columns }, kinds, from, to);
      await file.addBlock(n, { first: times[from]!, last: times[to - 1]!, count: to - from, data });
    }
  }
  await file.end(schema);
  return Buffer.concat(sink.parts);
}

/** Content of a DFS0 file: items, times in milliseconds, columns. */
export async function held(t: ExecutionContext, bytes: Uint8Array) {
  const { data: series } = await read(t, 'series', 'Dfs0Reader', bytes);
  const columns: number[][] = series.items.map(() => []);
  for await (const { values } of series.chunks())
    for (const [n, all] of values.entries()) columns[n]!.push(...Array.from(all, Number));
  const { time } = series;
  if (time.spacing === 'pulled') throw new Error('pulled');
  const times = Array.from({ length: stepCount(time) }, (_, step) => timeOf(time, step));
  const items = series.items.map(({ reference: _, position: __, ...item }) => item);
  return { items, spacing: time.spacing, times, columns };
}
