import type { ConversionResult, Receipt } from '../convert/conversion.ts';
import type { Figures } from '../data/value-tally.ts';
import type { Reader, Writer } from '../formats/define.ts';
import { bytes, record, type Shown, type Table, table } from './table.ts';

/** A completed conversion without a server. */
export interface Conversion {
  reader: Pick<Reader, 'name'>;
  writer: Pick<Writer, 'name'>;
  /** Output files; empty if the output went to stdout. */
  files: readonly string[];
  /** GeoJSON file with the locations of skipped records. */
  badRecords: string | undefined;
  result: ConversionResult;
}

/** The receipt as JSON, with the members of a transfer and the paths of the files. */
export function makeReceipt({ reader, writer, files, badRecords, result }: Conversion) {
  const { badRecordsWritten: _, fileType: __, ...rest } = result;
  return { files, reader: reader.name, writer: writer.name, badRecords, ...rest };
}

export function describeConversion({ reader, writer, files, badRecords, result }: Conversion): Shown {
  const { receipt, recordsRead, recordsWritten, recordsSkipped } = result;
  const { input, inputs, output, crs, mesh } = receipt;
  const size = inputs?.reduce((sum, one) => sum + one.size, 0);
  const head = record({
    output: files.join(', '),
    input: size === undefined ? `${input.name}, ${bytes(input.size)}` : `${inputs?.length} files, ${bytes(size)}`,
    reader: reader.name,
    writer: writer.name,
    size: bytes(output.size),
    'coordinate system': crs && (crs.to === undefined ? crs.from : `${crs.from ?? 'unknown'} to ${crs.to}`),
    operation: crs?.operation,
    records: recordsRead === recordsWritten ? recordsRead : `${recordsRead} read, ${recordsWritten} written`,
    skipped: recordsSkipped === 0 ? undefined : recordsSkipped,
    'bad records': badRecords,
    mesh:
      mesh &&
      `${mesh.nodes} nodes, ${mesh.elements} elements, smallest angle ${mesh.smallestAngle.toFixed(1)}°, largest element ${mesh.largestElement}`,
  });
  return [head, statisticsTable(result.properties?.statistics), listSentences(receipt).join('\n')];
}

/** A row for each converted file, then its losses and remarks. */
export function describeConversions(files: readonly string[], results: readonly (Conversion | undefined)[]): Shown {
  const rows = files.flatMap((file, n) => {
    const done = results[n];
    return done === undefined ? [] : [[file, done.files.join(', '), bytes(done.result.receipt.output.size)]];
  });
  const sentences = files.flatMap((file, n) =>
    results[n] === undefined ? [] : listSentences(results[n].result.receipt).map((sentence) => `${file}: ${sentence}`),
  );
  return [rows.length === 0 ? '' : table(['FILE', 'OUTPUT', 'SIZE'], rows), sentences.join('\n')];
}

/** A line for each loss and for each repaired or guessed thing. */
export const listSentences = ({ lost, remarks }: Pick<Receipt, 'lost' | 'remarks'>): string[] => [
  ...lost.map((sentence) => `Lost: ${sentence}`),
  ...remarks.map((sentence) => `Remark: ${sentence}`),
];

type Summary = NonNullable<ConversionResult['properties']>['statistics'];
type Row = Pick<Figures, 'values' | 'empty'> & {
  name?: string;
  unit?: string;
  minimum?: number | string;
  maximum?: number | string;
  mean?: number;
  standardDeviation?: number;
};

/** One row per band, item or field. */
function statisticsTable(statistics: Summary | undefined): string | Table {
  const rows = statistics === undefined ? [] : rowsOf(statistics);
  if (rows.length === 0) return '';
  return table(
    ['NAME', 'UNIT', 'VALUES', 'EMPTY', 'MINIMUM', 'MAXIMUM', 'MEAN', 'DEVIATION'],
    rows.map(({ name, unit, values, empty, minimum, maximum, mean, standardDeviation }, n) => [
      name ?? n,
      unit,
      values,
      empty,
      ...[minimum, maximum, mean, standardDeviation].map(rounded),
    ]),
  );
}

function rowsOf(statistics: Summary): readonly Row[] {
  if ('kind' in statistics === false) return statistics;
  if (statistics.kind === 'features') return statistics.fields ?? [];
  return statistics.kind === 'grid' ? statistics.bands : statistics.items;
}

const rounded = (value: number | string | undefined) =>
  typeof value === 'number' ? Number(value.toPrecision(7)) : value;
