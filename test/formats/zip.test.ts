import { join } from 'node:path';
import test from 'ava';
import { pooledBytes } from '../../src/files/data/buffer-pool.ts';
import { FormatError } from '../../src/files/errors.ts';
import { FileSink } from '../../src/files/formats/io/bytes.ts';
import { ZipWriter } from '../../src/files/formats/io/zip-writer.ts';
import { asJson, toJson, toShape } from './features.ts';
import { converted } from './files.ts';
import { layerFiles, zipOf } from './shapefiles.ts';
import { folderOf } from './transformed.ts';

const three = { features: 3 };
const count = (json: { features: unknown[] }) => ({ features: json.features.length });

test('stored, deflated and streamed entries, 64-bit sizes and bytes in front of a zip are read', async (t) => {
  const files = layerFiles('a');
  for (const zip of [
    zipOf(files),
    zipOf(files.map((file) => ({ ...file, stored: true }))),
    zipOf(files.map((file) => ({ ...file, streamed: true }))),
    zipOf(files, { wide: true }),
    zipOf(files, { front: 500 }),
    zipOf(files, { wide: true, front: 500 }),
  ])
    t.deepEqual(count((await asJson(t, zip)).json), three);
});

test('names that are absolute, leave the folder, or contain a zero byte end the conversion', async (t) => {
  for (const [name, why] of [
    ['../a', "leaves its folder with '..'"],
    ['x/../../a', "leaves its folder with '..'"],
    ['/etc/a', 'is absolute'],
    ['C:/a', 'is absolute'],
    ['c:a', 'is absolute'],
    ['..\\a', "leaves its folder with '..'"],
    ['x\\..\\..\\a', "leaves its folder with '..'"],
    ['\\etc\\a', 'is absolute'],
    ['C:\\a', 'is absolute'],
    ['x\0a', 'contains a zero byte'],
  ] as const) {
    const error = await t.throwsAsync(asJson(t, zipOf(layerFiles(name))), { instanceOf: FormatError }, name);
    t.true(error!.message.includes(why), error!.message);
    t.regex(error!.message, /at byte \d+/);
  }
});

test('names may have backslashes, as Windows PowerShell writes them, and entries of folders', async (t) => {
  const folder = { name: 'd\\', bytes: Buffer.alloc(0) };
  const { json, recordsRead } = await asJson(t, zipOf([folder, ...layerFiles('d\\e\\a')]));
  t.deepEqual([json.name, recordsRead], ['a', 3]);
  const read = async (Layer: string) => {
    const zip = zipOf([...layerFiles('d\\a'), ...layerFiles('e/a')]);
    return (await asJson(t, zip, { readerParameters: { Layer } })).recordsRead;
  };
  t.is(await read('d/a'), 3);
});

test('a name without the flag UTF-8 is UTF-8 if it is valid, else in code page 437', async (t) => {
  const named = async (label: Buffer, flags: number) => {
    const files = layerFiles('x').map((file) => ({
      ...file,
      label: Buffer.concat([label, Buffer.from(file.name.slice(1))]),
      says: { flags },
    }));
    return (await asJson(t, zipOf(files))).json.name;
  };
  t.is(await named(Buffer.of(0x81, 0x62, 0x65, 0x72), 0), 'über');
  t.is(await named(Buffer.from('über'), 0), 'über');
  t.is(await named(Buffer.from('über'), 0x800), 'über');
});

test('bytes after the end of a zip are ignored', async (t) => {
  for (const zip of [zipOf(layerFiles('a')), zipOf(layerFiles('a'), { wide: true })])
    for (const tail of [
      Buffer.alloc(1),
      Buffer.from('PK\x05\x06, the end'),
      Buffer.alloc(70_000, 'x'),
      Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(100_000)]),
    ])
      t.is((await asJson(t, Buffer.concat([zip, tail]))).recordsRead, 3, String(tail.length));
  const far = Buffer.concat([zipOf(layerFiles('a')), Buffer.alloc(17 << 20)]);
  await t.throwsAsync(asJson(t, far), { message: /^The file is not a zip, or its end is missing/ });
});

test('a duplicate name in a zip ends the conversion', async (t) => {
  const files = layerFiles('a');
  await t.throwsAsync(asJson(t, zipOf([...files, files[0]!])), { message: /^The zip has 'a\.shp' twice\. / });
});

test('overlapping entries end the conversion', async (t) => {
  const files = layerFiles('a').map((file) => ({ ...file, says: { offset: 0 } }));
  await t.throwsAsync(asJson(t, zipOf(files)), { message: /overlaps the next entry/ });
});

