import test from 'ava';
import { Command } from 'commander';
import { readTransformations, transformationOptions } from '../../src/files/command/transformations.ts';
import { parseTransformations } from '../../src/files/convert/steps/transformations.ts';

/** The transformations that a command line asks for. Throws with commander's sentence where it cannot be read. */
function asked(...argv: string[]) {
  const command = transformationOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr() {} });
  command.parse(argv, { from: 'user' });
  return readTransformations(command.opts());
}

const temporal = (temporalFilter: object) => ({ type: 'temporalFilterTransformation', temporalFilter });
const vertical = (verticalFilter: object) => ({ type: 'verticalFilterTransformation', verticalFilter });

test('steps are chosen by time, by an interval or from a list, layers by an interval', (t) => {
  const cases: [string[], object[]][] = [
    [['--from', '2026-01-24T08:00:00'], [temporal({ type: 'TemporalValueFilter', from: '2026-01-24T08:00:00' })]],
    [['--to', '2026-01-25'], [temporal({ type: 'TemporalValueFilter', to: '2026-01-25' })]],
    [['--steps', '3'], [temporal({ type: 'TemporalIndexFilter', from: 3, to: 3 })]],
    [['--steps', '0-10'], [temporal({ type: 'TemporalIndexFilter', from: 0, to: 10 })]],
    [['--steps', '5-'], [temporal({ type: 'TemporalIndexFilter', from: 5 })]],
    [['--steps', '0, 6,12'], [temporal({ type: 'TemporalIndexListFilter', indices: [0, 6, 12] })]],
    [['--layers', '2'], [vertical({ type: 'VerticalIndexFilter', from: 2, to: 2 })]],
    [['--layers', '-3'], [vertical({ type: 'VerticalIndexFilter', to: 3 })]],
    [
      ['--layers', '0-1', '--steps', '1-', '--from', '2026-01-24'],
      [
        temporal({ type: 'TemporalValueFilter', from: '2026-01-24' }),
        temporal({ type: 'TemporalIndexFilter', from: 1 }),
        vertical({ type: 'VerticalIndexFilter', from: 0, to: 1 }),
      ],
    ],
  ];
  for (const [argv, expected] of cases) {
    t.deepEqual(asked(...argv), expected as never, argv.join(' '));
    const names = ['TemporalFilterTransformation', 'VerticalFilterTransformation'] as const;
    t.is(parseTransformations(expected, () => names).length, expected.length, 'the server takes it');
  }
});

test('calculations come before other cells, and both have their options', (t) => {
  const argv = ['--cell-size', '25,50', '--extent', '0,1,100,201', '--resample', 'average', '--keep-items'];
  const made = asked(...argv, '--calculate', 'depth = [Water level] - bed', '--calculate', '[wet cells]=depth == 1');
  t.deepEqual(made, [
    {
      type: 'calculateTransformation',
      calculate: [
        { name: 'depth', expression: '[Water level] - bed' },
        { name: 'wet cells', expression: 'depth == 1' },
      ],
      keep: true,
    },
    { type: 'resampleTransformation', resample: { cellSize: [25, 50], extent: [0, 1, 100, 201], method: 'average' } },
  ]);
  t.is(parseTransformations(made).length, 2, 'the server takes it');
  const id = '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10';
  t.deepEqual(asked('--like', id), [{ type: 'resampleTransformation', resample: { like: { datasetId: id } } }]);
  t.deepEqual(asked('--like', 'dem.tif'), [
    { type: 'resampleTransformation', resample: { like: { path: 'dem.tif' } } },
  ]);
  for (const [option, text, message] of [
    ['--calculate', 'depth', /such as 'depth = surface - bed'/],
    ['--calculate', 'a == b', /such as 'depth = surface - bed'/],
    ['--cell-size', '0', /a positive number such as 25/],
    ['--extent', '3,0,1,2', /west, south, east and north/],
    ['--resample', 'best', /Allowed choices are nearest/],
  ] as const)
    t.throws(() => asked(option, text), { message }, text);
});

test('times and intervals that cannot be read are refused before anything is sent', (t) => {
  for (const [argv, message] of [
    [['--from', 'yesterday'], /such as 2026-01-24T08:00:00/],
    [['--to', '24.1.2026'], /such as 2026-01-24T08:00:00/],
    [['--steps', '5-2'], /5 is greater than 2/],
    [['--layers', '3-1'], /3 is greater than 1/],
  ] as const)
    t.throws(() => asked(...argv), { message }, argv.join(' '));
});

