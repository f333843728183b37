import test, { type ExecutionContext } from 'ava';
import { featuresToMesh } from '../../src/files/convert/bridges/features-to-mesh.ts';
import type { MeshQuality } from '../../src/files/convert/conversion.ts';
import type { FeatureCollection, Geometry } from '../../src/files/data/feature-collection.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import { cellCentres } from '../../src/files/data/mesh-cells.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { collection as collectionText, feature, geometryOf } from './features.ts';
import { converted } from './files.ts';
import { read } from './read.ts';

type Position = readonly number[];

/** Rings in the order outer, holes; closed here. */
function polygon(...rings: readonly (readonly Position[])[]): Geometry {
  const closed = rings.map((ring) => [...ring, ring[0]!]);
  const parts = closed.map((_, n) => closed.slice(0, n).reduce((sum, ring) => sum + ring.length, 0));
  return { type: 'Polygon', coordinates: Float64Array.from(closed.flat(2)), parts: Uint32Array.from(parts) };
}

const point = (place: Position): Geometry => ({ type: 'Point', coordinates: Float64Array.from(place) });

const collection = (
  features: readonly (readonly [Geometry, ...unknown[]])[],
  { hasZ = false, fields = [{ name: 'roughness', type: 'real' }] as FeatureCollection['fields'] } = {},
): FeatureCollection => ({
  kind: 'features',
  crs: parseSrid(25832),
  fields,
  hasZ,
  hasM: false,
  async *chunks() {
    yield features.map(([geometry, ...values]) => ({ geometry, values }));
  },
});

async function meshOf(t: ExecutionContext, features: FeatureCollection, parameters: Record<string, unknown> = {}) {
  const lost: string[] = [];
  let quality: MeshQuality | undefined;
  const mesh = await featuresToMesh(features, {
    parameters: { MinimumAngle: 26, ...parameters },
    writer: { name: 'DfsuWriter' },
    stem: 'made',
    quality(of) {
      quality = of;
    },
    context: {
      signal: new AbortController().signal,
      scratch: '',
      log() {},
      progress() {},
      reportLoss: (sentence) => void lost.push(sentence),
      remark() {},
      reportBadRecord() {},
      onEnd() {},
    },
  });
  t.is(quality!.elements, mesh.shapes.length);
  t.is(quality!.nodes, mesh.nodes.length / 3);
  return { mesh, lost, quality: quality! };
}

/** Area, smallest angle in degrees and largest element, computed from the triangles alone. */
function measured({ nodes, connectivity }: Mesh) {
  let [area, angle, largest] = [0, Infinity, 0];
  for (let e = 0; e < connectivity.length; e += 3) {
    const corners = [0, 1, 2].map(
      (k) => [nodes[3 * connectivity[e + k]!]!, nodes[3 * connectivity[e + k]! + 1]!] as const,
    );
    const [a, b, c] = [corners[0]!, corners[1]!, corners[2]!];
    const own = ((b[0]! - a[0]!) * (c[1]! - a[1]!) - (c[0]! - a[0]!) * (b[1]! - a[1]!)) / 2;
    area += own;
    largest = Math.max(largest, own);
    for (let k = 0; k < 3; k++) {
      const [p, q, r] = [corners[k]!, corners[(k + 1) % 3]!, corners[(k + 2) % 3]!];
      const sides = [Math.hypot(q[0] - p[0], q[1] - p[1]), Math.hypot(r[0] - p[0], r[1] - p[1])] as const;
      const cosine = ((q[0] - p[0]) * (r[0] - p[0]) + (q[1] - p[1]) * (r[1] - p[1])) / sides[0] / sides[1];
      angle = Math.min(angle, (Math.acos(cosine) * 180) / Math.PI);
    }
    if (own <= 0) throw new Error(`Element ${e / 3} has the area ${own}.`);
  }
  return { area, angle, largest };
}

