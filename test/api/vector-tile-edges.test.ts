import test, { type ExecutionContext } from 'ava';
import type { Mesh } from '../../src/files/data/mesh.ts';
import { transformer } from '../../src/files/geo/crs/transform.ts';
import { HALF_WORLD } from '../../src/files/tiles/matrices.ts';
import { squares } from '../formats/tiles/tiling.ts';
import { type DecodedFeature, decodeTile } from '../world/decode-mvt.ts';
import { newStore } from '../world/stores.ts';
import { newFeatures } from '../world/tiles.ts';
import { newProject } from '../world/transfers.ts';
import { type Client, world } from '../world.ts';

const w = world(test);

let made: Promise<{ client: Client; projectId: string }> | undefined;
const scene = () => {
  made ??= (async () => {
    const client = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
    return { client, projectId: await newProject(client) };
  })();
  return made;
};

type Point = [x: number, y: number];
const EXTENT = 4096;
const BUFFER = 64;

async function transformed(points: readonly Point[], from: number, to: number): Promise<Point[]> {
  using change = await transformer({ authority: 'EPSG', code: from }, { authority: 'EPSG', code: to });
  const [x, y] = [Float64Array.from(points, ([one]) => one), Float64Array.from(points, ([, one]) => one)];
  change.forward(x, y);
  return points.map((_, n) => [x[n]!, y[n]!]);
}

/** Column and row of a level as fractions. */
const inMatrix = ([x, y]: Point, level: number): Point => [
  ((x + HALF_WORLD) / (2 * HALF_WORLD)) * 2 ** level,
  ((HALF_WORLD - y) / (2 * HALF_WORLD)) * 2 ** level,
];

const doubleArea = (path: readonly Point[]) =>
  path.reduce((sum, [x, y], n) => {
    const [px, py] = path.at(n - 1)!;
    return sum + px * y - x * py;
  }, 0);

/** How far a point lies off a convex polygon; 0 inside. */
function distanceOff(polygon: readonly Point[], [x, y]: Point): number {
  const sign = Math.sign(doubleArea(polygon));
  let [isInside, nearest] = [true, Number.POSITIVE_INFINITY];
  for (const [n, [bx, by]] of polygon.entries()) {
    const [ax, ay] = polygon.at(n - 1)!;
    const [dx, dy] = [bx - ax, by - ay];
    if (sign * (dx * (y - ay) - dy * (x - ax)) < 0) isInside = false;
    const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
    nearest = Math.min(nearest, Math.hypot(x - ax - along * dx, y - ay - along * dy));
  }
  return isInside ? 0 : nearest;
}

const SIDE = 12;
const isHole = (element: number) => element >= 100 && element < 110;
const valueAt = (element: number, step: number) => 1000 * step + element;

/** Squares of 100 m in triangles; each step has other values, and some elements have none. */
function steppedSquares(corner: readonly [number, number], code: number): Mesh {
  const { items, ...mesh } = squares(SIDE, corner, code);
  return {
    ...mesh,
    items: items.slice(1),
    time: {
      spacing: 'equidistant',
      unit: 'hour',
      start: Date.UTC(2024, 4, 2, 10),
      count: 2,
      offset: 0,
      interval: 6,
    },
    values: async (_item, step) =>
      Float64Array.from({ length: mesh.shapes.length }, (_, n) => (isHole(n) ? Number.NaN : valueAt(n, step))),
  };
}

/** Triangles of the mesh in Web Mercator; one across the antimeridian runs on beyond it. */
async function trianglesOf({ nodes, connectivity }: Mesh, code: number): Promise<Point[][]> {
  const points = await transformed(
    Array.from({ length: nodes.length / 3 }, (_, n): Point => [nodes[3 * n]!, nodes[3 * n + 1]!]),
    code,
    3857,
  );
  const onOneSide = points.map(([x, y]): Point => {
    const turns = Math.round((points[0]![0] - x) / (2 * HALF_WORLD));
    return [x + turns * 2 * HALF_WORLD, y];
  });
  return Array.from({ length: connectivity.length / 3 }, (_, n) =>
    Array.from(connectivity.subarray(3 * n, 3 * n + 3), (node) => onOneSide[node]!),
  );
}