test('numbers of steps and layers that cannot be read are refused with an example', (t) => {
  for (const argv of [
    ['--steps', 'a'],
    ['--steps', '-'],
    ['--steps', '1,b'],
    ['--steps', '1-2,4'],
    ['--layers', ''],
    ['--layers', '1,2'],
    ['--layers', '1.5'],
  ])
    t.throws(
      () => asked(...argv),
      { message: /It must be (a number such as 3, or )?an interval such as 0-10/ },
      argv.join(' '),
    );
});

test('items are renamed and redefined by name or number, by both options at once', (t) => {
  const argv = [
    '--rename',
    'Item 1 = Water level',
    '--rename',
    '[a = 1] = b',
    '--measures',
    'Item 1=eumIWaterLevel, m',
  ];
  const made = asked(...argv, '--measures', '2 = eumIDischarge', '--calculate', 'c = b + b');
  t.deepEqual(made[0] as unknown, {
    type: 'itemTransformation',
    itemRedefinitions: [
      { originalName: 'Item 1', newName: 'Water level', newItemId: 'eumIWaterLevel', newUnitId: 'm' },
      { originalName: 'a = 1', newName: 'b' },
      { itemIndex: 2, newItemId: 'eumIDischarge' },
    ],
  });
  t.is(parseTransformations(made).length, 2, 'the server takes it');
  for (const [option, text] of [
    ['--rename', 'Level'],
    ['--rename', 'Level ='],
    ['--measures', '= eumIWaterLevel'],
    ['--measures', '0 = eumIWaterLevel,'],
    ['--measures', '0 = a, b, c'],
  ] as const)
    t.throws(() => asked(option, text), { message: /It must be an item/ }, text);
});

test('contours are asked for by a list of levels or by an interval, as lines or polygons', (t) => {
  const contours = (members: object) => [{ type: 'contoursTransformation', contours: members }];
  t.deepEqual(asked('--contours', '0, 5,-10'), contours({ levels: [0, 5, -10] }));
  t.deepEqual(asked('--contours', 'every:2.5', '--contour-polygons'), contours({ interval: 2.5, as: 'polygons' }));
  for (const text of ['', '1,,2', 'every:0', 'every:1,2', 'a'])
    t.throws(() => asked('--contours', text), { message: /such as 0,5,10, or an interval such as every:5/ }, text);
  t.throws(() => asked('--contour-polygons'), { message: /needs --contours/ });
});

test('zones are a file, a dataset or a WKT; cells belong to the features that are rasterized', (t) => {
  const id = '01988a3e-3f7c-7000-8000-000000000001';
  const zonal = (zonalStatistics: object) => [{ type: 'zonalStatisticsTransformation', zonalStatistics }];
  const cases: [string[], object[]][] = [
    [['--zones', 'zones.gpkg'], zonal({ zones: { path: 'zones.gpkg' } })],
    [
      ['--zones', id, '--zone-statistics', 'mean, p95'],
      zonal({ zones: { datasetId: id }, statistics: ['mean', 'p95'] }),
    ],
    [
      ['--zones', 'Polygon ((0 0, 1 0, 0 1, 0 0))', '--zone-weights', 'coverage', '--zone-id', 'name'],
      zonal({ zones: { geometry: 'Polygon ((0 0, 1 0, 0 1, 0 0))' }, weights: 'coverage', id: 'name' }),
    ],
    [
      ['--rasterize', 'depth', '--cell-size', '5', '--all-touched', '--rasterize-method', 'max'],
      [
        {
          type: 'rasterizeTransformation',
          rasterize: { field: 'depth', cellSize: 5, allTouched: true, method: 'max' },
        },
      ],
    ],
    [
      ['--rasterize', '2.5', '--like', 'a.tif'],
      [{ type: 'rasterizeTransformation', rasterize: { value: 2.5, like: { path: 'a.tif' } } }],
    ],
  ];
  for (const [argv, expected] of cases) {
    t.deepEqual(asked(...argv), expected as never, argv.join(' '));
    t.is(parseTransformations(expected).length, 1, 'the server takes it');
  }
});

test('a profile has a line and a spacing', (t) => {
  const line = 'LINESTRING (0 0, 100 50)';
  t.deepEqual(asked('--profile', line, '--profile-spacing', '2.5'), [
    { type: 'profileTransformation', profile: { line, spacing: 2.5 } },
  ]);
  for (const argv of [
    ['--profile', line],
    ['--profile-spacing', '2'],
  ])
    t.throws(() => asked(...argv), { message: /belong together/ }, argv.join(' '));
  t.throws(() => asked('--profile-spacing', '0'), { message: /positive number/ });
  t.throws(() => asked('--profile', '@/nowhere/line.wkt'), { message: /line.wkt cannot be read/ });
});