/** Every edge belongs to two triangles, or to one on the rim, whose nodes have code 1. */
function edgesOf({ connectivity }: Mesh): Map<string, number> {
  const edges = new Map<string, number>();
  for (let e = 0; e < connectivity.length; e++) {
    const next = e % 3 === 2 ? e - 2 : e + 1;
    const key = [connectivity[e]!, connectivity[next]!].sort((a, b) => a - b).join();
    edges.set(key, (edges.get(key) ?? 0) + 1);
  }
  return edges;
}

const square = [
  [0, 0],
  [100, 0],
  [100, 100],
  [0, 100],
];
const east = square.map(([x, y]) => [x! + 100, y!]);

test('a polygon becomes triangles of bounded area and angle; its corners are nodes, boundary nodes get code 1', async (t) => {
  const { mesh, quality } = await meshOf(t, collection([[polygon(square), 0.5]]), { MaximumElementArea: 50 });
  const { area, angle, largest } = measured(mesh);
  t.true(Math.abs(area - 10_000) < 1e-6);
  t.true(largest <= 50 && angle >= 26, `${largest} ${angle}`);
  t.true(Math.abs(quality.smallestAngle - angle) < 1e-6 && Math.abs(quality.largestElement - largest) < 1e-9);
  t.deepEqual([...mesh.nodes.subarray(0, 12)], [0, 0, 0, 100, 0, 0, 100, 100, 0, 0, 100, 0]);
  const edges = edgesOf(mesh);
  const rim = new Set([...edges].filter(([, count]) => count === 1).flatMap(([key]) => key.split(',').map(Number)));
  t.deepEqual(
    [...mesh.nodeCodes!],
    Array.from({ length: mesh.nodeCodes!.length }, (_, n) => Number(rim.has(n))),
  );
  t.true([...edges.values()].every((count) => count <= 2));
  t.deepEqual(new Set(await mesh.values(0, 0)), new Set([0.5]));
  t.is(mesh.crs?.code, 25832);
});

test('MaximumElementArea defaults to a thousandth of the total area', async (t) => {
  const { mesh } = await meshOf(t, collection([[polygon(square), 1]]));
  t.true(measured(mesh).largest <= 10);
});

test('holes are kept, and adjacent polygons share the nodes of both along their border', async (t) => {
  const hole = [
    [40, 40],
    [40, 60],
    [60, 60],
    [60, 40],
  ];
  const more = [...east.slice(0, 4), [100, 50]];
  const { mesh } = await meshOf(
    t,
    collection([
      [polygon(square, hole), 1],
      [polygon(more), 2],
    ]),
    { MaximumElementArea: 100 },
  );
  const { area, angle } = measured(mesh);
  t.true(Math.abs(area - 19_600) < 1e-6);
  t.true(angle >= 26);
  const centres = cellCentres(mesh);
  const values = await mesh.values(0, 0);
  for (const [n, value] of values.entries()) {
    const [x, y] = [centres[3 * n]!, centres[3 * n + 1]!];
    t.false(x > 40 && x < 60 && y > 40 && y < 60);
    t.is(value, x < 100 ? 1 : 2);
  }
  // Edges on the shared border belong to one triangle on each side.
  const onBorder = [...edgesOf(mesh)].filter(([key]) => key.split(',').every((n) => mesh.nodes[3 * Number(n)] === 100));
  t.true(onBorder.length > 4 && onBorder.every(([, count]) => count === 2));
});

test('vertex heights are interpolated, and become the item Bathymetry without numeric fields', async (t) => {
  const slope = square.map(([x, y]) => [x!, y!, -x! / 10]);
  const fields = [{ name: 'name', type: 'string' as const }];
  const { mesh } = await meshOf(t, collection([[polygon(slope), 'bay']], { hasZ: true, fields }));
  t.like(mesh.items[0], { name: 'Bathymetry', eum: { item: 100_079, unit: 1000 }, location: 'cell' });
  const centres = cellCentres(mesh);
  const values = await mesh.values(0, 0);
  t.is(values.length, mesh.shapes.length);
  for (const [n, value] of values.entries()) t.true(Math.abs(value + centres[3 * n]! / 10) < 1e-5);
});

