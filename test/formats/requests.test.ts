import test from 'ava';
import { z } from 'zod';
import { describeReader, describeWriter, fits } from '../../src/files/convert/offers.ts';
import { inputSrid, parseTransformations } from '../../src/files/convert/steps/transformations.ts';
import { ConversionError, RequestError } from '../../src/files/errors.ts';
import { defineReader, describeParameters } from '../../src/files/formats/define.ts';
import { checkParameters, completeParameters } from '../../src/files/formats/parameters.ts';
import { findReader, findWriter, readers, writers } from '../../src/files/formats/registry.ts';

const needy = defineReader({
  name: 'NeedyReader',
  description: 'Needs things.',
  format: 'file',
  produces: 'bytes',
  has: [],
  parameters: z.object({
    ZColumnIndex: z.int().min(0).describe('Column.'),
    Mode: z.enum(['Fast', 'Exact']).default('Exact').describe('How.'),
    Names: z.array(z.string()).describe('Which.').optional(),
  }),
  load: async () => ({ read: async (source) => ({ kind: 'bytes', source }) }),
});

test('names of readers and writers are matched exactly', (t) => {
  t.is(findReader('AsciiGridReader')?.name, 'AsciiGridReader');
  t.is(findReader('asciigridreader'), undefined);
  t.is(findWriter('GeoTiffWriter')?.format, 'geotiff');
  t.is(findWriter('GeoTiffReader'), undefined);
});

test('readers and writers of the same kind of data fit', (t) => {
  const kinds = [['File'], ['AsciiGrid', 'GeoTiff', 'Dfs1', 'Dfs2', 'Dfs3'], ['Shapefile', 'GeoJson'], ['Dfs0']];
  for (const kind of kinds)
    for (const one of kind)
      for (const other of kind)
        t.true(fits(findReader(`${one}Reader`)!, findWriter(`${other}Writer`)!), `${one} to ${other}`);
  for (const writer of writers)
    t.is(fits(findReader('FileReader')!, writer), writer.name === 'FileWriter', writer.name);
  for (const reader of readers)
    t.is(fits(reader, findWriter('FileWriter')!), reader.name === 'FileReader', reader.name);
  t.false(fits(findReader('Dfs0Reader')!, findWriter('GeoTiffWriter')!));
  for (const writer of ['Vtu', 'Shapefile', 'GeoJson', 'AsciiGrid', 'GeoTiff'])
    t.true(fits(findReader('XyzReader')!, findWriter(`${writer}Writer`)!), `Xyz to ${writer}`);
  for (const reader of ['Dfs0', 'Dfs1', 'Dfs2', 'Dfs3', 'Xyz', 'MeshFile', 'Vtu'])
    t.true(fits(findReader(`${reader}Reader`)!, findWriter('VtuWriter')!), `${reader} to Vtu`);
});

test('descriptions of readers and writers follow their schemas', (t) => {
  t.deepEqual(describeParameters(needy.parameters), [
    { name: 'ZColumnIndex', description: 'Column.', dataType: 'integer', required: true, minimum: 0 },
    {
      name: 'Mode',
      description: 'How.',
      dataType: 'string',
      required: false,
      defaultValue: 'Exact',
      allowedValues: ['Fast', 'Exact'],
    },
    { name: 'Names', description: 'Which.', dataType: 'array', required: false },
  ]);
  const reader = describeReader(findReader('GeoTiffReader')!);
  t.deepEqual(reader.writers.slice(0, 2), ['AsciiGridWriter', 'GeoTiffWriter']);
  t.deepEqual(
    reader.parameters.map((one) => [one.name, one.dataType, one.required]),
    [
      ['Band', 'integer', false],
      ['SRID', 'integer', false],
    ],
  );
  const writer = describeWriter(findWriter('GeoTiffWriter')!);
  t.deepEqual(writer.parameters.find((one) => one.name === 'Compression')?.allowedValues, [
    'Deflate',
    'Lzw',
    'Zstd',
    'PackBits',
    'None',
  ]);
  for (const one of [...readers, ...writers])
    for (const parameter of describeParameters(one.parameters))
      t.not(parameter.description, '', `${one.name}.${parameter.name}`);
});

