import test from 'ava';
import type { Feature, FeatureCollection } from '../../../src/files/data/feature-collection.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { mutate, outcome } from '../hostile.ts';
import { memory, read } from '../read.ts';
import { zipOf } from '../shapefiles.ts';

const kml = (content: string, head = '<?xml version="1.0" encoding="UTF-8"?>') =>
  `${head}\n<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>${content}</Document></kml>`;
const point = (text = '1,2') => `<Point><coordinates>${text}</coordinates></Point>`;
const placemark = (content: string) => `<Placemark>${content}</Placemark>`;

async function featuresOf({ chunks }: FeatureCollection): Promise<Feature[]> {
  const all: Feature[] = [];
  for await (const chunk of chunks()) all.push(...chunk);
  return all;
}
const geometryOf = async (t: Parameters<typeof read>[0], shape: string) => {
  const { data } = await read(t, 'features', 'KmlReader', kml(placemark(shape)));
  return { hasZ: data.hasZ, ...(await featuresOf(data))[0]!.geometry };
};

test('names, typed schema data and texts of ExtendedData become fields, in the same order for all features', async (t) => {
  const text = kml(`<name>Gauges</name>
    <Schema name="gauge" id="g"><SimpleField type="int" name="count"/><SimpleField type="float" name="level"><displayName>L</displayName></SimpleField>
      <SimpleField type="bool" name="open"/><SimpleField type="uint" name="big"/><SimpleField type="string" name="note"/></Schema>
    <Placemark id="a1"><name>Elbe &amp; Saale</name><description><![CDATA[<b>bold</b>]]></description>
      <ExtendedData><SchemaData schemaUrl="#g"><SimpleData name="count">7</SimpleData><SimpleData name="level"> 1.25 </SimpleData>
        <SimpleData name="open">true</SimpleData><SimpleData name="big">4294967295</SimpleData><SimpleData name="note"> x </SimpleData></SchemaData>
        <Data name="code"><displayName>C</displayName><value>007</value></Data></ExtendedData>${point('11.5,52.25')}</Placemark>
    <Placemark><ExtendedData><SchemaData schemaUrl="#g"><SimpleData name="level"/></SchemaData><Data name="name"><value>inner</value></Data></ExtendedData></Placemark>`);
  t.like(await detect(memory(Buffer.from(text))), { format: 'kml' });
  const { data, lost, remarks } = await read(t, 'features', 'KmlReader', text);
  t.like(data, { name: 'Gauges', count: 2, hasZ: false, crs: { authority: 'EPSG', code: 4326 } });
  t.deepEqual(data.fields, [
    { name: 'name', type: 'string' },
    { name: 'description', type: 'string' },
    { name: 'count', type: 'integer' },
    { name: 'level', type: 'real' },
    { name: 'open', type: 'boolean' },
    { name: 'big', type: 'integer64' },
    { name: 'note', type: 'string' },
    { name: 'code', type: 'string' },
    { name: 'name_2', type: 'string' },
  ]);
  t.deepEqual(await featuresOf(data), [
    {
      id: 'a1',
      geometry: { type: 'Point', coordinates: Float64Array.of(11.5, 52.25) },
      values: ['Elbe & Saale', '<b>bold</b>', 7, 1.25, true, 4294967295, ' x ', '007', null],
    },
    { values: [null, null, null, null, null, null, null, null, 'inner'] },
  ]);
  t.deepEqual([lost, remarks], [[], []]);
});