test('a missing number becomes a deleted value; other features are left out and reported', async (t) => {
  const line: Geometry = { type: 'LineString', coordinates: Float64Array.of(0, 0, 1, 1), parts: Uint32Array.of(0) };
  const { mesh, lost } = await meshOf(
    t,
    collection([
      [polygon(square), null],
      [line, 3],
      [point([50, 50]), 4],
    ]),
    { MaximumElementArea: 5000 },
  );
  t.deepEqual(new Set(await mesh.values(0, 0)), new Set([mesh.items[0]!.nodata]));
  t.regex(lost.join(), /1 points among the polygons/);
  t.regex(lost.join(), /1 features are neither polygons nor points/);
  // The point has not become a node of its own.
  t.false(
    [...mesh.nodes].some((x, n) => n % 3 === 0 && x === 50 && mesh.nodes[n + 1] === 50) && mesh.shapes.length === 4,
  );
});

test('a polygon that crosses itself or another one is refused with the location', async (t) => {
  const bow = [
    [0, 0],
    [10, 10],
    [10, 0],
    [0, 10],
  ];
  await t.throwsAsync(
    meshOf(
      t,
      collection([
        [polygon(square.map(([x, y]) => [x! + 500, y!])), 1],
        [polygon(bow), 2],
      ]),
    ),
    {
      message: /^The border of polygon 2 crosses itself at \(5, 5\)\./,
    },
  );
  const shifted = square.map(([x, y]) => [x! + 50, y! + 50]);
  await t.throwsAsync(
    meshOf(
      t,
      collection([
        [polygon(square), 1],
        [polygon(shifted), 2],
      ]),
    ),
    {
      message: /^The borders of polygon 1 and polygon 2 cross at \((100, 50|50, 100)\)\./,
    },
  );
});

test('sharp polygon corners stop the refinement only near them', async (t) => {
  const spike = [
    [0, 0],
    [100, 0],
    [100, 5],
  ];
  const { mesh } = await meshOf(t, collection([[polygon(spike), 1]]));
  const { area, angle } = measured(mesh);
  t.true(Math.abs(area - 250) < 1e-6);
  // The corner itself has 2.86°.
  t.true(angle > 2.8 && angle < 2.9, String(angle));
  t.true(mesh.shapes.length < 5000);
});

test('a coastline of many vertices far from the origin keeps its area and the minimum angle', async (t) => {
  const coast = Array.from({ length: 500 }, (_, n) => {
    const radius = 1000 + 100 * Math.sin(n * 1.7) + 50 * Math.cos(n * 0.9);
    const turn = (n / 250) * Math.PI;
    return [550_000 + radius * Math.cos(turn), 6_150_000 + radius * Math.sin(turn)];
  });
  const shoelace = coast.reduce((sum, [x, y], n) => {
    const [nx, ny] = coast[(n + 1) % coast.length]!;
    return sum + ((x! - 550_000) * (ny! - 6_150_000) - (nx! - 550_000) * (y! - 6_150_000)) / 2;
  }, 0);
  const { mesh } = await meshOf(t, collection([[polygon(coast), 1]]), { MaximumElementArea: 2000 });
  const { area, largest } = measured(mesh);
  t.true(Math.abs(area / shoelace - 1) < 1e-6, `${area} ${shoelace}`);
  t.true(largest <= 2000);
  // All corners are nodes.
  const nodes = new Set(
    Array.from({ length: mesh.nodes.length / 3 }, (_, n) => `${mesh.nodes[3 * n]} ${mesh.nodes[3 * n + 1]}`),
  );
  t.true(coast.every(([x, y]) => nodes.has(`${x} ${y}`)));
});

