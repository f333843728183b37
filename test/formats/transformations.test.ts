import test from 'ava';
import { offeredBy } from '../../src/files/convert/offers.ts';
import { parseTransformations } from '../../src/files/convert/steps/transformations.ts';
import { RequestError } from '../../src/files/errors.ts';
import { findReader, readers } from '../../src/files/formats/registry.ts';

const offered = offeredBy(findReader('GeoTiffReader')!);
const refusal = (given: unknown) => refused(() => parseTransformations(given, () => offered));
function refused(f: () => unknown): RequestError {
  try {
    f();
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
const item = (itemFilter: unknown) => [{ type: 'ItemFilterTransformation', itemFilter }];
const place = (geometry: unknown, more: object = {}) => [
  { type: 'spatialfiltertransformation', spatialFilter: { geometry, ...more } },
];

test('the facets of a reader decide which transformations it offers', (t) => {
  const ofFacet = {
    place: ['CrsTransformation', 'SpatialFilterTransformation'],
    items: ['CalculateStatisticsTransformation', 'ItemFilterTransformation'],
    times: ['TemporalFilterTransformation'],
    layers: ['VerticalFilterTransformation'],
  };
  const known = Object.values(ofFacet).flat();
  for (const reader of readers)
    t.deepEqual(
      offeredBy(reader)
        .filter((name) => known.includes(name))
        .toSorted() as string[],
      reader.has.flatMap((facet) => ofFacet[facet]).toSorted(),
    );
});

test('transformations with kinds of their own are offered where one of the kinds of a reader has them', (t) => {
  const has = (name: string, step: string) => (offeredBy(findReader(name)!) as string[]).includes(step);
  for (const name of ['GeoTiffReader', 'DfsuReader', 'MDReader'])
    t.true(has(name, 'ZonalStatisticsTransformation'), name);
  t.true(has('GeoJsonReader', 'RasterizeTransformation'));
  t.false(has('GeoJsonReader', 'ZonalStatisticsTransformation'));
  t.false(has('GeoTiffReader', 'RasterizeTransformation'));
  for (const name of ['GeoTiffReader', 'DfsuReader', 'Dfs0Reader', 'TSReader', 'MDReader'])
    t.true(has(name, 'CalculateTransformation'), name);
  t.false(has('GeoJsonReader', 'CalculateTransformation'));
  for (const name of ['GeoTiffReader', 'DfsuReader']) {
    t.true(has(name, 'ResampleTransformation'), name);
    t.true(has(name, 'ContoursTransformation'), name);
    t.true(has(name, 'ProfileTransformation'), name);
  }
  for (const name of ['GeoJsonReader', 'Dfs0Reader']) t.false(has(name, 'ResampleTransformation'), name);
  t.true(has('GeoTiffReader', 'MosaicTransformation'));
  t.true(has('Dfs0Reader', 'StackTransformation'));
  t.false(has('TSReader', 'StackTransformation'));
});

test('data with times or layers get the transformations that their kind implements', (t) => {
  const dated = offeredBy({ produces: 'grid', has: ['items', 'times', 'layers'] });
  t.deepEqual(dated as string[], [
    'CalculateStatisticsTransformation',
    'ItemFilterTransformation',
    'TemporalFilterTransformation',
    'VerticalFilterTransformation',
    'ItemTransformation',
    'CalculateTransformation',
    'StackTransformation',
  ]);
});

test('an unsupported transformation has its own error code and names the supported ones, besides other errors', (t) => {
  for (const type of [
    'VERTICALFILTERTRANSFORMATION',
    'WeightedSpatialFilterTransformation',
    'verticalFilterTransformation',
    'VerticalGridShiftTransformation',
    'AggregationTransformation',
    'TimeSeriesIdsTransformation',
    'CsScriptValueTransformation',
  ]) {
    const { code, errors } = refusal([{ type: 'calculateStatisticsTransformation' }, { type }]);
    t.is(code, 'TransformationNotSupported', type);
    t.regex(errors!['transformations[1].type']![0]!, /is not supported for this kind of data. Use CrsTransf.*$/);
  }
  const { errors } = refusal([
    { type: 'temporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: -1 } },
  ]);
  t.deepEqual(errors!['transformations[0].temporalFilter.from'], [
    'transformations[0].temporalFilter.from must be the index of a step, from 0, not -1.',
  ]);
});

test('temporal and vertical filters are parsed in each of their shapes', (t) => {
  const temporal = (temporalFilter: unknown) =>
    parseTransformations([{ type: 'temporalFilterTransformation', temporalFilter }]);
  const type = 'TemporalFilterTransformation';
  t.deepEqual(temporal({ type: 'temporalindexfilter', from: 1, to: 4 }), [{ type, by: 'index', from: 1, to: 4 }]);
  t.deepEqual(temporal({ type: 'TemporalIndexListFilter', indices: [3, 1] }), [{ type, by: 'index', at: [3, 1] }]);
  t.deepEqual(temporal({ type: 'TemporalIndexListFilter', except: [3, 1] }), [{ type, by: 'index', except: [3, 1] }]);
  t.deepEqual(temporal({ type: 'TemporalValueFilter', from: '2024-02-29', to: '2024-03-01T120000' }), [
    { type, by: 'time', from: Date.UTC(2024, 1, 29), to: Date.UTC(2024, 2, 1, 12) },
  ]);
  const sentences = (given: unknown) => Object.values(refused(() => temporal(given)).errors!).flat();
  t.regex(sentences({ type: 'TemporalValueFilter', at: '2023-02-29' })[0]!, /\.at must be a time such as/);
  t.regex(sentences({ type: 'TemporalIndexFilter', from: 4, to: 1 })[0]!, /\.to must not be less than from/);
  t.regex(sentences({})[0]!, /temporalFilter\.type is required/);
  t.regex(
    sentences({ type: 'TemporalIndexListFilter', indices: [1], except: [2] })[0]!,
    /must have one of indices and except/,
  );
  const vertical = [
    { type: 'verticalFilterTransformation', verticalFilter: { type: 'VerticalValueFilter', to: -2.5 } },
  ];
  t.deepEqual(parseTransformations(vertical), [{ type: 'VerticalFilterTransformation', by: 'height', to: -2.5 }]);
});

test('an item filter is one object or several, with names and indices from 0', (t) => {
  const items = (given: unknown) => {
    const [step] = parseTransformations(item(given), () => offered);
    return step?.type === 'ItemFilterTransformation' ? step.items : undefined;
  };
  t.deepEqual(items({ itemIndices: [2, 0], names: null }), [2, 0]);
  t.deepEqual(items([{ NAMES: ['a', 'b'] }, { ItemIndices: [1] }, { names: ['a'] }]), ['a', 'b', 1]);
  for (const [given, path, sentence] of [
    [undefined, 'itemFilter', /is required/],
    [[], 'itemFilter', /must not be empty/],
    [{}, 'itemFilter.itemIndices', /must have itemIndices or names/],
    ['a', 'itemFilter', /must be an object with itemIndices or names, not "a"/],
    [{ itemIndices: [1.5] }, 'itemFilter.itemIndices', /must be a list of indices, from 0, not \[1\.5\]/],
    [{ names: [] }, 'itemFilter.names', /must be a list of names, not \[\]/],
    [[{ names: ['a'] }, { Names: 'b' }], 'itemFilter[1].Names', /must be a list of names, not "b"/],
  ] as const) {
    const { code, errors, message } = refusal(item(given));
    t.deepEqual(Object.keys(errors!), [`transformations[0].${path}`]);
    t.regex(message, sentence);
    t.is(code, undefined);
  }
});

test('the error for an invalid geometry has the position in the text', (t) => {
  for (const [text, sentence] of [
    ['POLIGON ((0 0))', /^At character 1 of the geometry is 'POLIGON \(\(0 0\)\)'\. Expected one of POINT, .*\.$/],
    ['POINT 1 2', /At character 7 .*\. Expected '\('/],
    ['POINT (1)', /At character 9 .* is '\)'\. Expected a number/],
    ['POINT (1 2', /the text ends\. Expected '\)'/],
    ['POINT (1 x)', /At character 10 .* is 'x\)'/],
    ['POINT (1 1e999)', /Expected a number in the range of a double/],
    ['POINT (1 2 3 4 5)', /At character 16/],
    ['POINT (1 2) 3', /Expected the end of the text/],
    ['LINESTRING (1 2)', /The line at character 12 has one vertex\. It needs at least two/],
    ['POLYGON ((0 0, 1 1, 0 0))', /The ring at character 10 has 3 vertices\. It needs at least four/],
    ['POLYGON ((0 0, 1 0, 1 1, 0 1))', /The ring at character 10 is not closed/],
    ['MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), EMPTY)', /At character 39/],
    ['POLYGON EMPTY', /The geometry at character 1 is empty/],
    ['GEOMETRYCOLLECTION (POINT EMPTY)', /The geometry at character 21 is empty/],
    [`${'GEOMETRYCOLLECTION ('.repeat(30)}POINT (1 1)${')'.repeat(30)}`, /nested more than 16 deep/],
    [`POINT (1 ${' '.repeat(500_000)}1)`, /has 500011 characters\. The maximum is 500000/],
    [`POINT (${'1'.repeat(400_000)}x 1)`, /At character 12/],
    ['CIRCULARSTRING (0 0, 1 1, 2 0)', /one of POINT/],
  ] as const) {
    const { errors, message } = refusal(place(text));
    t.deepEqual(Object.keys(errors!), ['transformations[0].spatialFilter.geometry'], text.slice(0, 40));
    t.regex(message, sentence);
  }
});

test('all geometry types are parsed, without heights and measures', (t) => {
  const read = (text: string) => {
    const [step] = parseTransformations(place(text), () => offered);
    return step?.type === 'SpatialFilterTransformation' ? { ...step.geometry, srid: step.srid } : undefined;
  };
  t.like(read(' point(1.5 -2e1)'), { type: 'Point', coordinates: Float64Array.of(1.5, -20) });
  t.deepEqual([...read('SRID=3857;LineString ZM (1 2 3 4,5 6 7 8)')!.coordinates], [1, 2, 5, 6]);
  t.is(read('srid=3857; POINT M (1 2 3)')!.srid, 'EPSG:3857');
  t.deepEqual([...read('MULTIPOINT (1 2, (3 4))')!.coordinates], [1, 2, 3, 4]);
  const several = read(
    'MULTIPOLYGONZ (((0 0 1,9 0 1,9 9 1,0 0 1),(1 1 1,2 1 1,2 2 1,1 1 1)),((0 0 1,1 0 1,1 1 1,0 0 1)))',
  )!;
  t.deepEqual(
    [[...several.parts!], [...several.polygons!]],
    [
      [0, 4, 8],
      [0, 2],
    ],
  );
  t.is(read('GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (1 2, 3 4))')?.members?.length, 2);
});

test('the SRID of a filter is its member or its EWKT prefix; different ones are refused', (t) => {
  const srid = (text: string, more: object) => {
    const [step] = parseTransformations(place(text, more), () => offered);
    return step?.type === 'SpatialFilterTransformation' ? step.srid : undefined;
  };
  t.is(srid('POINT (1 2)', { srid: 'epsg:25832' }), 'EPSG:25832');
  t.is(srid('SRID=25832;POINT (1 2)', { SRID: 25832 }), 'EPSG:25832');
  t.is(srid('POINT (1 2)', { Srid: null }), undefined);
  const differ = refusal(place('SRID=4326;POINT (1 2)', { SRID: 25832 }));
  t.deepEqual(differ.errors, {
    'transformations[0].spatialFilter.SRID': [
      "transformations[0].spatialFilter.SRID is EPSG:25832, but the geometry's own SRID is 4326.",
    ],
  });
  t.regex(refusal(place('POINT (1 2)', { SRID: 99999 })).message, /EPSG:99999 is not known/);
  t.regex(refusal(place('POINT (1 2)', { SRID: {} })).message, /must be the number of a coordinate system/);
  t.regex(refusal(place(undefined)).message, /spatialFilter\.geometry is required/);
  t.regex(refusal([{ type: 'SpatialFilterTransformation' }]).message, /\.spatialFilter is required/);
});

test('errors of several transformations are reported together', (t) => {
  const { errors } = refusal([5, ...item({}), ...place('x'), { type: 'Magic' }, {}]);
  t.deepEqual(Object.keys(errors!), [
    'transformations[0]',
    'transformations[1].itemFilter.itemIndices',
    'transformations[2].spatialFilter.geometry',
    'transformations[3].type',
    'transformations[4].type',
  ]);
});
