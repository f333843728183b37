import test from 'ava';
import type { Feature, FeatureCollection } from '../../../src/files/data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { converted } from '../files.ts';
import { outcome } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { zipOf } from '../shapefiles.ts';
import { folderOf } from '../transformed.ts';

async function featuresOf({ chunks }: FeatureCollection): Promise<Feature[]> {
  const all: Feature[] = [];
  for await (const chunk of chunks()) all.push(...chunk);
  return all;
}
const namesOf = ({ fields }: FeatureCollection) => fields.map(({ name, type }) => `${name} ${type}`);

const gpx = (content: string) =>
  `<?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">${content}</gpx>`;
const waypoint =
  '<wpt lat="52.5" lon="13.25"><ele>34.5</ele><time>2024-02-29T12:00:00Z</time><name>Pegel ü</name></wpt>';
const track = '<trk><name>walk</name><trkseg><trkpt lat="1" lon="2"/><trkpt lat="3" lon="4"/></trkseg></trk>';

test('waypoints of GPX are points with their fields; of several layers one must be chosen', async (t) => {
  t.like(await detect(memory(Buffer.from(gpx(waypoint)))), { format: 'gpx' });
  const { data } = await read(t, 'features', 'GpxReader', gpx(waypoint));
  t.like(data, { name: 'waypoints', crs: { code: 4326 } });
  const [feature] = await featuresOf(data);
  t.deepEqual(feature!.geometry, { type: 'Point', coordinates: Float64Array.of(13.25, 52.5) });
  const value = (name: string) => feature!.values[data.fields.findIndex((field) => field.name === name)];
  t.deepEqual([value('name'), value('ele'), value('sat')], ['Pegel ü', 34.5, null]);
  t.regex(String(value('time')), /^2024-02-29T12:00:00/);
  await t.throwsAsync(read(t, 'features', 'GpxReader', gpx(waypoint + track)), {
    instanceOf: ConversionError,
    code: 'SeveralLayers',
    message: 'The file has 2 layers. Choose one with Layer: waypoints, tracks.',
  });
  const walk = (await read(t, 'features', 'GpxReader', gpx(waypoint + track), { Layer: 'tracks' })).data;
  t.like((await featuresOf(walk))[0]!.geometry, { type: 'MultiLineString', coordinates: Float64Array.of(2, 1, 4, 3) });
});

test('tracks and routes of GPX have heights, and the receipt names what their points lose', async (t) => {
  const point = (kind: string, more: string) => `<${kind} lat="1" lon="2">${more}</${kind}>`;
  const text = gpx(
    `<rte><name>r</name>${point('rtept', '<ele>5</ele>')}${point('rtept', '<ele>6</ele>')}</rte><trk><trkseg>${point('trkpt', '<ele>7</ele><time>2024-02-29T12:00:00Z</time><hdop>1</hdop>')}${point('trkpt', '')}</trkseg></trk>`,
  );
  const tracks = await read(t, 'features', 'GpxReader', text, { Layer: 'Tracks' });
  t.true(tracks.data.hasZ);
  t.deepEqual((await featuresOf(tracks.data))[0]!.geometry!.coordinates, Float64Array.of(2, 1, 7, 2, 1, 0));
  t.deepEqual(tracks.lost, [
    '1 of 2 points of tracks have no height; it became 0.',
    'The points of tracks lost their elements time, hdop. The layer track_points has them.',
  ]);
  const routes = await read(t, 'features', 'GpxReader', text, { Layer: 'routes' });
  t.deepEqual((await featuresOf(routes.data))[0]!.geometry!.coordinates, Float64Array.of(2, 1, 5, 2, 1, 6));
  t.deepEqual(routes.lost, []);
  const points = (await read(t, 'features', 'GpxReader', text, { Layer: 'track_points' })).data;
  t.false(points.hasZ);
  const ele = points.fields.findIndex(({ name }) => name === 'ele');
  t.deepEqual(
    (await featuresOf(points)).map(({ values }) => values[ele]),
    [7, null],
  );
});

