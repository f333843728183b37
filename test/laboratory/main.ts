import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Bench } from './bench.ts';
import { examine, pairs } from './laboratory.ts';
import { RESULTS, type Row } from './properties.ts';
import { jsonOf, publish } from './publish.ts';

/**
 * `npm run laboratory`: exits with 1 if a property is lost and the receipt does not say so, or if an inspection tells
 * other losses than the receipt.
 */
const { values } = parseArgs({
  options: {
    /** Writes the rows to this file. */
    json: { type: 'string' },
    /** Only this pair, as `Dfs2Reader:GeoTiffWriter`; one of the names may be absent. */
    pair: { type: 'string' },
    /** Writes the rows and tables of the guide. */
    publish: { type: 'boolean', default: false },
  },
});
const [reader, writer] = values.pair?.split(':') ?? [];
const chosen = pairs().filter(
  (pair) => (!reader || pair.reader.name === reader) && (!writer || pair.writer.name === writer),
);
if (chosen.length === 0) throw new Error(`There is no pair '${values.pair}'. Name it as Dfs2Reader:GeoTiffWriter.`);
if (values.publish && values.pair !== undefined) throw new Error('The guide has all pairs. Leave --pair out.');

await using bench = await Bench.open();
const rows: Row[] = [];
const differences: string[] = [];
for await (const some of examine(bench, chosen, (one) => differences.push(one))) {
  rows.push(...some);
  for (const { sentence, ...row } of some)
    if (row.result === 'silent' || values.pair !== undefined)
      console.log([row.reader, row.writer, row.property, row.result, sentence].filter(Boolean).join(' · '));
}
const counts = RESULTS.map((result) => `${rows.filter((row) => row.result === result).length} ${result}`);
console.log(`${chosen.length} pairs: ${counts.join(', ')}.`);
for (const difference of differences) console.log(difference);
if (values.json !== undefined) await writeFile(values.json, jsonOf(rows));
if (values.publish) await publish(rows);
if (differences.length > 0 || rows.some(({ result }) => result === 'silent')) process.exitCode = 1;
