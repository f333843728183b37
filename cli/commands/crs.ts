import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { choice, limit } from '../options.ts';
import { record, table } from '../table.ts';

interface System {
  id: number;
  name: string;
  authority: string;
  wkt: string;
  proj4String?: string;
}

export function crsCommands(crs: Command, io: Io): void {
  crs
    .command('list')
    .description('find coordinate reference systems')
    .argument('[text]', 'contained in the name')
    .option('--full-text <text>', 'contained in the name, the definition or the area of use')
    .addOption(choice('--authority <name>', 'whose', ['EPSG', 'ESRI']))
    .option('--limit <count>', 'maximum number', limit, 50)
    .action(async (nametext, { fullText: fulltext, authority, limit: most }) => {
      const query = { nametext, fulltext, authority, limit: most };
      const answer = await io.api.call<{ data: System[] }>('GET', '/api/crs/coordinate-system/list', { query });
      io.show(answer, ({ data }) =>
        table(
          ['SRID', 'AUTHORITY', 'NAME'],
          data.map(({ id, authority, name }) => [String(id), authority, name]),
        ),
      );
    });
  crs
    .command('show')
    .description('show a coordinate reference system')
    .argument('<srid>')
    .action(async (srid) => {
      const path = `/api/crs/coordinate-system/${encodeURIComponent(srid)}`;
      io.show(await io.api.call<System>('GET', path), ({ id, authority, name, proj4String, wkt }) =>
        record({ id: String(id), authority, name, proj4: proj4String, wkt }),
      );
    });
}
