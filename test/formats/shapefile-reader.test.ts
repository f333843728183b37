import test from 'ava';
import { checkParameters } from '../../src/files/formats/parameters.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { asJson } from './features.ts';
import { layerFiles, shapefileOf, shpOf, zipOf } from './shapefiles.ts';

const ring = (x: number, y: number, r: number, clockwise = true) => {
  const points = [
    [x - r, y - r],
    [x - r, y + r],
    [x + r, y + r],
    [x + r, y - r],
    [x - r, y - r],
  ];
  return clockwise ? points : points.toReversed();
};

test('points, lines, polygons and multipoints are read, with heights and measures', async (t) => {
  const cases = [
    [1, [[[1, 2]]], 'Point', [1, 2]],
    [11, [[[1, 2, 3, 4]]], 'Point', [1, 2, 3]],
    [21, [[[1, 2, 4]]], 'Point', [1, 2]],
    [
      8,
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
      'MultiPoint',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      18,
      [
        [
          [1, 2, 9],
          [3, 4, 8],
        ],
      ],
      'MultiPoint',
      [
        [1, 2, 9],
        [3, 4, 8],
      ],
    ],
    [
      3,
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
      'LineString',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      13,
      [
        [
          [1, 2, 5, 6],
          [3, 4, 7, 8],
        ],
      ],
      'LineString',
      [
        [1, 2, 5],
        [3, 4, 7],
      ],
    ],
    [
      23,
      [
        [
          [1, 2],
          [3, 4],
        ],
        [
          [5, 6],
          [7, 8],
        ],
      ],
      'MultiLineString',
      [
        [
          [1, 2],
          [3, 4],
        ],
        [
          [5, 6],
          [7, 8],
        ],
      ],
    ],
    [5, [ring(0, 0, 1)], 'Polygon', [ring(0, 0, 1, false)]],
  ] as const;
  for (const [type, shape, kind, coordinates] of cases) {
    const { json, receipt } = await asJson(t, shapefileOf({ type, shapes: [shape as never] }));
    t.deepEqual(json.features[0]!.geometry, { type: kind, coordinates: coordinates as unknown }, String(type));
    const told = receipt.lost.some((sentence) => sentence.includes('measures (M)'));
    t.is(told, type > 20 || type === 11 || type === 13, String(type));
  }
});

test('holes are assigned to outer rings by containment, in any order', async (t) => {
  const [big, hole, island, other] = [ring(0, 0, 10), ring(0, 0, 5, false), ring(0, 0, 2), ring(50, 0, 4)];
  const otherHole = ring(50, 0, 1, false);
  for (const order of [
    [big, hole, island, other, otherHole],
    [otherHole, island, hole, other, big],
    [hole, otherHole, big, other, island],
  ]) {
    const { json } = await asJson(t, shapefileOf({ type: 5, shapes: [order] }));
    const { type, coordinates } = json.features[0]!.geometry!;
    t.is(type, 'MultiPolygon');
    const sizes = (coordinates as number[][][][]).map((polygon) => polygon.map((one) => one[0]![0]));
    const wanted = ['-10,-5', '-2', '46,49'];
    t.deepEqual(sizes.map(String).toSorted(), wanted);
  }
});

test('if all rings have the wrong orientation, nesting decides about outer rings and holes', async (t) => {
  const rings = [ring(0, 0, 10, false), ring(0, 0, 5, true), ring(50, 0, 4, false), ring(50, 0, 1, true)];
  const { json } = await asJson(t, shapefileOf({ type: 5, shapes: [rings] }));
  const { coordinates } = json.features[0]!.geometry!;
  t.deepEqual(
    (coordinates as number[][][][]).map((polygon) => polygon.length),
    [2, 2],
  );
});

