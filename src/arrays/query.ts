import { parseSrid, sridOf, transformInThread } from 'hydrofiles/crs';
import type { Crs } from 'hydrofiles/data';
import { FormatError } from 'hydrofiles/errors';
import { boxGeometry, outlineOf } from 'hydrofiles/geometry';
import { invalidMember } from '../errors.ts';
import type { Choice } from './selection.ts';
import type { OpenDataset } from './stores.ts';

const mostElements = 1000;

/** Where a request asks for values, as its query says it. */
export interface Where {
  readonly point?: string | undefined;
  readonly bbox?: string | undefined;
  readonly element?: readonly string[] | undefined;
  readonly layer?: number | undefined;
  readonly crs?: string | undefined;
}

/** Reads `point`, `bbox` and `element`; coordinates in another system are transformed to that of the data. */
export async function parseChoice(where: Where, data: Pick<OpenDataset, 'crs'>): Promise<Choice> {
  const { point, bbox, element, layer, crs } = where;
  const given = Object.entries({ point, bbox, element }).filter(([, value]) => value !== undefined);
  if (given.length > 1)
    throw invalidMember(given[1]![0], `Send ${given.map(([name]) => name).join(' or ')}, not both.`);
  if (crs !== undefined && point === undefined && bbox === undefined)
    throw invalidMember('crs', 'crs is the coordinate system of point or bbox. Send one of them, too.');
  const change = changeTo(data.crs, crs);
  return {
    ...(layer === undefined ? {} : { layer }),
    ...(element === undefined ? {} : { elements: elementsIn(element) }),
    ...(point === undefined ? {} : { point: await pointIn(point, change) }),
    ...(bbox === undefined ? {} : { box: await boxIn(bbox, change) }),
  };
}

function elementsIn(texts: readonly string[]): number[] {
  const all = texts.flatMap((text) => text.split(','));
  if (all.length > mostElements)
    throw invalidMember('element', `element names ${all.length} elements. The maximum is ${mostElements}.`);
  return all.map((text) => {
    if (/^\s*\d{1,10}\s*$/.test(text)) return Number(text);
    throw invalidMember('element', `'${text.slice(0, 40)}' is not the number of an element.`);
  });
}

type Change = (x: Float64Array, y: Float64Array) => Promise<{ x: Float64Array; y: Float64Array }>;

function changeTo(own: Crs | undefined, requested: string | undefined): Change {
  const same: Change = async (x, y) => ({ x, y });
  if (requested === undefined) return same;
  const from = crsIn(requested);
  if (own === undefined)
    throw invalidMember(
      'crs',
      'The data have no known coordinate system, so nothing can be transformed to it. Leave crs out.',
    );
  if (sridOf(own) === sridOf(from)) return same;
  return async (x, y) => {
    try {
      return await transformInThread({ from, to: own, x, y });
    } catch (error) {
      if (error instanceof FormatError)
        throw invalidMember('crs', `Coordinates in '${requested}' cannot be transformed: ${error.message}`);
      throw error;
    }
  };
}

/** `25832`, `EPSG:25832`, `CRS84` or the URI of one, as in OGC API. */
function crsIn(text: string): Crs {
  const uri = /^(?:https?:\/\/www\.opengis\.net\/def\/crs|urn:ogc:def:crs)[:/](\w+)[:/][^:/]*[:/](\w+)$/i.exec(
    text.trim(),
  );
  if (/^(?:OGC:)?CRS84$/i.test(text.trim()) || uri?.[2]?.toUpperCase() === 'CRS84') return parseSrid(4326);
  return parseSrid(uri === null ? text : `${uri[1]}:${uri[2]}`);
}

async function pointIn(text: string, change: Change): Promise<{ x: number; y: number }> {
  const [x, y] = numbersIn('point', text, 2, 'x,y') as [number, number];
  const changed = await change(Float64Array.of(x), Float64Array.of(y));
  const point = { x: changed.x[0]!, y: changed.y[0]! };
  if (Number.isFinite(point.x) && Number.isFinite(point.y)) return point;
  throw invalidMember('point', `The point ${text.slice(0, 80)} has no place in the coordinate system of the data.`);
}

async function boxIn(text: string, change: Change): Promise<NonNullable<Choice['box']>> {
  const [west, south, east, north] = numbersIn('bbox', text, 4, 'minx,miny,maxx,maxy') as [
    number,
    number,
    number,
    number,
  ];
  if (west > east || south > north)
    throw invalidMember('bbox', `bbox=${text.slice(0, 80)} ends before it begins. Write minx,miny,maxx,maxy.`);
  const outline = outlineOf(boxGeometry(west, south, east, north));
  const { x, y } = await change(outline.x, outline.y);
  if (!x.every(Number.isFinite) || !y.every(Number.isFinite))
    throw invalidMember('bbox', `bbox=${text.slice(0, 80)} has no place in the coordinate system of the data.`);
  return { west: Math.min(...x), south: Math.min(...y), east: Math.max(...x), north: Math.max(...y) };
}

function numbersIn(name: string, text: string, count: number, form: string): number[] {
  const words = text.split(',').map((word) => word.trim());
  const numbers = words.map(Number);
  if (words.length === count && words.every((word) => word !== '') && numbers.every(Number.isFinite)) return numbers;
  throw invalidMember(name, `${name} must be ${form}, not '${text.slice(0, 80)}'.`);
}
