import test, { type ExecutionContext } from 'ava';
import type { Feature } from '../../../src/files/data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { converted } from '../files.ts';
import { mutate } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { zipOf } from '../shapefiles.ts';
import { type MadeWorkbook, rowsOf, styled, workbookOf } from './workbooks.ts';

async function table(t: ExecutionContext, made: MadeWorkbook, parameters: Record<string, unknown> = {}) {
  const { data, ...said } = await read(t, 'features', 'XlsxReader', workbookOf(made), parameters);
  const features: Feature[] = [];
  for await (const chunk of data.chunks()) features.push(...chunk);
  const types = Object.fromEntries(data.fields.map(({ name, type }) => [name, type]));
  return { ...said, data, features, types, values: features.map(({ values }) => [...values]) };
}
const one = (content: string, more: Partial<MadeWorkbook> = {}): MadeWorkbook => ({
  ...more,
  sheets: [{ name: 'Wells', content }],
});

test('cells have the types of the sheet: texts that look like numbers stay texts', async (t) => {
  const made = one(
    rowsOf(
      ['name', 'code', 'count', 'big', 'level', 'open', 'dug', 'read', 'x', 'y'],
      [
        'a, "b"\nc',
        '12',
        3,
        { xml: '<c><v>9007199254740993</v></c>' },
        1.5,
        true,
        styled(45351, 1),
        styled('45351.5', 2),
        10.5,
        52.25,
      ],
      [
        undefined,
        '007',
        -4,
        5,
        { xml: '<c><v>1.0000000000000001E-3</v></c>' },
        false,
        styled(45352, 1),
        styled(45352, 2),
        11,
        53,
      ],
      ['', undefined, undefined, undefined, undefined, undefined, undefined, undefined, 12, 54],
    ),
    { styles: [0, 14, 22] },
  );
  t.like(await detect(memory(workbookOf(made))), { format: 'xlsx' });
  const { data, types, values, features, lost, remarks } = await table(t, made, { SRID: 25832 });
  t.like(data, { name: 'Wells', hasZ: false, count: 3, crs: undefined });
  t.deepEqual(types, {
    name: 'string',
    code: 'string',
    count: 'integer',
    big: 'integer64',
    level: 'real',
    open: 'boolean',
    dug: 'date',
    read: 'dateTime',
  });
  t.deepEqual(values, [
    ['a, "b"\nc', '12', 3, 9007199254740993n, 1.5, true, '2024-02-29', '2024-02-29T12:00:00'],
    [null, '007', -4, 5, 0.001, false, '2024-03-01', '2024-03-01T00:00:00'],
    [null, null, null, null, null, null, null, null],
  ]);
  t.deepEqual(
    features.map(({ geometry }) => [...geometry!.coordinates]),
    [
      [10.5, 52.25],
      [11, 53],
      [12, 54],
    ],
  );
  t.deepEqual(lost, []);
  t.deepEqual(remarks, ["The columns 'x', 'y' were read as coordinates."]);
});

test('shared texts with runs, cached values of formulas, errors, merged cells and hidden rows are told', async (t) => {
  const cell = (xml: string) => ({ xml });
  const rows = rowsOf(
    [cell('<c t="s"><v>0</v></c>'), 'n', 'sum', 'gone'],
    [
      cell('<c t="s"><v>1</v></c>'),
      1,
      cell('<c><f>A1*2</f><v>2</v></c>'),
      cell('<c t="e"><f>1/0</f><v>#DIV/0!</v></c>'),
    ],
    [
      cell('<c t="str"><f>"x"</f><v>a_x000D_b</v></c>'),
      2,
      cell('<c><f>A2*2</f></c>'),
      cell('<c t="str"><f>IF(1,"")</f><v></v></c>'),
    ],
  ).replace('<row r="3"', '<row r="3" hidden="1"');
  const { values, types, lost, remarks } = await table(
    t,
    one(`<sheetData>${rows}</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells><drawing/>`, {
      texts: '<si><t>text</t></si><si><r><t xml:space="preserve">bold </t></r><r><t>ü</t></r><rPh><t>no</t></rPh></si>',
    }),
  );
  t.deepEqual(types, { text: 'string', n: 'integer', sum: 'integer', gone: 'string' });
  t.deepEqual(values, [
    ['bold ü', 1, 2, null],
    ['a\rb', 2, null, null],
  ]);
  t.deepEqual(lost, [
    '1 cells with errors (#DIV/0!) have no value.',
    '1 formulas have no stored value, so their cells are empty. Open and save the file in Excel.',
    '4 formulas were left out; their stored values were read.',
    'Drawings and comments of the sheet were left out.',
  ]);
  t.deepEqual(remarks.slice(0, 2), [
    '1 merged areas have a value in their first cell only.',
    'Hidden rows and columns were read, too.',
  ]);
});