test('each hole belongs to the smallest outer ring around it, in any order', async (t) => {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
  // stacks of up to five rings, outer and hole alternating, on a chessboard whose fields have a ring, too
  const rings: { x: number; y: number; r: number; clockwise: boolean; owner?: string }[] = [];
  for (let n = 0; n < 200; n++) {
    const [x, y] = [100 * (n % 20), 100 * Math.floor(n / 20)];
    const radii = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, k) => 45 - 8 * k - Math.floor(random() * 5));
    for (const [k, r] of radii.entries())
      rings.push({ x, y, r, clockwise: k % 2 === 0, ...(k % 2 === 0 ? {} : { owner: String([x, y, radii[k - 1]!]) }) });
  }
  const shape = rings
    .map((one) => ({ one, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ one }) => ring(one.x, one.y, one.r, one.clockwise));
  for (const shapes of [[shape], [shape.map((one) => one.toReversed())]]) {
    const { json } = await asJson(t, shapefileOf({ type: 5, shapes }));
    const polygons = json.features[0]!.geometry!.coordinates as number[][][][];
    const named = (points: number[][]) => {
      const [xs, ys] = [points.map(([x]) => x!), points.map(([, y]) => y!)];
      const [west, east] = [Math.min(...xs), Math.max(...xs)];
      return String([(west + east) / 2, (Math.min(...ys) + Math.max(...ys)) / 2, (east - west) / 2]);
    };
    const found = polygons.flatMap(([outer, ...holes]) => holes.map((hole) => `${named(hole)} in ${named(outer!)}`));
    const wanted = rings.flatMap(({ x, y, r, owner }) => (owner === undefined ? [] : [`${[x, y, r]} in ${owner}`]));
    t.deepEqual(found.toSorted(), wanted.toSorted());
    t.is(polygons.length, rings.length - wanted.length);
  }
});

test('100,000 rings, holes first, are assigned without comparing all pairs', async (t) => {
  const at = (n: number) => [10 * (n % 300), 10 * Math.floor(n / 300)] as const;
  const numbers = Array.from({ length: 50_000 }, (_, n) => n);
  const holes = numbers.map((n) => ring(...at(n), 1, false));
  const shapes = [[...holes, ...numbers.map((n) => ring(...at(n), 4))]];
  const { json } = await asJson(t, shapefileOf({ type: 5, shapes }));
  const polygons = json.features[0]!.geometry!.coordinates as number[][][][];
  t.is(polygons.length, 50_000);
  t.true(polygons.every((polygon) => polygon.length === 2));
});

