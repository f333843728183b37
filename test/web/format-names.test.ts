import test from 'ava';
import { readers, writers } from '../../src/files/formats/registry.ts';
import { formatName } from '../../src/web/texts/formats.ts';

test('the console has a name for the format of each reader and writer', (t) => {
  const words = [...readers, ...writers].map(({ name }) => name.replace(/(?:Reader|Writer)$/, '').toLowerCase());
  t.true(words.length > 40);
  // a word without a name is shown as it is
  t.deepEqual(
    words.filter((word) => formatName(word) === word),
    [],
  );
});
