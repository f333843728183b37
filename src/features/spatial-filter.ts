import { describeCrs, sameCrs, transformer } from 'hydrofiles/crs';
import type { Crs, Geometry } from 'hydrofiles/data';
import type { Area } from 'hydrofiles/features';
import { Box, type Chain, PreparedGeometry, transformChains } from 'hydrofiles/geometry';
import { invalidMember } from '../errors.ts';

export interface SpatialFilter {
  /** Boxes, in the coordinate system of the data, outside of which no feature matches. None: no feature matches. */
  readonly areas: readonly Area[];
  matches(geometry: Geometry, stride: number): boolean;
}

/** Points on each side of a box that show how it looks in another system. */
const perSide = 21;
/**
 * Part of its size by which the extent of the data is enlarged, so that its edges lie within; at least so many degrees
 * or metres.
 */
const margin = 0.01;
const leastMargin = { degrees: 1e-5, metres: 1 } as const;

/** The box around data of which nothing is known. */
export const EVERYWHERE: Area = { west: -Infinity, south: -Infinity, east: Infinity, north: Infinity };

/**
 * The features that intersect a box. Coordinates are x, y; west > east: across the antimeridian.
 * @param data coordinate system of the data, and the box around them; absent box: no feature has a place
 */
export async function spatialFilter(
  { box, crs }: { box: Area; crs: Crs | undefined },
  data: { crs: Crs | undefined; box: Area | undefined },
): Promise<SpatialFilter> {
  if (data.box === undefined) return { areas: [], matches: () => false };
  const turn = await fullTurn(crs);
  if (box.west > box.east && turn === undefined)
    throw invalidMember(
      'bbox',
      `bbox begins at x = ${box.west} and ends at ${box.east}. Only longitudes may cross the antimeridian.`,
    );
  const east = box.west > box.east ? box.east + turn! : box.east;
  const turned = (turn === undefined ? [0] : [0, turn, -turn]).map((by) => ({
    ...box,
    west: box.west + by,
    east: east + by,
  }));
  const change = crs !== undefined && data.crs !== undefined && !(await sameCrs(crs, data.crs));
  if (!change) {
    const { box: all } = data;
    return ofRectangles(turned.filter((area) => overlap(area, all)));
  }
  const extent = enlarged(await extentIn(data.box, data.crs!, crs!), turn);
  const clipped = turned.flatMap((area) => (overlap(area, extent) ? intersection(area, extent) : []));
  if (clipped.some((area) => contains(area, extent))) return { areas: [data.box], matches: () => true };
  if (clipped.length === 0) return { areas: [], matches: () => false };
  const chains = clipped.map(({ west, south, east, north }, polygon): Chain => {
    const xy = Float64Array.of(west, south, east, south, east, north, west, north, west, south);
    return { xy, polygon };
  });
  const groups = await transformChains(chains, crs, data.crs);
  const prepared = new PreparedGeometry(groups.flat());
  const areas = groups.flat().map(({ xy }) => {
    const around = new Box();
    around.add(xy, 2);
    return around;
  });
  const { box: all } = data;
  return {
    areas: areas.filter((area) => overlap(area, all)),
    matches: (geometry, stride) => prepared.intersects(geometry, stride),
  };
}

/** Rectangles in the system of the data: most features lie in one of them or in none. */
function ofRectangles(areas: readonly Area[]): SpatialFilter {
  let prepared: PreparedGeometry | undefined;
  const exact = () => {
    prepared ??= new PreparedGeometry(
      areas.map(({ west, south, east, north }, polygon) => ({
        xy: Float64Array.of(west, south, east, south, east, north, west, north, west, south),
        polygon,
      })),
    );
    return prepared;
  };
  return {
    areas,
    matches(geometry, stride) {
      const box = computeBox(geometry, stride);
      const touched = areas.filter((area) => overlap(area, box));
      if (touched.length === 0) return false;
      return touched.some((area) => contains(area, box)) || exact().intersects(geometry, stride);
    },
  };
}