test('lakes are assigned to a coast line of many vertices', async (t) => {
  const coast = Array.from({ length: 20_000 }, (_, n) => {
    const angle = (-2 * Math.PI * n) / 20_000;
    const radius = 1000 + 5 * Math.sin(n);
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  coast.push(coast[0]!);
  const places = Array.from(
    { length: 5000 },
    (_, n) => [-1400 + 40 * (n % 71), -1400 + 40 * Math.floor(n / 71)] as const,
  );
  const inside = places.filter(([x, y]) => Math.hypot(x, y) < 980);
  const islands = places.filter(([x, y]) => Math.hypot(x, y) > 1020);
  const shape = [
    ...islands.map(([x, y]) => ring(x, y, 3)),
    coast,
    ...inside.map(([x, y]) => ring(x, y, 3, false)),
    ...islands.map(([x, y]) => ring(x, y, 1, false)),
  ];
  const { json } = await asJson(t, shapefileOf({ type: 5, shapes: [shape] }));
  const polygons = json.features[0]!.geometry!.coordinates as number[][][][];
  t.deepEqual(
    polygons.map((polygon) => polygon.length),
    [...islands.map(() => 2), 1 + inside.length],
  );
});

test('rings that overlap too much for nesting are a bad record', async (t) => {
  const teeth = 40_000;
  const comb = Array.from({ length: teeth }, (_, n) => [
    [4 * n, 1000],
    [4 * n + 2, 1],
  ]).flat();
  comb.push([4 * teeth, 1000], [4 * teeth, 0], [0, 0], [0, 1000]);
  const holes = Array.from({ length: teeth }, (_, n) => ring(4 * n + 4, 1 + (n % 900), 0.2, false));
  const shapes = [[ring(-5000, 0, 1), comb, ...holes]];
  await t.throwsAsync(asJson(t, shapefileOf({ type: 5, shapes })), { message: /40002 rings that overlap/ });
});

test('a null shape is a feature without geometry', async (t) => {
  const { json, recordsRead } = await asJson(t, shapefileOf({ shapes: [[[[1, 2]]], null, [[[3, 4]]]] }));
  t.deepEqual(
    json.features.map(({ geometry }) => geometry?.coordinates ?? null),
    [[1, 2], null, [3, 4]],
  );
  t.is(recordsRead, 3);
});

test('MultiPatches and unknown shape types end with an error', async (t) => {
  await t.throwsAsync(asJson(t, shapefileOf({ type: 31 })), { message: /MultiPatches/ });
  await t.throwsAsync(asJson(t, shapefileOf({ type: 7 })), { message: /unknown shape type 7/ });
});

test('fields of all types are read; blanks, stars and zero dates are null', async (t) => {
  const i32 = Buffer.alloc(4);
  i32.writeInt32LE(-77);
  const f64 = Buffer.alloc(8);
  f64.writeDoubleLE(1.25e-7);
  const time = Buffer.alloc(8);
  time.writeInt32LE(2_460_437, 0);
  time.writeInt32LE(43_200_500, 4);
  const columns = [
    { name: 'text', type: 'C', width: 12 },
    { name: 'small', type: 'N', width: 9 },
    { name: 'large', type: 'N', width: 19 },
    { name: 'real', type: 'N', width: 12, decimals: 3 },
    { name: 'float', type: 'F', width: 20, decimals: 11 },
    { name: 'yes', type: 'L', width: 1 },
    { name: 'day', type: 'D', width: 8 },
    { name: 'i', type: 'I', width: 4 },
    { name: 'o', type: 'O', width: 8 },
    { name: 'b', type: 'B', width: 8 },
    { name: 'at', type: '@', width: 8 },
  ];
  const rows = [
    ['Fluß', '-12', '9223372036854775807', '1234.500', '1.5e+05', 'T', '20240229', i32, f64, f64, time],
    ['', '', '*******************', '', '', '?', '00000000', i32, f64, f64, Buffer.alloc(8)],
  ];
  const { bytes, json } = await asJson(
    t,
    shapefileOf({ shapes: [[[[1, 2]]], [[[1, 2]]]], columns, rows, cpg: 'UTF-8' }),
  );
  t.deepEqual(Object.values(json.features[1]!.properties), [
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    -77,
    1.25e-7,
    1.25e-7,
    null,
  ]);
  const { large, ...others } = json.features[0]!.properties;
  t.is(typeof large, 'number');
  t.true(bytes.toString().includes('"large":9223372036854775807,'));
  t.deepEqual(others, {
    text: 'Fluß',
    small: -12,
    real: 1234.5,
    float: 150000,
    yes: true,
    day: '2024-02-29',
    i: -77,
    o: 1.25e-7,
    b: 1.25e-7,
    at: '2024-05-06T12:00:00.500',
  });
});

test('an invalid value becomes null and is reported; a memo field is left out and reported', async (t) => {
  const columns = [
    { name: 'nr', type: 'N', width: 5 },
    { name: 'day', type: 'D', width: 8 },
    { name: 'memo', type: 'M', width: 10 },
  ];
  const { json, receipt } = await asJson(
    t,
    shapefileOf({ shapes: [[[[1, 2]]]], columns, rows: [['12x', '20241345', '1']] }),
  );
  t.deepEqual(json.features[0]!.properties, { nr: null, day: null });
  t.true(receipt.lost.some((sentence) => sentence.includes("'nr'") && sentence.includes("'12x'")));
  t.true(receipt.lost.some((sentence) => sentence.includes("'day'")));
  t.true(receipt.lost.some((sentence) => sentence.startsWith("The field 'memo' of type 'M' was left out")));
});

test('records marked as deleted are skipped', async (t) => {
  const { json, log } = await asJson(t, shapefileOf({ rows: [['1'], null, ['3']] }));
  t.deepEqual(
    json.features.map(({ properties }) => properties.nr),
    [1, 3],
  );
  t.true(log.some(({ message }) => message === '1 records marked as deleted were left out.'));
});

test('the encoding is that of the .cpg file, else of the language byte, else UTF-8 if valid, else cp1252', async (t) => {
  const read = async (name: Buffer | string, cell: Buffer | string, more: object) => {
    const columns = [{ name, type: 'C', width: 10 }];
    const { json } = await asJson(t, shapefileOf({ shapes: [[[[1, 2]]]], columns, rows: [[cell]], ...more }));
    return Object.entries(json.features[0]!.properties)[0];
  };
  const umlaut = Buffer.from([0xfc]);
  t.deepEqual(await read('ü', 'größe', { cpg: 'UTF-8', language: 0x57 }), ['ü', 'größe']);
  t.deepEqual(await read(umlaut, umlaut, { cpg: '1252' }), ['ü', 'ü']);
  t.deepEqual(await read('a', umlaut, { cpg: 'ISO-8859-7' }), ['a', 'ό']);
  t.deepEqual(await read('a', Buffer.from([0x81]), { cpg: '850' }), ['a', 'ü']);
  t.deepEqual(await read('a', Buffer.from([0x81]), { language: 0x02 }), ['a', 'ü']);
  t.deepEqual(await read('a', Buffer.from([0xfc]), { language: 0xc9 }), ['a', 'ь']);
  t.deepEqual(await read('a', Buffer.from([0x93, 0xfa]), { language: 0x13 }), ['a', '日']);
  t.deepEqual(await read('ü', 'größe', {}), ['ü', 'größe']);
  t.deepEqual(await read(umlaut, umlaut, {}), ['ü', 'ü']);
});

test('without an index, or with a broken one, records are read sequentially', async (t) => {
  const { json, log } = await asJson(t, shapefileOf({ noShx: true }));
  t.is(json.features.length, 3);
  t.true(log.some(({ message }) => message.startsWith('There is no .shx file')));
  const files = layerFiles('a').map((file) => (file.name === 'a.shx' ? { ...file, bytes: Buffer.alloc(77) } : file));
  t.is((await asJson(t, zipOf(files))).json.features.length, 3);
});

test('a .cpg file without a known encoding is ignored, and the receipt names the encoding used', async (t) => {
  const columns = [{ name: 'name', type: 'C', width: 20 }];
  const read = async (cell: Buffer | string, more: object, asked = {}) => {
    const { json, receipt } = await asJson(
      t,
      shapefileOf({ shapes: [[[[1, 2]]]], columns, rows: [[cell]], ...more }),
      asked,
    );
    return [json.features[0]!.properties.name, ...receipt.remarks];
  };
  const ansi = Buffer.from('Ærø', 'latin1');
  const says = (word: string, name: string) =>
    `The .cpg file names '${word}', which is not the name of an encoding; text was read as ${name}.`;
  t.deepEqual(await read(ansi, { cpg: 'System' }), ['Ærø', says('System', 'windows-1252')]);
  t.deepEqual(await read('Ærø', { cpg: 'System' }), ['Ærø', says('System', 'utf-8')]);
  t.deepEqual(await read(Buffer.of(0x81), { cpg: 'System', language: 2 }), ['ü', says('System', 'IBM850')]);
  t.deepEqual(await read(ansi, { cpg: '\r\n' }), ['Ærø', 'The .cpg file is empty; text was read as windows-1252.']);
  t.deepEqual(await read(ansi, { cpg: 'LDID/87' }), ['Ærø', says('LDID/87', 'windows-1252')]);
  t.deepEqual(await read(Buffer.of(0x81), { cpg: 'LDID/2' }), ['ü', says('LDID/2', 'IBM850')]);
  t.deepEqual(await read(Buffer.of(0xa4, 0xe9), { cpg: 'big-5' }), ['日', says('big-5', 'big5')]);
  t.deepEqual(await read('日', { cpg: 'big-5' }), ['日', says('big-5', 'utf-8')]);
  t.deepEqual(await read(ansi, {}), [
    'Ærø',
    'The shapefile does not name the encoding of its text; it was read as windows-1252.',
  ]);
  t.deepEqual(await read('a', {}), ['a']);
  t.deepEqual(await read(ansi, { cpg: 'ISO-8859-1' }), ['Ærø']);
});

test('Encoding wins over the .cpg file and the language byte, and must be one', async (t) => {
  const columns = [{ name: 'name', type: 'C', width: 20 }];
  const read = async (Encoding: string, cell: Buffer) => {
    const file = shapefileOf({ shapes: [[[[1, 2]]]], columns, rows: [[cell]], cpg: 'UTF-8', language: 0x57 });
    const { json, receipt } = await asJson(t, file, { readerParameters: { Encoding } });
    return [json.features[0]!.properties.name, ...receipt.remarks, ...receipt.lost];
  };
  t.deepEqual(await read('cp1251', Buffer.of(0xc0)), ['А']);
  t.deepEqual(await read('IBM437', Buffer.of(0x81)), ['ü']);
  t.deepEqual(await read('ibm850', Buffer.of(0x81)), ['ü']);
  t.deepEqual(await read('Latin1', Buffer.of(0xfc)), ['ü']);
  const [text, lost] = await read('utf-8', Buffer.from('a\xfc', 'latin1'));
  t.is(text, 'a\ufffd');
  t.regex(String(lost), /^Bytes of the field 'name' that are no text in its encoding/);
  const { errors } = checkParameters(findReader('ShapefileReader')!, [{ name: 'Encoding', value: 'KLINGON' }]);
  t.regex(errors[0]?.sentence ?? '', /'KLINGON'.*not the name of an encoding/);
});

test('an index with missing or wrong records loses no record of the .shp file', async (t) => {
  const shapes = [[[[1, 1]]], [[[2, 2]]], [[[3, 3]]]];
  const { shp, shx } = shpOf(1, shapes);
  const swapped = Buffer.from(shx);
  swapped.writeInt32BE(7, 108);
  const twice = Buffer.from(shx);
  shx.copy(twice, 108, 100, 108);
  const long = Buffer.concat([shx, shx.subarray(100, 108)]);
  const first = shx.subarray(0, 108);
  for (const [index, remark] of [
    [first, 'The .shx file lists 1 records and the .shp file has 3'],
    [shx.subarray(0, 100), 'The .shx file lists 0 records and the .shp file has 3'],
    [long, 'The .shx file lists 4 records and the .shp file has 3'],
    [swapped, 'The .shx file does not fit the .shp file'],
    [twice, 'The .shx file does not fit the .shp file'],
  ] as const) {
    const files = layerFiles('a', { shapes }).map((one) => (one.name === 'a.shx' ? { ...one, bytes: index } : one));
    const { json, receipt } = await asJson(t, zipOf(files));
    t.deepEqual(
      json.features.map(({ geometry, properties }) => [geometry!.coordinates, properties.nr]),
      [
        [[1, 1], 1],
        [[2, 2], 2],
        [[3, 3], 3],
      ] as unknown[],
      remark,
    );
    t.deepEqual(receipt.remarks, [`${remark}, so records are read in the order of the .shp file.`]);
  }
  shp.writeInt32BE(shp.length / 2 - 14, 24);
  const cut = await asJson(t, zipOf([{ name: 'a.shp', bytes: shp }]));
  t.is(cut.json.features.length, 3, 'a declared size that is too small');
});

test('records that an editor has replaced are skipped, and the receipt says so', async (t) => {
  const { shp, shx } = shpOf(1, [[[[1, 1]]], [[[9, 9]]], [[[2, 2]]]]);
  shp.writeInt32BE(1, 128);
  shp.writeInt32BE(2, 156);
  shx.copy(shx, 108, 116, 124);
  const files = layerFiles('a', { shapes: [[[[0, 0]]], [[[0, 0]]]] });
  const zip = zipOf([{ name: 'a.shp', bytes: shp }, { name: 'a.shx', bytes: shx.subarray(0, 116) }, files[2]!]);
  const { json, receipt } = await asJson(t, zip);
  t.deepEqual(
    json.features.map(({ geometry }) => geometry!.coordinates),
    [
      [1, 1],
      [2, 2],
    ] as unknown[],
  );
  t.regex(receipt.lost[0] ?? '', /^1 records of the .shp file are not in the .shx file/);
});

test('a missing record is an error, not the end of the file', async (t) => {
  const { shp, shx } = shpOf(1, [[[[1, 1]]], [[[2, 2]]], [[[3, 3]]]]);
  const zip = zipOf([
    { name: 'a.shp', bytes: shp.subarray(0, 100 + 56) },
    { name: 'a.shx', bytes: shx },
  ]);
  await t.throwsAsync(asJson(t, zip), { message: /^Record 3 is missing/ });
});

test('a .dbf file with fewer or more rows than it declares is read as it is', async (t) => {
  const shapes = [[[[1, 1]]], [[[2, 2]]], [[[3, 3]]]];
  const declaring = (count: number) =>
    zipOf(
      layerFiles('a', { shapes }).map((file) => {
        if (file.name !== 'a.dbf') return file;
        const bytes = Buffer.from(file.bytes);
        bytes.writeUInt32LE(count, 4);
        return { ...file, bytes };
      }),
    );
  for (const [count, remark] of [
    [4_000_000_000, 'The .dbf file declares 4000000000 rows; it has 3.'],
    [1, 'The .dbf file declares 1 rows; it has 3, which were read.'],
  ] as const) {
    const { json, receipt } = await asJson(t, declaring(count));
    t.deepEqual(
      json.features.map(({ properties }) => properties.nr),
      [1, 2, 3],
    );
    t.deepEqual([receipt.remarks, receipt.lost], [[remark], []]);
  }
});

test('dates that are not in the calendar become null and are reported', async (t) => {
  const columns = [{ name: 'day', type: 'D', width: 8 }];
  const rows = [['20240229'], ['20230229'], ['19000229'], ['20230431'], ['20231231']];
  const { json, receipt } = await asJson(t, shapefileOf({ shapes: rows.map(() => [[[1, 2]]]), columns, rows }));
  t.deepEqual(
    json.features.map(({ properties }) => properties.day),
    ['2024-02-29', null, null, null, '2023-12-31'],
  );
  t.deepEqual(receipt.lost, ["Values of the field 'day' that do not match its type, such as '20230229', became null."]);
});

test('coordinates at the limit of a double stay numbers in JSON, in all dimensions and systems', async (t) => {
  const most = Number.MAX_VALUE;
  for (const prj of ['', undefined]) {
    const shapes = [[[[most, -most, most, 1]]], [[[-most, most, -most, 1]]]];
    const { json } = await asJson(t, shapefileOf({ type: 11, shapes, ...(prj === undefined ? {} : { prj }) }));
    t.deepEqual(
      json.features.map(({ geometry }) => geometry!.coordinates),
      [
        [most, -most, most],
        [-most, most, -most],
      ],
    );
  }
  for (const wrong of [Infinity, -Infinity, Number.NaN]) {
    const skipped = await asJson(t, shapefileOf({ shapes: [[[[wrong, 1]]]] }), { onBadRecord: 'skip' });
    t.is(skipped.recordsSkipped, 1, String(wrong));
  }
});

test('a line of one vertex is a bad record; a part of one vertex is omitted and reported', async (t) => {
  const line = [
    [1, 2],
    [3, 4],
  ];
  const shapes = [[line], [[[5, 6]]], [[[7, 8]], line, [[9, 9]]]];
  await t.throwsAsync(asJson(t, shapefileOf({ type: 3, shapes })), { message: /^A line has one vertex\./ });
  const { json, receipt, recordsSkipped } = await asJson(t, shapefileOf({ type: 3, shapes }), { onBadRecord: 'skip' });
  t.is(recordsSkipped, 1);
  t.deepEqual(
    json.features.map(({ geometry }) => geometry),
    [
      { type: 'LineString', coordinates: line },
      { type: 'LineString', coordinates: line },
    ],
  );
  t.deepEqual(receipt.remarks, ['A part of a line that has one vertex was left out.']);
});

test('with an index, records may be in any order', async (t) => {
  const files = layerFiles('a').map((file) => {
    if (file.name !== 'a.shx') return file;
    const bytes = Buffer.from(file.bytes);
    const [first, last] = [Buffer.from(bytes.subarray(100, 108)), Buffer.from(bytes.subarray(116, 124))];
    last.copy(bytes, 100);
    first.copy(bytes, 116);
    return { ...file, bytes };
  });
  const { json } = await asJson(t, zipOf(files));
  t.deepEqual(
    json.features.map(({ geometry }) => geometry!.coordinates),
    [
      [12, 52],
      [11, 51],
      [10, 50],
    ],
  );
  t.deepEqual(
    json.features.map(({ properties }) => properties.nr),
    [1, 2, 3],
  );
});

test('without .dbf there are no fields; shapes without rows have null fields, and the receipt reports it', async (t) => {
  const bare = await asJson(t, zipOf(layerFiles('a').filter(({ name }) => name !== 'a.dbf')));
  t.deepEqual(
    bare.json.features.map(({ properties }) => properties),
    [{}, {}, {}],
  );
  const { json, receipt } = await asJson(t, shapefileOf({ rows: [['1']] }));
  t.deepEqual(
    json.features.map(({ properties }) => properties.nr),
    [1, null, null],
  );
  t.true(receipt.lost.includes('2 shapes have no row in the .dbf file; their fields are null.'));
});

test('the coordinate system comes from SRID or the .prj file; without both, the receipt says so', async (t) => {
  const prj =
    'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';
  const known = await asJson(t, shapefileOf({ prj }));
  t.is(known.receipt.crs?.from, 'EPSG:25832');
  t.deepEqual(known.json.crs, { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25832' } });
  t.true(known.receipt.lost.some((sentence) => sentence.includes('named by a crs member')));
  const given = await asJson(t, shapefileOf({ prj }), { readerParameters: { SRID: 3857 } });
  t.is(given.receipt.crs?.from, 'EPSG:3857');
  const none = await asJson(t, shapefileOf({ prj: '' }));
  t.is(none.receipt.crs?.from, undefined);
  t.true(none.receipt.lost.some((sentence) => sentence.startsWith('The coordinate system is not known')));
});

test('a broken record ends the conversion with its offset, or is skipped and listed', async (t) => {
  const { shp, shx } = shpOf(3, [
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      [
        [5, 6],
        [7, 8],
      ],
    ],
  ]);
  shp.writeInt32LE(1000, 100 + 88 + 8 + 40);
  const zip = zipOf([
    { name: 'a.shp', bytes: shp },
    { name: 'a.shx', bytes: shx },
  ]);
  await t.throwsAsync(asJson(t, zip), {
    message: /^A shape with 1 parts and 1000 points takes \d+ bytes\. Its record has 80\. \(at byte 188\)$/,
  });
  const skipped = await asJson(t, zip, { onBadRecord: 'skip' });
  t.deepEqual([skipped.json.features.length, skipped.recordsSkipped, skipped.recordsWritten], [2, 1, 2]);
  t.is(skipped.badRecords?.features.length, 1);
  t.is(skipped.badRecords?.features[0]?.properties.record, 2);
  t.true(
    skipped.receipt.lost.some((sentence) =>
      sentence.startsWith('1 records were skipped; the first: A shape with 1 parts'),
    ),
  );
});
