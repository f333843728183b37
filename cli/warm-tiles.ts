import { UsageError } from 'hydrofiles/terminal';
import { unreachable } from './client.ts';
import type { Io } from './io.ts';
import { toError } from './refusal.ts';

export const tilePath = (dataset: string, rest: string) => `/api/tiles/dataset/${encodeURIComponent(dataset)}${rest}`;

export interface WarmOptions {
  readonly scheme?: string;
  readonly levels?: string;
  readonly bbox?: string;
  readonly timeStep: number;
  readonly layer: number;
}

interface Warmed {
  tiles: number;
  bytes: number;
  failed: { tile: string; reason: string }[];
}

/** Requests at the same time. */
const AT_ONCE = 4;
/** The most tiles of a call, so that their list fits into memory. */
const MOST_TILES = 1_000_000;
const MERCATOR_LATITUDE = 85.051_128_779_806_59;

interface Metadata {
  tilingSchemes: { schemeId: string; levelsOnRequest?: number[] }[];
}
interface Availability {
  tileMatrixSetLimits: {
    tileMatrix: string;
    minTileRow: number;
    maxTileRow: number;
    minTileCol: number;
    maxTileCol: number;
  }[];
}

/** Paths of tiles with data that are drawn on request. */
export async function chosenTiles(io: Io, dataset: string, options: WarmOptions): Promise<string[]> {
  const isLevel = parseLevels(options.levels);
  const boxOf = tilesOfBox(options.bbox);
  const slice = `?timeStep=${options.timeStep}&layer=${options.layer}`;
  const { body } = await io.api.call<Metadata>('GET', tilePath(dataset, '/metadata'));
  const { scheme } = options;
  if (scheme !== undefined && !body.tilingSchemes.some(({ schemeId }) => schemeId === scheme))
    throw new UsageError(
      `There is no scheme '${scheme}'. There are ${body.tilingSchemes.map(({ schemeId }) => schemeId).join(', ')}.`,
    );
  const paths: string[] = [];
  for (const { schemeId, levelsOnRequest = [] } of body.tilingSchemes) {
    if (levelsOnRequest.length === 0 || (scheme !== undefined && schemeId !== scheme)) continue;
    const path = tilePath(dataset, `/scheme/${encodeURIComponent(schemeId)}`);
    const { body: limits } = await io.api.call<Availability>('GET', `${path}/availability${slice}`);
    for (const rectangle of limits.tileMatrixSetLimits) {
      const level = Number(rectangle.tileMatrix);
      if (!levelsOnRequest.includes(level) || !isLevel(level)) continue;
      const [west, north, east, south] = boxOf(level);
      for (let row = Math.max(rectangle.minTileRow, north); row <= Math.min(rectangle.maxTileRow, south); row++)
        for (let at = Math.max(rectangle.minTileCol, west); at <= Math.min(rectangle.maxTileCol, east); at++) {
          if (paths.length >= MOST_TILES)
            throw new UsageError(`More than ${MOST_TILES} tiles match. Give --bbox, or fewer --levels.`);
          paths.push(`${path}/${level}/${row}/${at}${slice}`);
        }
    }
  }
  return paths;
}

function parseLevels(text: string | undefined): (level: number) => boolean {
  if (text === undefined) return () => true;
  const found = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(text);
  if (found === null) throw new UsageError(`--levels '${text}' is neither a zoom level nor a range such as 14-16.`);
  const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])];
  return (level) => level >= first && level <= last;
}

/** First column, first row, last column and last row of the tiles of a level that meet the box. */
function tilesOfBox(text: string | undefined): (level: number) => readonly [number, number, number, number] {
  if (text === undefined) return () => [0, 0, Infinity, Infinity];
  const [west, south, east, north] = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (text.split(',').length !== 4 || !(west! < east!) || !(south! < north!))
    throw new UsageError(`--bbox '${text}' is not west,south,east,north in degrees, such as 8,55,9,56.`);
  const x = (longitude: number) => (longitude + 180) / 360;
  const y = (latitude: number) => {
    const clipped = (Math.max(-MERCATOR_LATITUDE, Math.min(MERCATOR_LATITUDE, latitude)) * Math.PI) / 180;
    return (1 - Math.asinh(Math.tan(clipped)) / Math.PI) / 2;
  };
  return (level) => {
    const side = 2 ** level;
    return [
      Math.floor(x(west!) * side),
      Math.floor(y(north!) * side),
      Math.floor(x(east!) * side),
      Math.floor(y(south!) * side),
    ];
  };
}

/** Requests all tiles, some at a time. An error of one does not stop the others. */
export async function warmTiles(io: Io, paths: readonly string[], signal: AbortSignal): Promise<Warmed> {
  const { default: got } = await import('got');
  const { url } = io.api;
  const warmed: Warmed = { tiles: 0, bytes: 0, failed: [] };
  const progress = io.progress('Drawing tiles');
  let next = 0;
  const one = async (path: string) => {
    try {
      const headers = { ...(await io.api.identity()), 'svc-service-id': 'tiles' };
      const answer = await got
        .get(`${url}${path}`, {
          headers,
          signal,
          responseType: 'buffer',
          throwHttpErrors: false,
          followRedirect: false,
        })
        .catch((error: unknown) => {
          throw unreachable(error, url);
        });
      if (answer.statusCode >= 300) throw toError(answer.statusCode, answer.body.toString(), url);
      warmed.tiles++;
      warmed.bytes += answer.body.length;
    } catch (error) {
      signal.throwIfAborted();
      const tile = path.replace(/^.*\/scheme\//, '');
      warmed.failed.push({ tile, reason: error instanceof Error ? error.message : String(error) });
    }
    progress.report((warmed.tiles + warmed.failed.length) / paths.length, `${warmed.tiles} tiles`);
  };
  const lane = async () => {
    while (next < paths.length) await one(paths[next++]!);
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  } finally {
    progress.end();
  }
  return warmed;
}