test('days count from 1900 with its 29 February, or from 1904; formats tell days, times and durations', async (t) => {
  const styles = [0, 164, 165, 166, 167, 168];
  const codes = {
    164: '[$-407]dd.mm.yyyy;@',
    165: 'yyyy\\-mm\\-dd&quot; at &quot;hh:mm:ss.000',
    166: '[h]:mm:ss',
    167: 'hh:mm:ss',
    168: '0.00&quot; days&quot;',
  };
  const rows = rowsOf(
    ['day', 'at', 'long', 'clock', 'n'],
    [styled(1, 1), styled(0.25, 2), styled(1.5, 3), styled(0.5, 4), styled(7, 5)],
    [styled(59, 1), styled('45351.000011574', 2), styled(2, 3), styled('0.75', 4), styled(8.5, 5)],
    [styled(60, 1), styled(61, 2), styled(0, 3), styled(0, 4), styled(9, 5)],
    [styled(2958466, 1), styled(-1, 2), styled(0, 3), styled(0, 4), styled(9, 5)],
  );
  const { values, types, lost, remarks } = await table(t, one(rows, { styles, codes }), { Time: '' });
  t.deepEqual(types, { day: 'date', at: 'dateTime', long: 'real', clock: 'string', n: 'real' });
  t.deepEqual(values, [
    ['1900-01-01', '1899-12-31T06:00:00', 1.5, '12:00:00', 7],
    ['1900-02-28', '2024-02-29T00:00:01', 2, '18:00:00', 8.5],
    [null, '1900-03-01T00:00:00', 0, '00:00:00', 9],
    [null, null, 0, '00:00:00', 9],
  ]);
  t.deepEqual(lost, ['3 cells hold days that do not exist; they have no value.']);
  t.true(remarks.includes('Durations were read as numbers of days.'));
  const since1904 = await table(
    t,
    one(rowsOf(['day', 'n'], [styled(0, 1), 'a'], [styled(43889, 1), 'b']), { styles, codes, from1904: true }),
  );
  t.deepEqual(
    since1904.values.map(([value]) => value),
    ['1904-01-01', '2024-02-29'],
  );
});

test('a sheet with times and numbers holds series', async (t) => {
  const rows = rowsOf(
    ['time', 'Level [m]', 'note', 'Flow (m3/s)'],
    [styled(45351, 1), 1.5, 'x', 3],
    [styled('45351.5', 1), undefined, 'y', 4],
  );
  const { data, lost } = await read(t, 'series', 'XlsxReader', workbookOf(one(rows, { styles: [0, 22] })));
  t.deepEqual(
    data.items.map(({ name, unit }) => [name, unit]),
    [
      ['Level', 'm'],
      ['Flow', 'm^3/s'],
    ],
  );
  t.like(data.time, { start: Date.UTC(2024, 1, 29), count: 2, interval: 43200 });
  const [chunk] = await Array.fromAsync(data.chunks());
  t.deepEqual(
    chunk!.values.map((values) => [...values]),
    [
      [1.5, Number.NaN],
      [3, 4],
    ],
  );
  t.deepEqual(lost, ["Columns without numbers were left out: 'note'."]);
});