test('geometries of all kinds, with heights and holes, are read', async (t) => {
  const ring = (text: string) => `<LinearRing><coordinates>${text}</coordinates></LinearRing>`;
  const outer = `<outerBoundaryIs>${ring('0,0 9,0 9,9 0,0')}</outerBoundaryIs>`;
  const inner = `<innerBoundaryIs>${ring('1,1 2,1 2,2 1,1')}</innerBoundaryIs>`;
  const rings = {
    coordinates: Float64Array.of(0, 0, 9, 0, 9, 9, 0, 0, 1, 1, 2, 1, 2, 2, 1, 1),
    parts: Uint32Array.of(0, 4),
  };
  const line = '<LineString><coordinates>\n 1,2,3\n\t4,5 </coordinates></LineString>';
  t.deepEqual(await geometryOf(t, line), {
    hasZ: true,
    type: 'LineString',
    coordinates: Float64Array.of(1, 2, 3, 4, 5, Number.NaN),
  });
  t.like(await geometryOf(t, ring('0,0 1,0 1,1 0,0')), { type: 'LineString' });
  t.deepEqual(await geometryOf(t, `<Polygon>${inner}${outer}</Polygon>`), { hasZ: false, type: 'Polygon', ...rings });
  const several = (content: string) => `<MultiGeometry>${content}</MultiGeometry>`;
  t.deepEqual(
    await geometryOf(t, several(`<Polygon>${outer}${inner}</Polygon>${several(`<Polygon>${outer}</Polygon>`)}`)),
    {
      hasZ: false,
      type: 'MultiPolygon',
      coordinates: Float64Array.of(...rings.coordinates, 0, 0, 9, 0, 9, 9, 0, 0),
      parts: Uint32Array.of(0, 4, 8),
      polygons: Uint32Array.of(0, 2),
    },
  );
  t.deepEqual(await geometryOf(t, several(point() + point('3,4'))), {
    hasZ: false,
    type: 'MultiPoint',
    coordinates: Float64Array.of(1, 2, 3, 4),
  });
  t.like(
    await geometryOf(t, several(point() + several(`<LineString><coordinates>1,2 3,4</coordinates></LineString>`))),
    {
      type: 'GeometryCollection',
      members: [{ type: 'Point' }, { type: 'LineString' }],
    },
  );
  const track = '<gx:Track><when>2020-01-01</when><gx:coord>1 2 3</gx:coord><gx:coord>4 5 6</gx:coord></gx:Track>';
  t.like(await geometryOf(t, track), { type: 'LineString', coordinates: Float64Array.of(1, 2, 3, 4, 5, 6) });
  t.like(await geometryOf(t, `<gx:MultiTrack>${track}${track}</gx:MultiTrack>`), {
    type: 'MultiLineString',
    parts: Uint32Array.of(0, 2),
  });
});

test('blanks beside commas and a comma behind the latitude are read', async (t) => {
  t.deepEqual((await geometryOf(t, point(' 1 , 2,\n '))).coordinates, Float64Array.of(1, 2));
  const line = '<LineString><coordinates>1, 2, 3 4 ,5 ,6</coordinates></LineString>';
  t.deepEqual((await geometryOf(t, line)).coordinates, Float64Array.of(1, 2, 3, 4, 5, 6));
});

test('folders are layers, one of which must be chosen', async (t) => {
  const folder = (name: string, content: string) => `<Folder><name>${name}</name>${content}</Folder>`;
  const text = kml(
    folder('A', placemark('<name>1</name>') + folder('B', placemark('<name>2</name>'))) +
      folder('C', folder('B', placemark('<name>3</name>'))),
  );
  await t.throwsAsync(read(t, 'features', 'KmlReader', text), {
    instanceOf: ConversionError,
    code: 'SeveralLayers',
    message: 'The file has 3 layers. Choose one with Layer: A, A/B, C/B.',
  });
  const { data } = await read(t, 'features', 'KmlReader', text, { Layer: 'c/b' });
  t.deepEqual(
    (await featuresOf(data)).map(({ values }) => values),
    [['3']],
  );
  t.is(data.name, 'B');
  await t.throwsAsync(read(t, 'features', 'KmlReader', text, { Layer: 'B' }), { message: /has 2 layers 'B'/ });
  await t.throwsAsync(read(t, 'features', 'KmlReader', text, { Layer: 'D' }), {
    message: /has no layer 'D'\. Its layers: A, A\/B, C\/B/,
  });
});

