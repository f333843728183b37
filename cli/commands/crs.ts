import type { Command } from 'commander';
import { record } from 'hydrofiles/terminal';
import type { System, Systems } from '../../src/crs/routes.ts';
import type { Io } from '../io.ts';
import { choice, limit } from '../options.ts';

const MAX_AREA_LENGTH = 60;
/** Shortens a description of an area; `crs show` prints all of it. */
const short = (area = '') => (area.length > MAX_AREA_LENGTH ? `${area.slice(0, MAX_AREA_LENGTH - 1)}…` : area);

export function crsCommands(crs: Command, io: Io): void {
  crs
    .command('list')
    .description('find coordinate reference systems, the best match first')
    .argument('[text...]', 'words in name, alias, code or area of use: utm zone 32, 25832, web mercator, ESRI:102100')
    .option('--full-text <text>', 'text in the name, the definition or the area of use')
    .option('--bbox <west,south,east,north>', 'only systems whose area of use intersects this box, in degrees')
    .addOption(choice('--authority <name>', 'only systems of this authority', ['EPSG', 'ESRI']))
    .option('--limit <count>', 'maximum number', limit, 50)
    .action(async (words: string[], { fullText: fulltext, bbox, authority, limit }) => {
      const text = words.length === 0 ? undefined : words.join(' ');
      const query = { text, bbox, fulltext, authority, limit };
      const answer = await io.api.call<Systems>('GET', '/api/crs/coordinate-system/list', { query });
      const { data: shown, totalCount = shown.length } = answer.body;
      if (totalCount > shown.length)
        io.note(
          `Shows ${shown.length} of ${totalCount}. Use more words, --bbox, or --limit ${totalCount > 1000 ? 1000 : totalCount}.`,
        );
      io.list(answer, ['SRID', 'AUTHORITY', 'NAME', 'AREA OF USE'], ({ id, authority, name, areaOfUse }) => [
        String(id),
        authority,
        name,
        short(areaOfUse?.name),
      ]);
    });
  crs
    .command('show <srid>')
    .description('show a coordinate reference system')
    .action(async (srid) => {
      const path = `/api/crs/coordinate-system/${encodeURIComponent(srid)}`;
      io.show(await io.api.call<System>('GET', path), ({ id, authority, name, aliases, areaOfUse, proj4String, wkt }) =>
        record({
          id: String(id),
          authority,
          name,
          'other names': aliases?.join('; '),
          'area of use': areaOfUse?.name,
          bbox: areaOfUse && [areaOfUse.west, areaOfUse.south, areaOfUse.east, areaOfUse.north].join(', '),
          proj4: proj4String,
          wkt,
        }),
      );
    });
}