const member = (n: number) =>
  `<ogr:featureMember><ogr:well gml:id="well.${n}"><ogr:geom><gml:Point srsName="urn:ogc:def:crs:EPSG::25832"><gml:pos>${500_000 + n} 5800000</gml:pos></gml:Point></ogr:geom><ogr:depth>${n}.5</ogr:depth><ogr:code>w${n}</ogr:code></ogr:well></ogr:featureMember>`;
const gml = `<?xml version="1.0" encoding="utf-8"?><ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml/3.2">${member(1)}${member(2)}</ogr:FeatureCollection>`;

test('features of GML have their fields and their coordinate system', async (t) => {
  t.like(await detect(memory(Buffer.from(gml))), { format: 'gml' });
  const { data } = await read(t, 'features', 'GmlReader', gml);
  t.like(data, { name: 'well', hasZ: false, crs: { code: 25832 } });
  t.deepEqual(namesOf(data), ['gml_id string', 'depth real', 'code string']);
  t.deepEqual(await featuresOf(data), [
    { geometry: { type: 'Point', coordinates: Float64Array.of(500_001, 5_800_000) }, values: ['well.1', 1.5, 'w1'] },
    { geometry: { type: 'Point', coordinates: Float64Array.of(500_002, 5_800_000) }, values: ['well.2', 2.5, 'w2'] },
  ]);
  const { receipt } = await converted(t, gml, { reader: 'GmlReader', writer: 'GeoJsonWriter' });
  t.is(receipt.statistics.before?.kind, 'features');
});

const feature = (n: number, content: string) =>
  `<ogr:featureMember><ogr:well gml:id="w${n}">${content}</ogr:well></ogr:featureMember>`;
const gmlOf = (...contents: string[]) =>
  `<?xml version="1.0" encoding="utf-8"?><ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml/3.2">${contents.map((content, n) => feature(n, content)).join('')}</ogr:FeatureCollection>`;
const utm = 'srsName="urn:ogc:def:crs:EPSG::25832"';

test('geometries of several types in GML keep their heights', async (t) => {
  const { data, remarks } = await read(
    t,
    'features',
    'GmlReader',
    gmlOf(
      `<ogr:geom><gml:Point ${utm} srsDimension="3"><gml:pos>500001 5800000 7</gml:pos></gml:Point></ogr:geom>`,
      `<ogr:geom><gml:LineString ${utm} srsDimension="3"><gml:posList>500001 5800000 7 500002 5800001 8</gml:posList></gml:LineString></ogr:geom>`,
      `<ogr:geom><gml:Point ${utm}><gml:pos>500001 5800000</gml:pos></gml:Point></ogr:geom>`,
    ),
  );
  t.true(data.hasZ);
  t.deepEqual(
    (await featuresOf(data)).map(({ geometry }) => [...geometry!.coordinates]),
    [
      [500001, 5800000, 7],
      [500001, 5800000, 7, 500002, 5800001, 8],
      [500001, 5800000, 0],
    ],
  );
  t.deepEqual(remarks, ['All heights of a feature are 0, which GDAL also gives to features without heights.']);
});