/**
 * At every level and step: what is drawn of an element lies on it and has its value; elements of more than two pixels
 * are all drawn, with their corners; the area of all is kept.
 */
async function expectElements(t: ExecutionContext, corner: readonly [number, number], code: number): Promise<void> {
  const { client, projectId } = await scene();
  const mesh = steppedSquares(corner, code);
  const id = await newStore(w, projectId, await w.administrator(), `squares ${code}`, mesh);
  const triangles = await trianglesOf(mesh, code);
  for (const level of [0, 3, 7, 9, 10, 11, 12, 13, 14, 15, 16]) {
    const size = 2 ** level;
    const placed = triangles.map((one) => one.map((point) => inMatrix(point, level)));
    const axis = (n: 0 | 1) => placed.flatMap((one) => one.map((point) => Math.floor(point[n])));
    const [columns, rows] = [[...new Set(axis(0))], [...new Set(axis(1).filter((row) => row >= 0 && row < size))]];
    let [drawnArea, area] = [0, 0];
    for (const column of columns)
      for (const row of rows) {
        const place = `${level}/${(column + size) % size}/${row}`;
        const inTile = placed.map((one) => one.map(([x, y]): Point => [(x - column) * EXTENT, (y - row) * EXTENT]));
        for (const step of level % 2 === 0 ? [0, 1] : [1]) {
          const { status, raw } = await client.get(
            `/api/vectortiles/dataset/${id}/${place}.vector.pbf?timeStep=${step}`,
          );
          const features = status === 204 ? [] : decodeTile(raw)[0]!.features;
          for (const one of features) {
            const [x] = one.paths[0]![0]!;
            // of the copies of an element on both sides of the antimeridian, the one that is drawn
            const turn = EXTENT * size * Math.round((x - inTile[one.id - 1]![0]![0]) / (EXTENT * size));
            const corners = inTile[one.id - 1]!.map(([u, v]): Point => [u + turn, v]);
            expectOnElement(t, `${place}, step ${step}`, one, corners, step);
          }
          const drawn = new Set(features.map((one) => one.id));
          const missing = inTile.flatMap((corners, n) =>
            isLarge(corners) && liesIn(corners) && !drawn.has(n + 1) ? [n] : [],
          );
          t.deepEqual(missing, [], `${place}: elements in the tile that are not drawn`);
          if (step === 0) continue;
          for (const { paths } of features) for (const path of paths) drawnArea += Math.abs(doubleArea(clipped(path)));
        }
        for (const corners of inTile) area += Math.abs(doubleArea(clipped(corners)));
      }
    // a pixel are 16 × 16 units, of which this is twice the area
    if (area > 2 * 256)
      t.true(drawnArea > 0.4 * area && drawnArea < 2.5 * area, `level ${level}: ${drawnArea} of ${area}`);
    else t.true(drawnArea > 0, `level ${level} is not empty`);
  }
}

const PIXEL = 16;
const isLarge = (corners: readonly Point[]) => Math.abs(doubleArea(corners)) > 2 * (2 * PIXEL) ** 2;
const liesIn = (corners: readonly Point[]) => {
  const [x, y] = [0, 1].map((n) => corners.reduce((sum, point) => sum + point[n as 0 | 1], 0) / corners.length);
  return Math.min(x!, y!) > 0 && Math.max(x!, y!) < EXTENT;
};

/** The part of a polygon in the tile without its buffer. */
function clipped(path: readonly Point[]): Point[] {
  let rest = [...path];
  for (const [n, edge, sign] of [
    [0, 0, 1],
    [0, EXTENT, -1],
    [1, 0, 1],
    [1, EXTENT, -1],
  ] as const) {
    const off = (point: Point) => sign * (point[n] - edge);
    rest = rest.flatMap((point, k) => {
      const before = rest.at(k - 1)!;
      const [a, b] = [off(before), off(point)];
      const share = a / (a - b);
      const cut: Point[] =
        a < 0 !== b < 0
          ? [[before[0] + share * (point[0] - before[0]), before[1] + share * (point[1] - before[1])]]
          : [];
      return b < 0 ? cut : [...cut, point];
    });
  }
  return rest;
}

