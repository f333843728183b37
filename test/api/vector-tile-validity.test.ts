import test, { type ExecutionContext } from 'ava';
import { CELL_SHAPES } from '../../src/files/data/mesh.ts';
import { decodeTile } from '../world/decode-mvt.ts';
import { faultOf, isInFeature } from '../world/mvt-validity.ts';
import { randomOf } from '../world/random.ts';
import { newStore } from '../world/stores.ts';
import { newFeatures } from '../world/tiles.ts';
import { newProject } from '../world/transfers.ts';
import { type Client, type User, world } from '../world.ts';

const w = world(test);

let made: Promise<{ client: Client; owner: User; projectId: string }> | undefined;
const scene = () => {
  made ??= (async () => {
    const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const client = w.as(owner);
    return { client, owner, projectId: await newProject(client) };
  })();
  return made;
};

type Point = [x: number, y: number];
type Polygon = Point[][];

const box = (x: number, y: number, width: number, height: number): Point[] => [
  [x, y],
  [x + width, y],
  [x + width, y + height],
  [x, y + height],
];
const closed = (ring: Point[]) => [...ring, ring[0]!];

async function stored(polygons: readonly Polygon[][]): Promise<string> {
  const { owner, projectId } = await scene();
  const features = polygons.map((one, id) => ({
    type: 'Feature',
    id,
    geometry: { type: 'MultiPolygon', coordinates: one.map((polygon) => polygon.map(closed)) },
    properties: {},
  }));
  return newFeatures(w, projectId, owner, JSON.stringify({ type: 'FeatureCollection', features }));
}

const latitudes = (y: number) => 0.5 - Math.log(Math.tan(Math.PI / 4 + (y * Math.PI) / 360)) / (2 * Math.PI);

/** Units of a tile. */
const inTile =
  (level: number, column: number, row: number) =>
  ([x, y]: Point): Point => [((x / 360 + 0.5) * 2 ** level - column) * 4096, (latitudes(y) * 2 ** level - row) * 4096];

async function tileOf(id: string, level: number, column: number, row: number) {
  const { client } = await scene();
  const answer = await client.get(`/api/vectortiles/dataset/${id}/${level}/${column}/${row}.vector.pbf`);
  return answer.status === 204 ? [] : decodeTile(answer.raw)[0]!.features;
}

/** How far a point lies off the edges of polygons. */
function distance(polygons: readonly Polygon[], [x, y]: Point): number {
  let nearest = Infinity;
  for (const ring of polygons.flat())
    for (const [n, [bx, by]] of ring.entries()) {
      const [ax, ay] = ring.at(n - 1)!;
      const [dx, dy] = [bx - ax, by - ay];
      const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
      nearest = Math.min(nearest, Math.hypot(x - ax - along * dx, y - ay - along * dy));
    }
  return nearest;
}

/** All polygons in some tiles at and around each first corner are valid, and cover what they cover in the data. */
async function expectValid(
  t: ExecutionContext,
  polygons: readonly Polygon[][],
  {
    levels,
    random,
    cover = () => true,
  }: { levels: readonly number[]; random: () => number; cover?: (id: number) => boolean },
): Promise<void> {
  const id = await stored(polygons);
  let drawn = 0;
  for (const level of levels) {
    const corners = polygons.map((one) => inTile(level, 0, 0)(one[0]![0]![0]!).map((v) => Math.floor(v / 4096)));
    for (const place of new Set(corners.map((corner) => corner.join(' ')))) {
      const [column, row] = place.split(' ').map(Number) as [number, number];
      const features = await tileOf(id, level, column, row);
      for (const feature of features) {
        drawn++;
        const fault = faultOf(feature);
        if (fault !== undefined) t.fail(`${level}/${column}/${row}, feature ${feature.id}: ${fault}`);
      }
      for (const [own, source] of polygons.entries()) {
        if (!cover(own)) continue;
        const units = source.map((polygon) => polygon.map((ring) => ring.map(inTile(level, column, row))));
        // Smaller ones are coalesced.
        const xs = units.flat(2).map(([x]) => x);
        if (Math.max(...xs) - Math.min(...xs) < 40) continue;
        const found = features.find((one) => one.id === own) ?? { paths: [] };
        const corner = units[0]![0]![0]!;
        for (let n = 0; n < 12; n++) {
          const near = 10 ** (4 * random());
          const point: Point = [corner[0] + (random() - 0.5) * near, corner[1] + (random() - 0.5) * near];
          if (point.some((v) => v < -60 || v > 4156) || distance(units, point) < 3) continue;
          const isInside = units.some((polygon) => isInFeature({ paths: polygon }, point));
          if (isInFeature(found, point) !== isInside)
            t.fail(`${level}/${column}/${row}, feature ${own}: ${point.join(' ')} is ${isInside ? 'not ' : ''}drawn`);
        }
      }
    }
  }
  t.true(drawn > 0);
}