test('styles, time spans and network links are left out, and the receipt says so', async (t) => {
  const text =
    kml(`<Style id="s"><LineStyle><name>not a name</name></LineStyle></Style><NetworkLink><Link><href>http://x</href></Link></NetworkLink>
    <Placemark><styleUrl>#s</styleUrl><TimeSpan><begin>2020</begin></TimeSpan><visibility>1</visibility>${point('1,2,5').replace('<coord', '<altitudeMode>relativeToGround</altitudeMode><coord')}</Placemark>`);
  const { lost } = await read(t, 'features', 'KmlReader', text);
  t.deepEqual(lost, [
    'Elements of KML were left out: Style, TimeSpan, altitudeMode, styleUrl.',
    '1 network links were left out; they are not followed.',
  ]);
});

test('placemarks whose coordinates cannot be read are bad records', async (t) => {
  const wrong = ['1,x', '1', '1,2,3,4', '1,2 3,4', ',2'].map((text) => placemark(`<name>${text}</name>${point(text)}`));
  const { data, bad } = await read(t, 'features', 'KmlReader', kml(wrong.join('') + placemark(point())));
  t.is((await featuresOf(data)).length, 1);
  t.deepEqual(
    bad.map(({ number, reason }) => [number, reason.message]),
    [
      [1, "Placemark 1 ('1,x'): 'x' is not a coordinate."],
      [2, "Placemark 2 ('1'): The vertex '1' has no latitude."],
      [3, "Placemark 3 ('1,2,3,4'): A vertex has more than three numbers."],
      [4, "Placemark 4 ('1,2 3,4'): A point has 2 vertices."],
      [5, "Placemark 5 (',2'): '' is not a coordinate."],
    ],
  );
});

test('values that do not fit the type of their field make it a text, with a remark', async (t) => {
  const text = kml(
    `<Schema id="g"><SimpleField type="int" name="n"/></Schema>${['1', 'two']
      .map((value) =>
        placemark(
          `<ExtendedData><SchemaData schemaUrl="#g"><SimpleData name="n">${value}</SimpleData></SchemaData></ExtendedData>`,
        ),
      )
      .join('')}`,
  );
  const { data, remarks } = await read(t, 'features', 'KmlReader', text);
  t.deepEqual(data.fields, [{ name: 'n', type: 'string' }]);
  t.deepEqual(
    (await featuresOf(data)).map(({ values }) => values),
    [['1'], ['two']],
  );
  t.deepEqual(remarks, ["The field 'n' has values that do not fit its type, so all are texts."]);
});

test('of a KMZ doc.kml is read, else the first KML file', async (t) => {
  const entry = (name: string, title: string) => ({
    name,
    bytes: Buffer.from(kml(`<name>${title}</name>${placemark(point())}`)),
  });
  const first = zipOf([entry('a/first.kml', 'first'), { name: 'images/x.png', bytes: Buffer.from('png') }]);
  t.like(await detect(memory(first)), { format: 'kml', name: 'a KMZ file' });
  const { data, lost } = await read(t, 'features', 'KmlReader', first);
  t.is(data.name, 'first');
  t.deepEqual(lost, ["Of 2 files in the KMZ only 'a/first.kml' was read."]);
  t.is(
    (await read(t, 'features', 'KmlReader', zipOf([entry('a.kml', 'a'), entry('doc.kml', 'doc')]))).data.name,
    'doc',
  );
  await t.throwsAsync(read(t, 'features', 'KmlReader', zipOf([{ name: 'x.txt', bytes: Buffer.from('x') }])), {
    instanceOf: FormatError,
    message: /contains no KML file/,
  });
});

test('other encodings are those of the declaration or the byte order mark', async (t) => {
  const latin = kml('<name>Köln</name><Placemark/>', '<?xml version="1.0" encoding="ISO-8859-1"?>');
  t.is((await read(t, 'features', 'KmlReader', Buffer.from(latin, 'latin1'))).data.name, 'Köln');
  const wide = Buffer.from(`\ufeff${kml('<name>Köln</name><Placemark/>', '')}`, 'utf16le');
  t.is((await read(t, 'features', 'KmlReader', wide)).data.name, 'Köln');
});

