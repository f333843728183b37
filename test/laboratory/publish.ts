import { readFile, writeFile } from 'node:fs/promises';
import { PROPERTIES, type Row } from './properties.ts';

const JSON_FILE = new URL('../../docs/guide/laboratory.json', import.meta.url);
const PAGE = new URL('../../docs/guide/laboratory.md', import.meta.url);
/** Everything behind it is made of the rows. */
const HEADING = '\n## Results\n';

export const readPublished = async (): Promise<Row[]> =>
  (JSON.parse(await readFile(JSON_FILE, 'utf8')) as { rows: Row[] }).rows;

export const readPage = (): Promise<string> => readFile(PAGE, 'utf8');

/** One row per line. */
export const jsonOf = (rows: readonly Row[]): string =>
  `{"rows":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;

/** Writes the rows and the page of the guide. */
export async function publish(rows: readonly Row[]): Promise<void> {
  await writeFile(JSON_FILE, jsonOf(rows));
  await writeFile(PAGE, withTables(await readPage(), rows));
}

/** The page with a table for each reader. */
export function withTables(page: string, rows: readonly Row[]): string {
  const [text = ''] = page.split(HEADING, 1);
  const tables = [...Map.groupBy(rows, ({ reader }) => reader)].map(
    ([reader, own]) => `\n### ${reader}\n\n${tableOf(own)}`,
  );
  return `${text}${HEADING}${tables.join('')}`;
}

function tableOf(rows: readonly Row[]): string {
  const columns = PROPERTIES.filter((property) => rows.some((row) => row.property === property));
  const lines = [...Map.groupBy(rows, ({ writer }) => writer)].map(([writer, own]) => [
    `\`${writer}\``,
    ...columns.map((property) => own.find((row) => row.property === property)?.result ?? '–'),
  ]);
  return [['Writer', ...columns.map((name) => `\`${name}\``)], ['---', ...columns.map(() => '---')], ...lines]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}
