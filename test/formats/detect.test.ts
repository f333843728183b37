import test from 'ava';
import { detect } from '../../src/files/formats/detect.ts';
import { memory } from './read.ts';
import { zipOf } from './shapefiles.ts';
import { pvdOf, triangle, vtuOf } from './vtu/vtu-files.ts';

const formatOf = async (content: string | Uint8Array) =>
  (await detect(memory(typeof content === 'string' ? Buffer.from(content) : content)))?.format;

test('mesh files are recognised by their header and first node', async (t) => {
  for (const text of [
    '100079 1000 2057 UTM-33\n1 359862.97 6206313.7 -1.78 1 \n',
    '2057  UTM-33\n1 359862.97 6206313.7 -1.78 1 \n',
    '399 PROJCS["a b",GEOGCS["c"]]\r\n1\t2\t3\t-4e1\t0\r\n',
  ])
    t.is(await formatOf(text), 'mesh', text);
  t.is(await formatOf('2057 UTM-33\nhello\n'), undefined);
});

test('points are recognised by lines of three numbers, perhaps after a header and comments', async (t) => {
  for (const text of [
    '1 2 3\n4 5 6\n',
    'x,y,z\n1,2,3\n',
    '# a\nX;Y;Z;n\n1.5;-2;3e2;4\n',
    `1 2 3\n${'9 8 7\n'.repeat(3000)}`,
  ])
    t.is(await formatOf(text), 'xyz', text.slice(0, 40));
  for (const text of ['1 2\n3 4\n', '2024-01-01 12 3 4\n', 'a\nb\nc\nd\ne\nf\n1 2 3\n', '1 2 3\nthe end\n'])
    t.not(await formatOf(text), 'xyz', text);
});

test('VTK files are recognised by their type, collections in a zip by their names', async (t) => {
  t.is(await formatOf(vtuOf(triangle, { format: 'raw' })), 'vtu');
  t.is(await formatOf(vtuOf(triangle, { front: '<?xml version="1.0"?>\n<!-- made -->\n' })), 'vtu');
  t.is(await formatOf(zipOf([{ name: 'a.pvd', bytes: pvdOf([]) }])), 'vtu');
  t.like(await detect(memory(pvdOf([]))), { name: 'a VTK collection (put the .pvd into a zip with its parts)' });
  t.like(await detect(memory(Buffer.from('<VTKFile type="PolyData">'))), { name: 'a VTK file of type PolyData' });
});
