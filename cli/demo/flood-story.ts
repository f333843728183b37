import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect, type PictureChoice } from 'hydrofiles';
import { cellCount, stepsOf } from 'hydrofiles/data';
import { bytes } from 'hydrofiles/terminal';
import { downloadDataset, exportDataset, importFile, seconds } from './conversions.ts';
import { findPeak, floodItems, makeFlood, writeFlood } from './flood.ts';
import { depthMapFaults, floodFaults, refuse, seriesFaults } from './flood-check.ts';
import { exchangeFlood } from './flood-exchange.ts';
import { makeGauges } from './gauges.ts';
import type { Story } from './outline.ts';

import { type Terrain, terrain } from './terrain.ts';

/** Side of a cell of the map in metres. */
const CELL = 10;

/** The result of a flood model: a dataset, from it a map and series at the gauges, and pictures. */
export async function tellFlood(made: Terrain, story: Story): Promise<void> {
  const { work, places, projectId, step, result } = story;
  const flood = makeFlood(made);
  const depth = flood.items[floodItems.depth]!.name!;
  const peak = await findPeak(flood);
  const file = join(places.files, 'flood.dfsu');
  await writeFlood(flood, file, places.scratch);
  step(
    `Her flood: a DFSU file of ${cellCount(flood)} triangles, finer along the river, ${stepsOf(flood)} hourly steps, EPSG:${terrain.srid}.`,
  );
  result(`${bytes((await stat(file)).size)}: ${flood.items.map(({ name, unit }) => `${name} in ${unit}`).join(', ')}`);
  result(
    `the peak is step ${peak.step}: ${squareKilometres(peak.area)} under water, up to ${peak.depth.toFixed(2)} m deep`,
  );

  step(
    'Imports the file with its mesh, downloads the dataset and checks that both are equal.',
    `npm run platform -- transfer import flood.dfsu --project ${projectId} --writer DfsuWriter`,
  );
  const imported = await importFile(work, file, {
    projectId,
    outputDatasetData: { name: 'Flood of January' },
    readerName: 'DfsuReader',
    writerName: 'DfsuWriter',
  });
  const dataset = imported.importResults?.[0]?.datasetId ?? '';
  const back = await downloadDataset(work, dataset, join(places.scratch, 'flood.dfsu'));
  const { wrong, values } = await floodFaults(flood, file, back, places.scratch);
  refuse('DFSU file', wrong);
  result(`Completed in ${seconds(imported)} s: ${values} values as computed, the file byte for byte`);

  const chosen = [{ type: 'ItemFilterTransformation', itemFilter: [{ names: [depth] }] }];
  const tif = join(places.files, 'depth.tif');
  step(
    `A GeoTIFF of the water depth at the peak, in cells of ${CELL} m.`,
    `npm run platform -- transfer export ${dataset} -o depth.tif --items "${depth}" --steps ${peak.step} --param CellSize=${CELL}`,
  );
  const map = await exportDataset(work, dataset, tif, {
    writerName: 'GeoTiffWriter',
    writerParameters: [{ name: 'CellSize', value: CELL }],
    transformations: [
      ...chosen,
      {
        type: 'TemporalFilterTransformation',
        temporalFilter: { type: 'TemporalIndexListFilter', indices: [peak.step] },
      },
    ],
  });
  const { wrong: wrongMap, area } = await depthMapFaults(tif, peak, places.scratch);
  refuse('GeoTIFF', wrongMap);
  result(`Completed in ${seconds(map)} s: ${squareKilometres(area)} under water`);

  const points = makeGauges(made).map(({ name, x, y }) => ({ name, x, y }));
  const series = join(places.files, 'gauges.dfs0');
  step(
    'The water depth at her gauges over time, as a DFS0 file.',
    `npm run platform -- transfer export ${dataset} -o gauges.dfs0 --items "${depth}" --param 'Points=[${JSON.stringify(points[0])}, …]'`,
  );
  const exported = await exportDataset(work, dataset, series, {
    writerName: 'Dfs0Writer',
    writerParameters: [{ name: 'Points', value: points }],
    transformations: chosen,
  });
  const { wrong: wrongSeries, peaks } = await seriesFaults(flood, points, series, places.scratch);
  refuse('DFS0 file', wrongSeries);
  result(`Completed in ${seconds(exported)} s: it culminates at ${peaks.join(', ')}`);

  await exchangeFlood(flood, peak, dataset, story);

  step('The mesh with the water depth at the peak, and the depths at the gauges:');
  const draw = async (path: string, name: string, picture: PictureChoice) => {
    const { png } = await inspect({ path, scratch: places.scratch, picture, signal: work.stop });
    result(await places.keepPicture(name, png!));
  };
  await draw(back, 'flood.png', { item: depth, step: peak.step });
  await draw(series, 'gauges.png', {});
}

const squareKilometres = (area: number) => `${(area / 1e6).toFixed(2)} km²`;