test('parameters of DFS, mesh, XYZ and VTU converters have the specified names, types and defaults', (t) => {
  const listed = (one: { parameters: z.ZodObject }) =>
    Object.fromEntries(
      describeParameters(one.parameters).map(({ name, dataType, defaultValue, required }) => {
        t.false(required, name);
        return [name, defaultValue === undefined ? dataType : `${dataType} = ${defaultValue}`];
      }),
    );
  const own = { SRID: 'integer', AllowedItemNames: 'array' };
  const float = { WriteAsFloat: 'boolean = true' };
  const meaning = { CoordinateInterpretationType: 'string = CenterOfCell' };
  t.deepEqual(Object.fromEntries(['0', '1', '2', '3', 'u'].map((n) => [n, listed(findReader(`Dfs${n}Reader`)!)])), {
    '0': own,
    '1': own,
    '2': { ...own, ...meaning },
    '3': own,
    u: own,
  });
  t.deepEqual(Object.fromEntries(['0', '1', '2', '3', 'u'].map((n) => [n, listed(findWriter(`Dfs${n}Writer`)!)])), {
    '0': { ...float, Points: 'array' },
    '1': float,
    '2': { ...float, CellSize: 'number' },
    '3': float,
    u: { ...float, MaximumElementArea: 'number', MinimumAngle: 'number = 26' },
  });
  t.deepEqual(listed(findReader('XyzReader')!), { ZColumnIndex: 'integer = 2', SRID: 'integer' });
  t.deepEqual(completeParameters(findWriter('Dfs2Writer')!, {}), {}, 'whether it was given makes a difference');
});

test('parameter names and enum values match in any letter case, and values may be JSON or JSON text', (t) => {
  const { values, errors } = checkParameters(needy, [
    { name: 'zcolumnindex', value: '3' },
    { name: 'MODE', value: 'fast' },
    { name: 'names', value: '["a","b"]' },
  ]);
  t.deepEqual(errors, []);
  t.deepEqual(values, { ZColumnIndex: 3, Mode: 'Fast', Names: ['a', 'b'] });
  t.deepEqual(checkParameters(needy, { Mode: null }), { values: {}, errors: [] });
});

test('each wrong type, unknown name and duplicate is an error; missing parameters are not', (t) => {
  const { values, errors } = checkParameters(needy, [
    { name: 'ZColumnIndex', value: 'two' },
    { name: 'colour', value: 1 },
    { name: 'mode', value: 'slow' },
    { name: 'Names', value: ['a'] },
    { name: 'NAMES', value: ['b'] },
  ]);
  t.deepEqual(values, { Names: ['a'] });
  t.deepEqual(errors, [
    {
      name: 'ZColumnIndex',
      sentence: "Parameter 'ZColumnIndex' cannot be 'two'. Expected an integer of at least 0. Column.",
    },
    { name: 'colour', sentence: "'colour' is not a parameter of NeedyReader. Parameters: ZColumnIndex, Mode, Names." },
    { name: 'mode', sentence: "Parameter 'Mode' cannot be 'slow'. Expected Fast, Exact. How." },
    { name: 'NAMES', sentence: "Parameter 'Names' is given more than once. Give it once." },
  ]);
  t.deepEqual(checkParameters(needy, {}), { values: {}, errors: [] });
});

test('the error for a number out of range names the bounds', (t) => {
  const sentence = (name: string, given: object) =>
    checkParameters(findReader(name) ?? findWriter(name)!, given as never).errors[0]?.sentence;
  t.regex(
    sentence('GeoTiffReader', { Band: 0 })!,
    /^Parameter 'Band' cannot be 0\. Expected an integer of at least 1\. Number of the band to read/,
  );
  t.regex(
    sentence('GeoTiffWriter', { BlockSize: 8000 })!,
    /^Parameter 'BlockSize' cannot be 8000\. Expected an integer from 16 to 4096\. /,
  );
  t.regex(sentence('ShapefileReader', { Layer: 7 })!, /^Parameter 'Layer' cannot be 7\. Expected a text\. /);
});

