import test from 'ava';
import { CELL_SHAPES, type Mesh, type MeshItem } from '../../../src/files/data/mesh.ts';
import { ConversionError } from '../../../src/files/errors.ts';
import { parseSrid } from '../../../src/files/geo/crs/crs.ts';
import { flatMesh, layeredMesh } from '../meshes.ts';
import { areaOf, contoursOf, NODATA, type Point, pointsOf, polygonArea, random, ringsOf } from './made.ts';
import { whyInvalid } from './validity.ts';

const [UTM_X, UTM_Y] = [500_000, 6_000_000];

/** A mesh with an item; cells are lists of nodes. */
const meshOf = (
  points: readonly Point[],
  cells: readonly (readonly number[])[],
  location: MeshItem['location'],
  values: readonly number[],
): Mesh => ({
  kind: 'mesh',
  crs: parseSrid(25832),
  nodes: Float64Array.from(points.flatMap(([x, y]) => [UTM_X + x, UTM_Y + y, 0])),
  shapes: Uint8Array.from(
    cells,
    ({ length }) => [CELL_SHAPES.triangle, CELL_SHAPES.quad][length - 3] ?? CELL_SHAPES.polygon,
  ),
  connectivity: Uint32Array.from(cells.flat()),
  offsets: Uint32Array.from([0, ...cells].map((_, n) => cells.slice(0, n).flat().length)),
  items: [{ name: 'depth', type: 'Float64', nodata: NODATA, location }],
  values: async () => Float64Array.from(values),
});

const local = (coordinates: Float64Array) =>
  pointsOf(coordinates).map(([x, y]) => [Number((x - UTM_X).toFixed(5)), Number((y - UTM_Y).toFixed(5))]);

const square: Point[] = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
];

test('a contour is linear between nodes, with higher ground to its right', async (t) => {
  const { features, collection } = await contoursOf(t, meshOf(square, [[0, 1, 2]], 'node', [0, 4, 8, NODATA]), {
    levels: [2],
  });
  t.is(collection.crs?.authority === 'EPSG' && collection.crs.code, 25832);
  t.deepEqual(
    features.map(({ values }) => values),
    [[2, 'depth']],
  );
  // to the north-west: the north-east is higher
  t.deepEqual(local(features[0]!.geometry!.coordinates), [
    [5, 0],
    [2.5, 2.5],
  ]);
});

test('a quad is divided by its shorter diagonal', async (t) => {
  const kite: Point[] = [
    [0, 0],
    [10, 0],
    [13, 13],
    [0, 10],
  ];
  const { features } = await contoursOf(t, meshOf(kite, [[0, 1, 2, 3]], 'node', [0, 4, 0, 4]), { levels: [2] });
  // the ends of the diagonal between nodes 1 and 3 are high, so the line is around each of the others
  t.deepEqual(
    features
      .map(({ geometry }) => local(geometry!.coordinates))
      .map((line) => line.length)
      .toSorted(),
    [2, 2],
  );
});

test('values of elements go to nodes by area, and elements without data stay empty', async (t) => {
  const points: Point[] = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
    [40, 0],
    [40, 10],
    [50, 0],
    [50, 10],
  ];
  const cells = [
    [0, 1, 2, 3],
    [1, 4, 5, 2],
    [4, 6, 7, 5],
  ];
  const { features } = await contoursOf(t, meshOf(points, cells, 'cell', [1, 5, NODATA]), {
    levels: [0, 3, 9],
    as: 'polygons',
  });
  // between the elements (100 · 1 + 300 · 5) / 400 = 4, so level 3 lies at two thirds of the first
  const areas = features.map((one) => [one.values[0], Number(polygonArea(one).toFixed(3))]);
  t.deepEqual(areas.toSorted(), [
    [0, 66.667],
    [3, 333.333],
  ]);
});

test('polygons of meshes are valid and cover the triangles, also where parts meet at a node', async (t) => {
  const next = random(3);
  for (let n = 0; n < 40; n++) {
    const side = 5;
    const points = Array.from(
      { length: side * side },
      (_, k): Point => [(k % side) * 10 + 4 * next(), Math.floor(k / side) * 10 + 4 * next()],
    );
    const quads = Array.from({ length: (side - 1) ** 2 }, (_, k) => {
      const a = (k % (side - 1)) + side * Math.floor(k / (side - 1));
      return [a, a + 1, a + side + 1, a + side];
    });
    const cells = quads
      .flatMap((quad, k) => (k % 2 === 0 ? [quad] : [quad.slice(0, 3), [quad[0]!, quad[2]!, quad[3]!]]))
      .filter(() => next() > [0, 0.3, 0.5][n % 3]!);
    const values = points.map(() => (n % 2 === 0 ? next() * 5 : Math.floor(next() * 4)));
    const { features } = await contoursOf(t, meshOf(points, cells, 'node', values), {
      levels: [-1, 0, 1, 2, 3, 9],
      as: 'polygons',
    });
    for (const feature of features) t.is(whyInvalid(ringsOf(feature)), undefined, `mesh ${n}`);
    const covered = cells.reduce((sum, cell) => sum + areaOf([...cell, cell[0]!].map((node) => points[node]!)), 0);
    const area = features.reduce((sum, feature) => sum + polygonArea(feature), 0);
    t.true(Math.abs(area - covered) < 1e-2, `mesh ${n}: ${area}, not ${covered}`);
  }
});

test('each layer of a mesh has contours, with the layer as a field', async (t) => {
  const { features, collection, lost } = await contoursOf(t, layeredMesh(), { levels: [0.5, 1.5] });
  t.deepEqual(
    collection.fields.map(({ name }) => name),
    ['level', 'item', 'time', 'layer'],
  );
  // the elements have the values 0 and 2 in the lower layer, 1 and 3 in the upper one
  t.deepEqual(features.map(({ values }) => [values[3], values[0]]).toSorted(), [
    [0, 0.5],
    [0, 1.5],
    [1, 1.5],
  ]);
  t.true(lost.some((sentence) => sentence.includes('first of 3 items, depth')));
});

test('meshes that stand upright are refused with a sentence', async (t) => {
  const error = await t.throwsAsync(contoursOf(t, { ...flatMesh(), section: 'profile' }, { levels: [1] }), {
    instanceOf: ConversionError,
  });
  t.regex(error!.message, /vertical profile/);
});
