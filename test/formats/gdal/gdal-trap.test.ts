import test from 'ava';
import { gdal, guarded } from '../../../src/files/geo/wasm.ts';
import { read } from '../read.ts';

const gpx =
  '<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="1" lon="2"/></gpx>';

// Own thread: a trap ends the GDAL of all that its thread reads.
test('after a trap in GDAL the next file gets another module', async (t) => {
  const module = await gdal();
  const trap = Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
  const message = 'GDAL in WebAssembly failed, most likely because it ran out of memory.';
  const fail = () =>
    guarded(module, () => {
      throw trap;
    });
  t.throws(fail, { message });
  t.throws(() => guarded(module, () => 1), { message });
  t.not(await gdal(), module);
  t.is((await read(t, 'features', 'GpxReader', gpx)).data.name, 'waypoints');
});