test('repeated elements of GML are lists; of several geometries of a feature one is kept, and the receipt says so', async (t) => {
  const point = (x: number) => `<gml:Point ${utm}><gml:pos>${x} 5800000</gml:pos></gml:Point>`;
  const { data, lost, remarks } = await read(
    t,
    'features',
    'GmlReader',
    gmlOf(
      `<ogr:a>${point(1)}</ogr:a><ogr:b>${point(2)}</ogr:b><ogr:tag>x</ogr:tag><ogr:tag>y</ogr:tag><ogr:n>1</ogr:n><ogr:n>2</ogr:n>`,
      `<ogr:b>${point(3)}</ogr:b><ogr:tag>z</ogr:tag>`,
    ),
  );
  t.deepEqual(namesOf(data), ['gml_id string', 'tag json', 'n json']);
  const features = await featuresOf(data);
  t.deepEqual(
    features.map(({ values }) => values.slice(1).map((value) => value && JSON.parse(value as string))),
    [
      [
        ['x', 'y'],
        [1, 2],
      ],
      [['z'], null],
    ],
  );
  t.deepEqual(features[1]!.geometry!.coordinates, Float64Array.of(3, 5_800_000));
  t.deepEqual(lost, ['1 features have several geometries (a, b), of which one was kept.']);
  t.deepEqual(remarks, ['Repeated elements became lists in the fields tag, n.']);
});

const mif = `Version 300
Charset "WindowsLatin1"
Delimiter ","
CoordSys Earth Projection 1, 104
Columns 3
  name Char(20)
  depth Float
  dug Date
Data

Point 10.5 52.25
    Symbol (35,0,12)
Region 1
  4
0 0
10 0
10 10
0 0
    Pen (1,2,0)
`;
const mid = '"Br\xfccke",1.5,20240229\n"b",,\n';
const files = (name: string) => [
  { name: `${name}.mif`, bytes: Buffer.from(mif, 'latin1') },
  { name: `${name}.mid`, bytes: Buffer.from(mid, 'latin1') },
];

test('tables of MapInfo in a zip are read; of several one must be chosen', async (t) => {
  const bytes = zipOf([...files('maps/Wells'), { name: 'readme.txt', bytes: Buffer.from('x') }]);
  t.like(await detect(memory(bytes)), { format: 'mapinfo' });
  const { data, lost } = await read(t, 'features', 'MapInfoReader', bytes);
  t.is(data.name, 'Wells');
  t.deepEqual(
    namesOf(data).map((name) => name.split(' ')[0]),
    ['name', 'depth', 'dug'],
  );
  const [point, region] = await featuresOf(data);
  t.deepEqual(point!.geometry, { type: 'Point', coordinates: Float64Array.of(10.5, 52.25) });
  t.deepEqual(point!.values.slice(0, 2), ['Brücke', 1.5]);
  t.regex(String(point!.values[2]), /^2024-02-29/);
  t.like(region!.geometry, { type: 'Polygon' });
  t.deepEqual(lost, ['Symbols, pens and brushes of the table were left out.']);
  const two = zipOf([...files('a'), ...files('b')]);
  await t.throwsAsync(read(t, 'features', 'MapInfoReader', two), {
    code: 'SeveralLayers',
    message: /with Layer: a, b\.$/,
  });
  t.is((await read(t, 'features', 'MapInfoReader', two, { Layer: 'B' })).data.name, 'b');
  await t.throwsAsync(read(t, 'features', 'MapInfoReader', mif), {
    instanceOf: FormatError,
    message: /looks like a MapInfo interchange file/,
  });
});

const dxf = (entities: string) => `0\nSECTION\n2\nENTITIES\n${entities}0\nENDSEC\n0\nEOF\n`;
const dxfPoint = (z: number) => `0\nPOINT\n8\nwells\n10\n1.5\n20\n2.5\n30\n${z}\n`;
const dxfLine = '0\nLINE\n8\nrivers\n10\n0\n20\n0\n11\n3\n21\n4\n';