test('document types, entities and files that are not well-formed are refused with their line', async (t) => {
  const refused = (text: string, message: RegExp) =>
    t.throwsAsync(read(t, 'features', 'KmlReader', text), { instanceOf: FormatError, message });
  const bomb = '<?xml version="1.0"?><!DOCTYPE kml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  await refused(kml(placemark('<name>&b;</name>'), bomb), /^Line 1: The file has a document type/);
  await refused(kml(placemark('<name>&b;</name>')), /undefined entity/);
  await refused(`${kml('').slice(0, -8)}`, /^Line 2: unclosed tag/);
  await refused('<kml><Document></kml>', /unexpected close tag/);
  await refused('<html/>', /first element is 'html'/);
  await refused(`<kml>${'<Folder>'.repeat(300)}`, /nested more than 256 deep/);
});

test('a KMZ that unpacks to far more than its size is refused', async (t) => {
  const bomb = zipOf([{ name: 'doc.kml', bytes: Buffer.alloc(110_000_000, 32) }]);
  await t.throwsAsync(read(t, 'features', 'KmlReader', bomb), { instanceOf: FormatError, message: /like a zip bomb/ });
});

test('seeded mutations are read or end with an expected error', async (t) => {
  const text = kml(
    `<Schema id="g"><SimpleField type="int" name="n"/></Schema><Folder><name>x</name>${placemark(
      `<name>a</name><ExtendedData><SchemaData schemaUrl="#g"><SimpleData name="n">1</SimpleData></SchemaData><Data name="m"><value>2</value></Data></ExtendedData><MultiGeometry>${point('1,2,3')}<Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates></LinearRing></outerBoundaryIs></Polygon></MultiGeometry>`,
    )}</Folder>`,
  );
  await mutate(t, 'KmlReader', [Buffer.from(text)], 3000);
  t.is(await outcome('KmlReader', Buffer.alloc(0), ''), 'refused');
});

test('the encoding is that of the byte order mark, else the declared one; invalid bytes are refused with their offset', async (t) => {
  const named = (bytes: Buffer) =>
    kml(placemark(`<name>Brück</name>${point()}`)).replace('Brück', bytes.toString('latin1'));
  const nameOf = async (bytes: Buffer) => {
    const { data } = await read(t, 'features', 'KmlReader', bytes);
    return (await featuresOf(data))[0]!.values[0];
  };
  const wrong = Buffer.from(named(Buffer.from('Br\xfcck', 'latin1')), 'latin1');
  await t.throwsAsync(read(t, 'features', 'KmlReader', wrong), {
    instanceOf: FormatError,
    message: `The bytes are no text in the encoding utf-8. The XML declaration must name the encoding of the file. (at byte ${wrong.indexOf(0xfc)})`,
  });
  const declared = kml(placemark(`<name>Brück</name>${point()}`), '<?xml version="1.0" encoding="ISO-8859-1"?>');
  t.is(await nameOf(Buffer.from(declared, 'latin1')), 'Brück');
  t.is(await nameOf(Buffer.from(`\ufeff${declared}`)), 'Brück');
  const wide = kml(placemark(`<name>Brück</name>${point()}`), '<?xml version="1.0" encoding="UTF-16"?>');
  t.is(await nameOf(Buffer.from(`\ufeff${wide}`, 'utf16le')), 'Brück');
  // Its bytes are readable as ASCII, so the declaration is wrong.
  t.is(await nameOf(Buffer.from(wide)), 'Brück');
  const long = kml(placemark(`<name>${'ü'.repeat(300_000)}</name>${point()}`));
  const cut = Buffer.from(long);
  cut[400_001] = 0x20;
  await t.throwsAsync(read(t, 'features', 'KmlReader', cut), { message: /\(at byte 40000[012]\)$/ });
  t.is(await nameOf(Buffer.from(long)), 'ü'.repeat(300_000));
});