test('a hole has no tiles, and holes at the edge of a tile or of their ring are cut out of it', async (t) => {
  const random = randomOf(41);
  const ring: Polygon = [box(0, 0, 20, 20), box(1, 1, 18, 18).reverse()];
  const id = await stored([[ring]]);
  const { client } = await scene();
  for (const place of ['6/33/30', '6/33/29', '6/34/30', '6/34/29'])
    t.is((await client.get(`/api/vectortiles/dataset/${id}/${place}.vector.pbf`)).status, 204, place);
  await expectValid(t, [[ring], [[box(30, 0, 10, 10), box(30, 2, 5, 5), box(38, 8, 4, 4)]]], {
    levels: [0, 3, 4, 5, 6, 7, 9, 12, 16, 20],
    random,
  });
});

test('polygons of all tiles are valid, also from invalid rings', async (t) => {
  const random = randomOf(7);
  const between = (low: number, high: number) => low + (high - low) * random();
  const star = (x: number, y: number, radius: number, corners: number, rough: number): Point[] =>
    Array.from({ length: corners }, (_, n): Point => {
      const [angle, own] = [(2 * Math.PI * n) / corners, radius * (1 - rough * random())];
      return [x + own * Math.cos(angle), y + own * Math.sin(angle)];
    });
  const comb = (x: number, y: number, size: number, teeth: number): Point[] => [
    ...Array.from({ length: teeth }, (_, n): Point[] => {
      const [from, to] = [x + (size * (n + 0.2)) / teeth, x + (size * (n + 0.7)) / teeth];
      return [
        [from, y],
        [from, y + between(0.2, 1) * size],
        [to, y + between(0.2, 1) * size],
        [to, y],
      ];
    }).flat(),
    [x + size, y],
    [x + size, y - size / 50],
    [x, y - size / 50],
  ];
  const kinds: ((x: number, y: number, size: number) => Polygon[])[] = [
    (x, y, size) => [[star(x, y, size, 150, 0.9)]],
    (x, y, size) => [[comb(x, y, size, 40)]],
    // Holes that touch each other, and one that leaves a sliver of its ring.
    (x, y, size) => [[box(x, y, size, size), box(x + size * 1e-5, y + size * 1e-5, size / 2, size / 2)]],
    (x, y, size) => [
      [
        box(x, y, size, size),
        ...[1, 3, 5, 7].map((n): Point[] => [
          [x + (n * size) / 10, y + size / 2],
          [x + ((n + 1) * size) / 10, y + size / 4],
          [x + ((n + 2) * size) / 10, y + size / 2],
          [x + ((n + 1) * size) / 10, y + (3 * size) / 4],
        ]),
      ],
    ],
    // Parts that touch in corners and along edges.
    (x, y, size) =>
      [0, 1, 2, 3, 4, 5].map((n) => [box(x + ((n % 3) * size) / 3, y + ((n >> 1) * size) / 3, size / 3, size / 3)]),
    (x, y, size) => [
      [
        star(x, y, size, 40, 0.2),
        ...Array.from({ length: 8 }, () =>
          star(x + between(-0.3, 0.3) * size, y + between(-0.3, 0.3) * size, size / 20, 9, 0.5),
        ),
      ],
    ],
    // Not valid in the data: a bow tie and a ring of chance.
    (x, y, size) => [
      [
        [
          [x, y],
          [x + size, y + size],
          [x + size, y],
          [x, y + size],
        ],
      ],
    ],
    (x, y, size) => [[Array.from({ length: 30 }, (): Point => [x + size * random(), y + size * random()])]],
  ];
  const polygons = Array.from({ length: 40 }, (_, n) =>
    kinds[n % kinds.length]!(between(-150, 150), between(-60, 60), 10 ** between(-3, 1)),
  );
  // Parts side by side and rings of chance cover what another rule than that of even and odd says.
  const cover = (id: number) => ![4, 5, 7].includes(id % kinds.length);
  await expectValid(t, polygons, { levels: [1, 4, 7, 10, 14], random, cover });
});