function computeBox(geometry: Geometry, stride: number, box = new Box()): Box {
  box.add(geometry.coordinates, stride);
  for (const member of geometry.members ?? []) computeBox(member, stride, box);
  return box;
}

const overlap = (one: Area, two: Area): boolean =>
  one.west <= two.east && one.east >= two.west && one.south <= two.north && one.north >= two.south;

const contains = (outer: Area, inner: Area): boolean =>
  outer.west <= inner.west && outer.east >= inner.east && outer.south <= inner.south && outer.north >= inner.north;

const intersection = (one: Area, two: Area): Area => ({
  west: Math.max(one.west, two.west),
  south: Math.max(one.south, two.south),
  east: Math.min(one.east, two.east),
  north: Math.min(one.north, two.north),
});

/** 360° in the unit of a geographic system; undefined for others. */
async function fullTurn(crs: Crs | undefined): Promise<number | undefined> {
  if (crs === undefined) return undefined;
  const { geographic, unit } = await describeCrs(crs);
  return geographic ? Math.round((2e9 * Math.PI) / unit.factor) / 1e9 : undefined;
}

function enlarged({ west, south, east, north }: Area, turn: number | undefined): Area {
  const least = turn === undefined ? leastMargin.metres : leastMargin.degrees;
  const [dx, dy] = [Math.max(least, (east - west) * margin), Math.max(least, (north - south) * margin)];
  const [bottom, top] = [south - dy, north + dy];
  return {
    west: west - dx,
    east: east + dx,
    south: turn === undefined ? bottom : Math.max(bottom, -turn / 4),
    north: turn === undefined ? top : Math.min(top, turn / 4),
  };
}

/** A box around a box of another system. Longitudes may be beyond 180° so that the box is in one piece. */
export async function extentIn(box: Area, from: Crs, to: Crs): Promise<Area> {
  const turn = await fullTurn(to);
  using change = await transformer(from, to);
  const { west, south, east, north } = box;
  const along = (start: number, end: number, step: number) => start + ((end - start) * step) / (perSide - 1);
  const x = Float64Array.from({ length: perSide ** 2 }, (_, n) => along(west, east, n % perSide));
  const y = Float64Array.from({ length: perSide ** 2 }, (_, n) => along(south, north, Math.floor(n / perSide)));
  // a part of the box lies where the system is not defined: the data may be anywhere in its area of use
  if (change.forward(x, y) > 0) return areaOfUse(from, turn);
  const middle = x[x.length >> 1]!;
  const around = new Box();
  for (let n = 0; n < x.length; n++) {
    const turned = turn === undefined ? x[n]! : x[n]! - turn * Math.round((x[n]! - middle) / turn);
    around.add(Float64Array.of(turned, y[n]!), 2);
  }
  if (turn === undefined) return around;
  const pole = await polesIn(box, from, to, turn);
  const wide = around.east - around.west > 0.9 * turn || pole.south || pole.north;
  return {
    west: wide ? -turn / 2 : around.west,
    east: wide ? turn / 2 : around.east,
    south: pole.south ? -turn / 4 : around.south,
    north: pole.north ? turn / 4 : around.north,
  };
}

async function areaOfUse(crs: Crs, turn: number | undefined): Promise<Area> {
  if (turn === undefined) return EVERYWHERE;
  const { area = { west: -180, south: -90, east: 180, north: 90 } } = await describeCrs(crs);
  const { west, south, north } = area;
  const scale = turn / 360;
  const east = area.east < west ? area.east + 360 : area.east;
  return { west: west * scale, south: south * scale, east: east * scale, north: north * scale };
}

/** Which poles lie in the box: no point of the grid may be near them. */
async function polesIn(box: Area, from: Crs, to: Crs, turn: number): Promise<{ south: boolean; north: boolean }> {
  using back = await transformer(to, from);
  const x = Float64Array.of(0, 0);
  const y = Float64Array.of(-turn / 4, turn / 4);
  back.forward(x, y);
  const [south = false, north = false] = [0, 1].map((n) =>
    overlap(box, { west: x[n]!, east: x[n]!, south: y[n]!, north: y[n]! }),
  );
  return { south, north };
}
