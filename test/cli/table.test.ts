import test from 'ava';
import { layOut, table } from '../../src/files/command/table.ts';

const ID = '0199f0a2-7c41-7d52-9b1e-4c1f6a2b3d5e';
const widest = (text: string) => Math.max(...text.split('\n').map((line) => [...line].length));
const jobs = table(
  ['ID', 'STATE', 'WHAT', 'SINCE', 'TRIES', 'TENANT', 'ERROR'],
  [
    [
      ID,
      'failed',
      'Import AsciiGridReader > GeoTiffWriter',
      '2026-01-24 08:17:02Z',
      3,
      ID,
      'Line 7 has 3 values, not 4.',
    ],
    [ID, 'waiting', 'Export GeoTiffReader > FileWriter', '2026-01-25 08:17:02Z', 12, ID, ''],
  ],
);

test('a table fits the width: texts are truncated, then columns that do not fit are omitted', (t) => {
  const { text, dropped } = layOut(jobs, 80);
  t.true(widest(text) <= 80, text);
  t.deepEqual(dropped, ['TENANT', 'ERROR']);
  const [head, first = ''] = text.split('\n');
  t.regex(head ?? '', /^ID {36}STATE {4}WHAT +SINCE +TRIES$/);
  t.regex(first, new RegExp(`^${ID}  failed {3}Import Ascii\\S*… +2026-01-24 +3$`));
});

test('a wider terminal shows more columns; without a width all are shown', (t) => {
  const whole = layOut(jobs);
  t.deepEqual(whole.dropped, []);
  t.regex(whole.text, /Line 7 has 3 values, not 4\.$/m);
  t.false(whole.text.includes('…'));
  t.is(layOut(jobs, widest(whole.text)).text, whole.text);
  for (let width = 40; width <= widest(whole.text); width++) {
    const { text } = layOut(jobs, width);
    t.true(widest(text) <= width, `${width}`);
    t.true(text.includes(ID), 'an id is copied into the next command: it is never shortened');
  }
});

test('characters of East Asian scripts take two cells', (t) => {
  const rows = [
    ['流域の地形', 'x'],
    ['valley', 'y'],
  ];
  t.is(layOut(table(['NAME', 'B'], rows)).text, ['NAME        B', '流域の地形  x', 'valley      y'].join('\n'));
});

test('text and tables are separated by an empty line; empty parts are omitted', (t) => {
  t.is(layOut(['head', '', table(['A'], [[1]])], 80).text, 'head\n\nA\n1');
});
