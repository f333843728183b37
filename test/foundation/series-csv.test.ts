import test from 'ava';
import { cellOfText, type SeriesColumn } from '../../src/series/cells.ts';
import { formatTime, parseTime } from '../../src/series/clock.ts';
import { readCsv } from '../../src/series/csv.ts';
import { type CsvForm, PlainLine } from '../../src/series/plain-line.ts';

const FORM: CsvForm = { datetimeIndex: 0, valueIndex: 1, delimiter: ';', decimalSeparator: '.' };
const column = (dataType: 'Single' | 'Double'): SeriesColumn => ({
  name: 'Level',
  dataType,
  kind: dataType === 'Single' ? 'f32' : 'f64',
  flags: [],
});

const TIMES = ['2026-01-24T08:17:02', '1969-12-31 23:59:59', '0001-01-01T00:00:00', '9999-12-31T23:59:59'];
const OTHER_TIMES = [
  '2026-01-24',
  '2026-01-32T00:00:00',
  '2026-02-29T00:00:00',
  '2026-01-24T24:00:00',
  '2026-01-24T08:60:00',
  '2026-01-24T08:17:0x',
  '2026/01/24T08:17:02',
  '２026-01-24T08:17:02',
  '',
];
const NUMBERS = ['0', '-0', '1.5', '-1.25', '.5', '5.', '0.1', '123456789.012345', '999999999999999', ''];
const OTHER_NUMBERS = [
  '1e3',
  '+1',
  ' 1',
  '1 ',
  '-',
  '.',
  '1.2.3',
  'NaN',
  'x',
  '0.3000000000000000444',
  '1234567890123456',
  '0.000000000000001',
];

for (const dataType of ['Single', 'Double'] as const)
  test(`${dataType}: the fast reader of plain lines equals the general cell reader`, (t) => {
    const own = column(dataType);
    const plain = PlainLine.for(FORM, own)!;
    for (const time of [...TIMES, ...OTHER_TIMES])
      for (const number of [...NUMBERS, ...OTHER_NUMBERS])
        for (const end of ['', '\r', ';more']) {
          const line = `${time};${number}${end}`;
          const whole = `first;line\n${line}\nnext;9`;
          const done = plain.read(whole, 11, 11 + line.length);
          t.is(done, TIMES.includes(time) && NUMBERS.includes(number), line);
          if (!done) continue;
          t.is(plain.time, parseTime(time) ?? 0n);
          const read = number === '' ? { cell: null } : cellOfText(number, own);
          t.true('cell' in read && Object.is(read.cell, plain.cell), `${line} gives ${String(plain.cell)}`);
        }
  });

test('any double of up to 15 digits is the nearest one, as Number reads it', (t) => {
  const plain = PlainLine.for(FORM, column('Double'))!;
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let n = 0; n < 20_000; n++) {
    const digits = Array.from({ length: 1 + next(15) }, () => next(10)).join('');
    const point = next(digits.length + 1);
    const number = `${next(2) === 0 ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
    const line = `2026-01-24T08:17:02;${number}`;
    if (!plain.read(line, 0, line.length) || !Object.is(plain.cell, Number(number))) return t.fail(number);
  }
  t.pass();
});

test('rows and line numbers of a CSV do not depend on its columns, separator and the size of pieces', async (t) => {
  const form = { datetimeIndex: 2, valueIndex: 0, delimiter: '|', decimalSeparator: ',' };
  const bytes = Buffer.from('1,5|a|2026-01-24T00:00:00\r\n\n2|"b\n;"|2026-01-25\n|c|2026-01-26 12:00:00|d\n');
  const rowsOf = async (size: number, content = bytes) => {
    const rows: unknown[] = [];
    async function* pieces() {
      for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
    }
    for await (const some of readCsv(pieces(), [column('Double')], form))
      for (const { time, cells } of some)
        rows.push([new Date(Number(time / 1000n)).toISOString().slice(0, 16), cells[0]]);
    return rows;
  };
  for (const size of [1, 7, 1000])
    t.deepEqual(await rowsOf(size), [
      ['2026-01-24T00:00', 1.5],
      ['2026-01-25T00:00', 2],
      ['2026-01-26T12:00', null],
    ]);
  const wrong = Buffer.concat([bytes, Buffer.from('2.5|x|2026-01-27T00:00:00\n')]);
  for (const size of [3, 1000])
    await t.throwsAsync(rowsOf(size, wrong), { message: /^Line 6: '2\.5' is not a number/ });
});

test('each line that is not UTF-8 is read as Latin-1, for any chunks of the body', async (t) => {
  const bytes = Buffer.concat([
    Buffer.from('\ufeff2026-01-24;höher\n'),
    Buffer.from('2026-01-25;tiefer für\r\n2026-01-26;plain\n', 'latin1'),
    Buffer.from('2026-01-27;größer\n\n2026-01-28;"東\n'),
    Buffer.from('über"\n', 'latin1'),
    Buffer.from('2026-01-29;é'),
  ]);
  const own: SeriesColumn = { name: 'Note', dataType: 'Text', kind: 'text', flags: [] };
  for (const size of [1, 2, 3, 20, 45, 70, 1000]) {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const texts: unknown[] = [];
    for await (const some of readCsv(pieces(), [own], FORM)) for (const { cells } of some) texts.push(cells[0]);
    t.deepEqual(texts, ['höher', 'tiefer für', 'plain', 'größer', '東\nüber', 'é'], `${size} bytes at once`);
  }
});

test('a byte order mark is recognized only at the start of the body, for any chunks', async (t) => {
  const bytes = Buffer.from('\n\ufeff"2026-01-24";1\n');
  for (const size of [1, 1000]) {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const read = async () => {
      for await (const some of readCsv(pieces(), [column('Double')], FORM)) t.is([...some].length, 0);
    };
    await t.throwsAsync(read(), { message: /^Line 2: a cell without quotes/ });
  }
});

test('a time is shown as it was read, to the microsecond, in every century', (t) => {
  const seconds = [
    '0001-01-01T00:00:00',
    '1683-12-31T23:59:59',
    '1969-12-31T23:59:59',
    '1970-01-01T00:00:00',
    '2024-02-29T12:34:56',
    '2255-06-05T23:47:34',
    '2255-06-05T23:47:35',
    '9999-12-31T23:59:59',
  ];
  for (const second of seconds)
    for (const fraction of ['0000000', '0000010', '0999990', '9999990', '5000000'])
      t.is(formatTime(parseTime(`${second}.${fraction}`)!), `${second}.${fraction}`);
});
