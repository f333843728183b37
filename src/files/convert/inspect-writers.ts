import type { Data } from '../data/data.ts';
import type { Reader, Writer } from '../formats/define.ts';
import { writers } from '../formats/registry.ts';
import { type HeaderWork, headerLosses } from './header-losses.ts';
import type { Inspection, WriterInspection } from './inspection.ts';
import { partsOf } from './kept-parts.ts';
import { kindsUpTo, offeredBy } from './offers.ts';

const MORE_MAY_COME =
  'The losses of the writers follow from the header of the data. A conversion may name more that only the values tell, such as rounded or cut ones.';

/**
 * Adds the writers that can follow with their usual parameters, with what they keep and lose, and the transformations
 * that can follow.
 * @param rows whether writers count that write rows of the platform's database
 */
export async function inspectWriters(
  data: Data,
  inspection: Inspection,
  reader: Reader,
  { rows, ...work }: HeaderWork & { rows: boolean },
): Promise<void> {
  inspection.transformations = offeredBy({ ...reader, produces: data.kind });
  inspection.writers = [];
  const fitting = writers.filter((writer) => kindsUpTo(writer, data.kind, []) !== undefined && (rows || !writer.rows));
  for (const writer of fitting) inspection.writers.push(await inspectWriter(data, writer, work));
  if (data.kind !== 'bytes') inspection.remarks.push(MORE_MAY_COME);
}

async function inspectWriter(data: Data, writer: Writer, work: HeaderWork): Promise<WriterInspection> {
  const named = { name: writer.name, format: writer.format };
  if (data.kind === 'bytes') return { ...named, keeps: ['all bytes'], loses: [] };
  const { loses, parts, refuses } = await headerLosses(data, writer, writer.usualParameters ?? {}, work);
  if (refuses !== undefined) return { ...named, keeps: [], loses: [], refuses };
  const keeps = [...partsOf(data)].flatMap(([part, words]) => (parts.has(part) ? [] : [words]));
  return { ...named, keeps, loses: [...loses] };
}