function expectOnElement(t: ExecutionContext, name: string, drawn: DecodedFeature, corners: Point[], step: number) {
  const element = drawn.id - 1;
  t.is(drawn.attributes.Number, isHole(element) ? undefined : valueAt(element, step), `${name}: value of ${element}`);
  t.is(drawn.type, 3);
  const isCoalesced = !isLarge(corners);
  // elements smaller than a pixel are drawn as a pixel
  const tolerance = isCoalesced ? 2 * PIXEL : 2;
  for (const point of drawn.paths.flat()) {
    const off = distanceOff(corners, point);
    if (off > tolerance) t.fail(`${name}: ${point} of element ${element} lies ${off} units off it`);
    if (Math.min(...point) < -BUFFER || Math.max(...point) > EXTENT + BUFFER)
      t.fail(`${name}: ${point} is beyond the buffer`);
  }
  if (isCoalesced) return;
  for (const corner of corners) {
    if (Math.min(...corner) < 0 || Math.max(...corner) > EXTENT) continue;
    const near = Math.min(...drawn.paths.flat().map(([x, y]) => Math.hypot(x - corner[0], y - corner[1])));
    if (near > 2) t.fail(`${name}: corner ${corner} of element ${element} is missing`);
  }
}

test('elements of a mesh are drawn at their coordinates with the values of their steps, at every level', async (t) => {
  await expectElements(t, [600_000, 6_200_000], 25832);
});

test('so do elements on both sides of the antimeridian', async (t) => {
  const [[x, y]] = (await transformed([[180, 56]], 4326, 32660)) as [Point];
  await expectElements(t, [x - 50 * SIDE, y - 50 * SIDE], 32660);
});

for (const [name, code, latitude] of [
  ['north', 3413, 85.051],
  ['south', 3031, -85.051],
] as const)
  test(`so do elements across the ${name} edge of Web Mercator`, async (t) => {
    const [[x, y]] = (await transformed([[77, latitude]], 4326, code)) as [Point];
    await expectElements(t, [x - 50 * SIDE, y - 50 * SIDE], code);
  });

test('points are drawn at their coordinates on all levels from 0 to 22, also in the corners of the matrix', async (t) => {
  const { client, projectId } = await scene();
  const places: Point[] = [
    [12.345678, 55.678901],
    [-122.4, -33.3],
    [-179.999999, 85.0511],
    [179.999999, -85.0511],
    [0.000001, -0.000001],
  ];
  const features = places.map((coordinates, n) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates },
    properties: { n },
  }));
  const text = JSON.stringify({ type: 'FeatureCollection', features });
  const url = `/api/vectortiles/dataset/${await newFeatures(w, projectId, await w.administrator(), text)}`;
  const inMercator = await transformed(places, 4326, 3857);
  for (let level = 0; level <= 22; level++)
    for (const [n, point] of inMercator.entries()) {
      const [x, y] = inMatrix(point, level);
      const [column, row] = [Math.floor(x), Math.floor(y)];
      const { status, raw } = await client.get(`${url}/${level}/${column}/${row}.vector.pbf`);
      t.is(status, 200, `${level}/${column}/${row}`);
      const found = decodeTile(raw)[0]!.features.find(({ attributes }) => attributes.n === n)!;
      const [u, v] = found.paths[0]![0]!;
      const off = Math.hypot(u - (x - column) * EXTENT, v - (y - row) * EXTENT);
      t.true(off < 0.75, `${level}/${column}/${row}: ${off} units off`);
    }
});

test('a point on the corner of four tiles lies in each of them', async (t) => {
  const { client, projectId } = await scene();
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [0, 0] }, properties: {} };
  const text = JSON.stringify({ type: 'FeatureCollection', features: [feature] });
  const url = `/api/vectortiles/dataset/${await newFeatures(w, projectId, await w.administrator(), text)}`;
  for (const level of [1, 5, 14])
    for (const [dx, dy] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const middle = 2 ** (level - 1);
      const { raw } = await client.get(`${url}/${level}/${middle - dx}/${middle - dy}.vector.pbf`);
      t.deepEqual(decodeTile(raw)[0]!.features[0]!.paths, [[[dx * EXTENT, dy * EXTENT]]]);
    }
});