test('wrong checksums, wrong sizes and broken deflate streams end the conversion', async (t) => {
  const [shp, ...others] = layerFiles('a');
  await t.throwsAsync(asJson(t, zipOf([{ ...shp!, says: { crc: 1 } }, ...others])), {
    message: /^The checksum of 'a\.shp' in the zip is wrong/,
  });
  for (const size of [shp!.bytes.length - 1, shp!.bytes.length + 1])
    await t.throwsAsync(asJson(t, zipOf([{ ...shp!, says: { size } }, ...others])), {
      message: new RegExp(`^'a\\.shp' unpacks to \\d+ bytes, but the zip's directory declares ${size}`),
    });
  await t.throwsAsync(asJson(t, zipOf([{ ...shp!, stored: true, says: { method: 8 } }, ...others])), {
    message: /^'a\.shp' in the zip cannot be inflated/,
  });
});

test('encrypted entries and unsupported compression methods are refused', async (t) => {
  const [shp, ...others] = layerFiles('a');
  await t.throwsAsync(asJson(t, zipOf([{ ...shp!, says: { flags: 1 } }, ...others])), { message: /is encrypted/ });
  await t.throwsAsync(asJson(t, zipOf([{ ...shp!, says: { method: 12 } }, ...others])), {
    message: /compression method 12/,
  });
});

test('a zip bomb is refused, by its declared sizes or while it unpacks', async (t) => {
  const [shp, ...others] = layerFiles('a');
  const bomb = { ...shp!, bytes: Buffer.alloc(120_000_000) };
  await t.throwsAsync(asJson(t, zipOf([bomb, ...others])), {
    message: /more than 200 times its size, like a zip bomb/,
  });
  await t.throwsAsync(asJson(t, zipOf([{ ...bomb, says: { size: 1000 } }, ...others])), {
    message: /unpacks to \d+ bytes/,
  });
  await t.throwsAsync(asJson(t, zipOf([{ ...shp!, says: { size: 2 ** 49 } }, ...others], { wide: true })), {
    message: /like a zip bomb|bytes free/,
  });
});

test('a file that is not a zip, or a truncated one, ends the conversion', async (t) => {
  const zip = zipOf(layerFiles('a'));
  await t.throwsAsync(asJson(t, Buffer.alloc(0)), { message: /^The file is empty/ });
  for (const bytes of [Buffer.from('hello'), zip.subarray(0, zip.length - 30)])
    await t.throwsAsync(asJson(t, bytes), { message: /^The file is not a zip, or its end is missing/ });
});

test('nested folders and zips are searched to a maximum depth', async (t) => {
  const inner = zipOf(layerFiles('deep/er/a'));
  const { json } = await asJson(
    t,
    zipOf([
      { name: 'x/inner.ZIP', bytes: inner },
      { name: '__MACOSX/._a.shp', bytes: Buffer.from('x') },
    ]),
  );
  t.deepEqual([json.name, json.features.length], ['a', 3]);
  let nested = inner;
  for (let n = 0; n < 5; n++) nested = zipOf([{ name: 'n.zip', bytes: nested }]);
  await t.throwsAsync(asJson(t, nested), { message: /zips nested more than 3 deep/ });
});

test('several layers end the conversion with their names, unless Layer names one by name or path', async (t) => {
  const zip = zipOf([...layerFiles('a'), ...layerFiles('b/rivers', { shapes: [[[[1, 2]]]] }), ...layerFiles('c/a')]);
  await t.throwsAsync(asJson(t, zip), { message: 'The zip has 3 layers. Choose one with Layer: a, b/rivers, c/a.' });
  const read = async (Layer: string) => (await asJson(t, zip, { readerParameters: { Layer } })).json.features.length;
  t.is(await read('RIVERS'), 1);
  t.is(await read('b/rivers.shp'), 1);
  t.is(await read('c/a'), 3);
  await t.throwsAsync(read('lakes'), { message: "The zip has no layer 'lakes'. Layers: a, b/rivers, c/a." });
  await t.throwsAsync(asJson(t, zipOf([{ name: 'readme.txt', bytes: Buffer.from('x') }])), {
    message: 'The zip contains no shapefile (.shp).',
  });
});

test('the same features give the same bytes of a zip, which can be read back', async (t) => {
  const text = await converted(t, zipOf(layerFiles('a')), toJson);
  const [one, two] = [await converted(t, text.bytes, toShape), await converted(t, text.bytes, toShape)];
  t.deepEqual(one.bytes, two.bytes);
  t.deepEqual(count((await asJson(t, one.bytes)).json), three);
});

test('stored pieces of a zip are not modified, so that entries can share them', async (t) => {
  const sink = await FileSink.create(join(await folderOf(t), 'out.zip'));
  t.teardown(() => sink.close());
  // As zlib gives it: a Buffer with memory of its own, large enough for the pool of buffers.
  const piece = Buffer.from(new ArrayBuffer(1 << 16)).fill(1);
  await new ZipWriter(sink).addStored('a', [piece], async (bytes) => bytes);
  await sink.flush();
  pooledBytes(piece.length).fill(2);
  t.true(piece.every((byte) => byte === 1));
});