test('neighbouring elements share their corners in a tile, without gaps', async (t) => {
  const { client, projectId } = await scene();
  const random = randomOf(3);
  const side = 12;
  // Quadrilaterals, many of them nearly triangles.
  const nodes = Float64Array.from({ length: 3 * (side + 1) ** 2 }, (_, at) => {
    const node = Math.floor(at / 3);
    if (at % 3 === 2) return 0;
    return at % 3 === 0
      ? 10 + 0.001 * ((node % (side + 1)) + 0.45 * random())
      : 50 + 0.001 * (Math.floor(node / (side + 1)) + 0.45 * random());
  });
  const connectivity = Uint32Array.from({ length: 4 * side ** 2 }, (_, at) => {
    const [cell, corner] = [at >> 2, at & 3];
    const first = Math.floor(cell / side) * (side + 1) + (cell % side);
    return first + [0, 1, side + 2, side + 1][corner]!;
  });
  const id = await newStore(w, projectId, await w.administrator(), 'quads', {
    kind: 'mesh',
    crs: { authority: 'EPSG', code: 4326 },
    nodes,
    shapes: new Uint8Array(side ** 2).fill(CELL_SHAPES.quad),
    connectivity,
    offsets: Uint32Array.from({ length: side ** 2 + 1 }, (_, n) => 4 * n),
    items: [{ name: 'depth', unit: 'm', type: 'Float32', nodata: -1e-35, location: 'cell' }],
    values: async () => new Float32Array(side ** 2),
  });
  for (const level of [11, 12, 13, 14, 16, 17]) {
    const [x, y] = inTile(level, 0, 0)([10.006, 50.006]).map((v) => Math.floor(v / 4096)) as [number, number];
    const answer = await client.get(`/api/vectortiles/dataset/${id}/${level}/${x}/${y}.vector.pbf`);
    t.is(answer.status, 200);
    const { features } = decodeTile(answer.raw)[0]!;
    // Each edge inside of the mesh and of the buffer is drawn once in each direction.
    const edges = new Map<string, number>();
    for (const { paths } of features)
      for (const path of paths)
        for (const [n, [bx, by]] of path.entries()) {
          const [ax, ay] = path.at(n - 1)!;
          const [one, other] = [`${ax} ${ay}`, `${bx} ${by}`];
          const key = one < other ? `${one} ${other}` : `${other} ${one}`;
          edges.set(key, (edges.get(key) ?? 0) + (one < other ? 1 : -1));
        }
    const [low, high] = [0.001 * 0.5, 0.001 * (side - 0.1)];
    const [west, south] = inTile(level, x, y)([10 + low, 50 + low]);
    const [east, north] = inTile(level, x, y)([10 + high, 50 + high]);
    const open = [...edges].flatMap(([key, count]) => {
      const [ax, ay, bx, by] = key.split(' ').map(Number) as [number, number, number, number];
      const [mx, my] = [(ax + bx) / 2, (ay + by) / 2];
      const isWithin = mx > west && mx < east && my < south && my > north && [mx, my].every((v) => v > -64 && v < 4160);
      return count !== 0 && isWithin ? [key] : [];
    });
    t.deepEqual(open, [], `level ${level}`);
  }
});