test('a MaximumElementArea that needs millions of elements is refused immediately', async (t) => {
  await t.throwsAsync(meshOf(t, collection([[polygon(square), 1]]), { MaximumElementArea: 1e-4 }), {
    message: /needs more than 2000000 elements of at most .*\. Give a larger MaximumElementArea/,
  });
});

test('points become their Delaunay triangulation without added nodes', async (t) => {
  const places = [
    [0, 0, -1],
    [10, 0, -2],
    [10, 10, -3],
    [0, 10, -4],
    [5, 5, -9],
    [5, 5, -7],
  ];
  const { mesh, lost } = await meshOf(
    t,
    collection(
      places.map((place, n) => [point(place), n === 1 ? null : n] as const),
      { hasZ: true },
    ),
  );
  t.is(mesh.shapes.length, 4);
  t.deepEqual([...mesh.nodes], places.slice(0, 5).flat());
  t.deepEqual([...mesh.nodeCodes!], [1, 1, 1, 1, 0]);
  t.regex(lost.join(), /1 points with the coordinates of another one/);
  const values = [...(await mesh.values(0, 0))];
  const nodata = mesh.items[0]!.nodata!;
  const wanted = Array.from({ length: 4 }, (_, e) => {
    const nodes = [...mesh.connectivity.subarray(3 * e, 3 * e + 3)];
    return nodes.includes(1) ? nodata : Math.fround(nodes.reduce((sum, n) => sum + n, 0) / 3);
  });
  t.deepEqual(values, wanted);
  t.is(values.filter((value) => value === nodata).length, 2);
  const straight = collection([0, 1, 2].map((n) => [point([n, n]), n] as const));
  await t.throwsAsync(meshOf(t, straight), { message: /lie on one line/ });
  await t.throwsAsync(meshOf(t, collection([])), { message: /polygons or points/ });
});

test('numbers beyond single precision are written as doubles, or reported as rounded', async (t) => {
  const tile = (west: number) => [
    [
      [west, 0],
      [west + 1, 0],
      [west + 1, 1],
      [west, 0],
    ],
  ];
  const text = collectionText([
    feature(geometryOf('Polygon', tile(0)), { id: 123_456_789, class: 1.5 }),
    feature(geometryOf('Polygon', tile(1)), { id: null, class: 2 }),
  ]);
  const asked = { reader: 'GeoJsonReader', writer: 'DfsuWriter' };
  const written = async (writerParameters: Record<string, unknown>) => {
    const { bytes, receipt } = await converted(t, text, {
      ...asked,
      writerParameters: { MaximumElementArea: 1, MinimumAngle: 0, ...writerParameters },
    });
    const { data } = await read(t, 'mesh', 'DfsuReader', bytes);
    const values = [[...(await data.values(0, 0))], [...(await data.values(1, 0))]];
    return { items: data.items, values, lost: receipt.lost };
  };
  const single = await written({});
  const order = 'The polygons became 2 triangles in an order of their own, each with the values of its polygon.';
  t.deepEqual(single.lost, [order, "1 values of 'id' were rounded to single precision."]);
  t.deepEqual(single.values, [
    [123_456_792, single.items[0]!.nodata!],
    [1.5, 2],
  ]);
  const double = await written({ WriteAsFloat: false });
  t.deepEqual(double.lost, [order]);
  t.deepEqual(
    double.items.map(({ type }) => type),
    ['Float64', 'Float32'],
  );
  t.deepEqual(double.values, [
    [123_456_789, double.items[0]!.nodata!],
    [1.5, 2],
  ]);
});

test('the mean of three points keeps numbers that single precision would round', async (t) => {
  const corners = [point([0, 0]), point([10, 0]), point([0, 10])];
  const fields = [{ name: 'id', type: 'integer' as const }];
  const { mesh } = await meshOf(
    t,
    collection(
      corners.map((one, n) => [one, 123_456_788 + n] as const),
      { fields },
    ),
  );
  t.is(mesh.items[0]!.type, 'Float64');
  t.deepEqual(await mesh.values(0, 0), Float64Array.of(123_456_789));
});