test('of several sheets one must be chosen; hidden ones are left out, and can be chosen', async (t) => {
  const rows = rowsOf(['n'], [1]);
  const sheet = (name: string, content = rows) => ({ name, content });
  const made = {
    sheets: [sheet('Empty', '<sheetData/>'), sheet('A &amp; B'), { ...sheet('Notes'), state: 'hidden' as const }],
  };
  const first = await table(t, made);
  t.is(first.data.name, 'A & B');
  t.deepEqual(first.lost, ['Hidden sheets were left out: Notes.']);
  t.is((await table(t, made, { Layer: 'notes' })).data.name, 'Notes');
  await t.throwsAsync(table(t, { sheets: [...made.sheets, sheet('More')] }), {
    instanceOf: ConversionError,
    code: 'SeveralLayers',
    message: 'The workbook has 2 sheets. Choose one with Layer: A & B, More.',
  });
  await t.throwsAsync(table(t, made, { Layer: 'x' }), {
    message: "The workbook has no sheet 'x'. Sheets: Empty, A & B, Notes.",
  });
  await t.throwsAsync(table(t, { sheets: made.sheets.slice(0, 1) }), { message: 'The workbook has no values.' });
});

test('rows and cells without references, and rows that are missing, keep their places', async (t) => {
  const { values } = await table(
    t,
    one(
      `<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row><row r="5"><c r="B5"><v>1</v></c></row><row><c><v>2</v></c></row>`,
    ),
  );
  t.deepEqual(values, [
    [null, 1],
    [2, null],
  ]);
  const text = 'two\nlines';
  await t.throwsAsync(
    table(t, one(rowsOf(['x', 'y', 'note'], [1, 2, text], [1, 'north', text])), { X: 'x', Y: 'y' }).then(({ bad }) => {
      throw bad[0]!.reason;
    }),
    { message: "Row 3 has 'north' in column 2 in place of a coordinate." },
  );
});

test('damaged workbooks are refused with a sentence', async (t) => {
  const cases: [string, string][] = [
    ['<row r="2"/><row r="2"><c><v>1</v></c></row>', "The row '2' of the sheet does not follow row 2."],
    ['<row><c r="1A"><v>1</v></c></row>', "Row 1 of the sheet has the cell '1A'."],
    ['<row><c t="s"><v>9</v></c></row>', "The cell in row 1 and column 1 has '9' in place of the number of a text."],
    ['<row><c><v>x1</v></c></row>', "The cell in row 1 and column 1 has 'x1' in place of a number."],
  ];
  for (const [content, message] of cases)
    await t.throwsAsync(table(t, one(content)), { instanceOf: FormatError, message });
  await t.throwsAsync(read(t, 'features', 'XlsxReader', zipOf([{ name: 'a.txt', bytes: Buffer.from('x') }])), {
    instanceOf: FormatError,
  });
  t.deepEqual(await detect(memory(Buffer.from('d0cf11e0a1b11ae1', 'hex'))), {
    name: 'a file of Microsoft Office 97 to 2003, or one with a password',
    advice: 'Save a workbook as .xlsx without a password.',
  });
  const bomb = `<row><c t="inlineStr"><is><t>${'a'.repeat(110_000_000)}</t></is></c></row>`;
  await t.throwsAsync(table(t, one(bomb)), { instanceOf: FormatError, message: /like a zip bomb/ });
});

test('mutated workbooks are read or refused', async (t) => {
  const rows = rowsOf(['name', 'x', 'y', 'at'], ['a', 1, 2, styled(45351, 1)], ['b', 3, 4, styled(45352.5, 1)]);
  await mutate(t, 'XlsxReader', [workbookOf(one(rows, { styles: [0, 22], texts: '<si><t>x</t></si>' }))], 300);
});

test('a workbook is converted to other formats', async (t) => {
  const rows = rowsOf(['name', 'lon', 'lat'], ['Pegel ü', 13.25, 52.5]);
  const { text } = await converted(t, workbookOf(one(rows)), { reader: 'XlsxReader', writer: 'CsvWriter' });
  t.is(Buffer.from(text, 'latin1').toString(), 'name,x,y\r\nPegel ü,13.25,52.5\r\n');
});
