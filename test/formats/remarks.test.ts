import test from 'ava';
import { Remarks } from '../../src/files/convert/remarks.ts';

test('a repeated remark is counted', (t) => {
  const remarks = new Remarks();
  for (let n = 0; n < 3; n++) remarks.add('A date was left empty.');
  remarks.add('Encoding was guessed.');
  t.deepEqual(remarks.list(), ['A date was left empty (3 times).', 'Encoding was guessed.']);
});

test('a receipt has at most 100 different remarks, and the number of the others', (t) => {
  const remarks = new Remarks();
  for (let n = 0; n < 105; n++) remarks.add(`Record ${n} was repaired.`);
  t.is(remarks.list().length, 101);
  t.is(remarks.list()[100], '5 more remarks were left out.');
});
