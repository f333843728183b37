import type { Command } from 'commander';
import { bytes, count, integer, moment, record, table, UsageError } from 'hydrofiles/terminal';
import type { TileCheckAnswer, TileStatus } from '../../src/tiles/upkeep.routes.ts';
import type { VectorTileCheck, VectorTileStatus } from '../../src/tiles/vector-upkeep.routes.ts';
import type { Io } from '../io.ts';
import { chosenTiles, tilePath, type WarmOptions, warmTiles } from '../warm-tiles.ts';
import { urlsCommand } from './tile-urls.ts';

const MOST_CHECKED = 1000;
const OVERVIEWS = {
  drawn: 'tiles of many features',
  waiting: 'nothing yet; a job waits',
  none: 'nothing: all are drawn when they are asked for',
} as const;

const vectorPath = (dataset: string, rest: string) => `/api/vectortiles/dataset/${encodeURIComponent(dataset)}${rest}`;

export function tileCommands(tile: Command, io: Io): void {
  tile
    .command('status <dataset>')
    .description(
      'show the zoom levels of a dataset of tiles: tiles with data, and kept ones of levels drawn on request; of a dataset of features: vector tiles that are drawn ahead',
    )
    .action((dataset) => showStatus(io, dataset));
  tile
    .command('warm <dataset>')
    .description('draw tiles ahead of their first request, on levels that are drawn on request')
    .option('--scheme <id>', 'only this scheme')
    .option('--levels <levels>', 'zoom levels, such as 14 or 14-16; default: all that are drawn on request')
    .option('--bbox <west,south,east,north>', 'only tiles that meet this box, in degrees')
    .option('--time-step <number>', 'number of the time step', count, 0)
    .option('--layer <number>', 'number of the layer', count, 0)
    .action((dataset, options) => warm(io, dataset, options));
  tile
    .command('check <dataset>')
    .description(
      'decode tiles that are chosen at random, and draw those of levels drawn on request anew; of a dataset of features: draw vector tiles anew that are drawn ahead',
    )
    .option('--tiles <count>', 'number of tiles', integer(1, MOST_CHECKED), 100)
    .action((dataset, options) => check(io, dataset, options));
  urlsCommand(tile, io);
}

/** Whether the dataset has features, of which vector tiles are drawn. */
async function hasFeatures(io: Io, dataset: string): Promise<boolean> {
  const path = `/api/metadata/dataset/${encodeURIComponent(dataset)}`;
  const { body } = await io.api.call<{ datasetType: string }>('GET', path);
  return body.datasetType === 'gisvectordata';
}

async function showVectorStatus(io: Io, dataset: string): Promise<void> {
  const answer = await io.api.call<VectorTileStatus>('GET', vectorPath(dataset, '/status'));
  io.show(answer, ({ overview, tiles, bytes: size, lastLevel, drawnAt }) =>
    record({
      'Drawn ahead': OVERVIEWS[overview],
      Tiles: tiles,
      Size: bytes(size),
      'Zoom levels': lastLevel === undefined ? undefined : `0-${lastLevel}`,
      Drawn: moment(drawnAt),
    }),
  );
}

async function checkVector(io: Io, dataset: string, tiles: number): Promise<void> {
  const answer = await io.api.call<VectorTileCheck>('GET', vectorPath(dataset, '/check'), { query: { tiles } });
  io.show(answer, ({ checked, wrong }) => [
    record({ 'Drawn anew': checked, Wrong: wrong.length }),
    ...(wrong.length === 0
      ? []
      : [
          table(
            ['TILE', 'REASON'],
            wrong.map(({ tile, reason }) => [tile, reason]),
          ),
        ]),
  ]);
  failIfWrong(answer.body.wrong);
}

async function showStatus(io: Io, dataset: string): Promise<void> {
  if (await hasFeatures(io, dataset)) return showVectorStatus(io, dataset);
  const answer = await io.api.call<TileStatus>('GET', tilePath(dataset, '/status'));
  io.show(answer, ({ schemes }) =>
    table(
      ['SCHEME', 'TYPE', 'LEVEL', 'DRAWN', 'TILES', 'KEPT', 'SIZE'],
      schemes.flatMap(({ schemeId, schemeType, levels }) =>
        levels.map(({ level, onRequest, tiles, keptTiles, keptBytes }) => [
          schemeId,
          schemeType,
          level,
          onRequest ? 'on request' : 'by the writer',
          tiles,
          onRequest ? keptTiles : undefined,
          onRequest ? bytes(keptBytes) : undefined,
        ]),
      ),
    ),
  );
}

async function warm(io: Io, dataset: string, options: WarmOptions): Promise<void> {
  const tiles = await chosenTiles(io, dataset, options);
  if (tiles.length === 0)
    throw new UsageError('No tile with data of a level that is drawn on request matches. See platform tile status.');
  const { signal, end } = io.interruptible();
  try {
    const warmed = await warmTiles(io, tiles, signal);
    const body = { tiles: warmed.tiles, bytes: warmed.bytes, failed: warmed.failed };
    io.show({ status: 200, headers: {}, text: JSON.stringify(body), body }, () =>
      record({ Tiles: warmed.tiles, Size: bytes(warmed.bytes) }),
    );
    for (const { tile, reason } of warmed.failed.slice(0, 10)) io.note(`${tile}: ${reason}`);
    if (warmed.failed.length > 0) throw new Error(`${warmed.failed.length} of ${tiles.length} tiles were not drawn.`);
  } finally {
    end();
  }
}

async function check(io: Io, dataset: string, { tiles }: { tiles: number }): Promise<void> {
  if (await hasFeatures(io, dataset)) return checkVector(io, dataset, tiles);
  const answer = await io.api.call<TileCheckAnswer>('GET', tilePath(dataset, '/check'), { query: { tiles } });
  io.show(answer, ({ checked, drawnAnew, checkedEmpty, wrong }) => [
    record({
      'Tiles checked': checked,
      'Drawn anew': drawnAnew,
      'Places without data': checkedEmpty,
      Wrong: wrong.length,
    }),
    ...(wrong.length === 0
      ? []
      : [
          table(
            ['SCHEME', 'TILE', 'STEP', 'LAYER', 'REASON'],
            wrong.map(({ schemeId, tile, timeStep, layer, reason }) => [schemeId, tile, timeStep, layer, reason]),
          ),
        ]),
  ]);
  failIfWrong(answer.body.wrong);
}

function failIfWrong({ length }: readonly unknown[]): void {
  if (length > 0) throw new Error(`${length} ${length === 1 ? 'tile is' : 'tiles are'} wrong.`);
}