test('entities of DXF are features with their layer; heights are kept if one is not 0', async (t) => {
  t.like(await detect(memory(Buffer.from(dxf(dxfLine)))), { format: 'dxf' });
  const flat = (await read(t, 'features', 'DxfReader', dxf(dxfLine + dxfPoint(0)), { SRID: 25832 })).data;
  t.false(flat.hasZ);
  t.deepEqual(
    (await featuresOf(flat)).map(({ geometry, values }) => [geometry!.type, ...geometry!.coordinates, values[0]]),
    [
      ['LineString', 0, 0, 3, 4, 'rivers'],
      ['Point', 1.5, 2.5, 'wells'],
    ],
  );
  const { data, lost } = await read(t, 'features', 'DxfReader', dxf(dxfLine + dxfPoint(7)));
  t.deepEqual(
    (await featuresOf(data)).map(({ geometry }) => [...geometry!.coordinates]),
    [
      [0, 0, 0, 3, 4, 0],
      [1.5, 2.5, 7],
    ],
  );
  t.deepEqual(lost, ['Colours, line styles and fonts of the drawing were left out.']);
});

test('texts of DXF are UTF-8 since AutoCAD 2007, and before if they are valid as such', async (t) => {
  const header = (version: string) =>
    `0\nSECTION\n2\nHEADER\n9\n$ACADVER\n1\n${version}\n9\n$DWGCODEPAGE\n3\nANSI_1252\n0\nENDSEC\n`;
  const drawing = dxf(dxfPoint(0).replace('wells', 'Brønd Å'));
  const guessed = 'The texts of the drawing were read as UTF-8, although its header does not say so.';
  for (const [text, encoding, remarks] of [
    [header('AC1032') + drawing, 'utf8', []],
    [header('AC1021') + drawing, 'utf8', []],
    [header('AC1015') + drawing, 'latin1', []],
    [header('AC1015') + drawing, 'utf8', [guessed]],
    [drawing, 'utf8', [guessed]],
    [drawing, 'latin1', []],
  ] as const) {
    const found = await read(t, 'features', 'DxfReader', Buffer.from(text, encoding));
    t.deepEqual(found.remarks, remarks);
    const { data } = found;
    const layer = data.fields.findIndex(({ name }) => name === 'Layer');
    for await (const [one] of data.chunks()) t.is(one!.values[layer], 'Brønd Å');
  }
});

test('a coordinate of DXF that is not a number is refused with its line', async (t) => {
  for (const wrong of ['1,5', 'x', '', '1.#QNAN'])
    await t.throwsAsync(read(t, 'features', 'DxfReader', dxf(dxfPoint(7)).replace('2.5', wrong)), {
      instanceOf: FormatError,
      message: `Line 12 of the DXF has '${wrong}', which is not a number.`,
    });
  const header = '0\nSECTION\n2\nHEADER\n9\n$EXTMIN\n10\nx\n0\nENDSEC\n';
  const { data } = await read(t, 'features', 'DxfReader', header + dxf(dxfPoint(7)).replaceAll('\n', '\r\n'));
  t.deepEqual((await featuresOf(data))[0]!.geometry!.coordinates, Float64Array.of(1.5, 2.5, 7));
});

test('files that GDAL cannot read, and cut ones, end with a sentence', async (t) => {
  await t.throwsAsync(read(t, 'features', 'GmlReader', 'nothing'), {
    instanceOf: FormatError,
    message: /^GDAL cannot read the file/,
  });
  await t.throwsAsync(read(t, 'features', 'GpxReader', gml), {
    instanceOf: FormatError,
    message: /It looks like a GML file/,
  });
  const bomb = `<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n} "${`&a${n === 0 ? '' : n - 1};`.repeat(10)}">`).join('')}]>`;
  const scratch = await folderOf(t);
  t.is(
    await outcome(
      'GpxReader',
      Buffer.from(`<?xml version="1.0"?>${bomb}${gpx('<wpt lat="1" lon="1"><name>&a8;</name></wpt>').slice(21)}`),
      scratch,
    ),
    'refused',
  );
  for (const [reader, text] of [
    ['GpxReader', gpx(waypoint + track)],
    ['GmlReader', gml],
    ['DxfReader', dxf(dxfLine + dxfPoint(7))],
  ] as const)
    for (let cut = 1; cut < text.length; cut += 61) await outcome(reader, Buffer.from(text.slice(0, cut)), scratch);
});