test('a missing required parameter ends the conversion with an error', (t) => {
  const error = t.throws(() => completeParameters(needy, { Mode: 'Fast' }), { instanceOf: ConversionError });
  t.is(error?.message, "Parameter 'ZColumnIndex' is required by NeedyReader.");
  t.deepEqual(completeParameters(needy, { ZColumnIndex: 0 }), { ZColumnIndex: 0, Mode: 'Exact' });
});

test('checked parameters pass a second check unchanged', (t) => {
  const reader = findReader('AsciiGridReader')!;
  for (const SRID of [25832, '25832', 'epsg:25832', 'EPSG:25832']) {
    const { values } = checkParameters(reader, { srid: SRID });
    t.deepEqual(values, { SRID: 'EPSG:25832' });
    t.deepEqual(completeParameters(reader, values), values);
  }
  t.regex(checkParameters(reader, { SRID: 99999 }).errors[0]!.sentence, /EPSG:99999 is not known/);
});

test('crsTransformation is understood in any letter case, with the srid as number or text', (t) => {
  t.deepEqual(parseTransformations([{ TYPE: 'CRSTransformation', OutputSrid: '3857', inputsrid: 25832 }]), [
    { type: 'CrsTransformation', inputSrid: 'EPSG:25832', outputSrid: 'EPSG:3857' },
  ]);
  const [one] = parseTransformations([{ type: 'CrsTransformation', outputSrid: 'EPSG:4326', inputSrid: null }]);
  t.deepEqual(one, { type: 'CrsTransformation', outputSrid: 'EPSG:4326' });
  t.deepEqual(parseTransformations(undefined), []);
});

test('unsupported and unknown transformations have different errors', (t) => {
  const known = t.throws(() => parseTransformations([{ type: 'aggregationtransformation' }]), {
    instanceOf: RequestError,
  });
  t.is(known?.code, 'TransformationNotSupported');
  t.deepEqual(Object.keys(known?.errors ?? {}), ['transformations[0].type']);
  const unknown = t.throws(() => parseTransformations([{ type: 'Magic' }]), { instanceOf: RequestError });
  t.is(unknown?.code, undefined);
});

test('invalid members of a transformation get an error each', (t) => {
  const errorsOf = (given: unknown) =>
    t.throws(() => parseTransformations(given), { instanceOf: RequestError })?.errors;
  t.deepEqual(errorsOf('x'), { transformations: ['transformations must be an array.'] });
  t.deepEqual(errorsOf([5]), { 'transformations[0]': ['transformations[0] must be an object with a type, not 5.'] });
  t.deepEqual(errorsOf([{ type: 'crsTransformation' }]), {
    'transformations[0].outputSrid': ['transformations[0].outputSrid is required.'],
  });
  t.deepEqual(errorsOf([{ type: 'crsTransformation', outputSrid: 99999, inputSrid: {} }]), {
    'transformations[0].inputSrid': [
      'transformations[0].inputSrid must be the number of a coordinate system such as 25832, not {}.',
    ],
    'transformations[0].outputSrid': ['The coordinate system EPSG:99999 is not known.'],
  });
});

test('inputSrid and SRID may both be given when they agree', (t) => {
  const steps = parseTransformations([{ type: 'crsTransformation', outputSrid: 3857, inputSrid: 25832 }]);
  t.is(inputSrid(steps, 'EPSG:25832'), 'EPSG:25832');
  t.is(inputSrid(steps, undefined), 'EPSG:25832');
  t.is(inputSrid([], 4326), 'EPSG:4326');
  t.throws(() => inputSrid(steps, '25833'), { instanceOf: RequestError });
});
