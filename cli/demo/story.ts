import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstSlice } from 'hydrofiles/data';
import { gridPreviewPng } from 'hydrofiles/pictures';
import { bytes } from 'hydrofiles/terminal';
import type { Project } from '../../src/projects/record.ts';
import { connectApi } from '../client.ts';
import { bootstrapAdministrator } from '../commands/admin.ts';
import type { Io } from '../io.ts';
import { type Findings, faults, inspect, type Statistics, statisticsOfTerrain } from './check.ts';
import { type Conversions, downloadDataset, importFile, seconds } from './conversions.ts';
import { tellFlood } from './flood-story.ts';
import { gaugeFaults, makeGauges, writeShapefile } from './gauges.ts';
import { makeNeighbours } from './neighbours.ts';
import type { Login, Outline, Story } from './outline.ts';
import { newPassword } from './passwords.ts';
import type { Places } from './places.ts';
import type { RunningPlatform } from './platform.ts';
import { asciiGrid, makeTerrain, type Terrain, terrain } from './terrain.ts';

const TARGET_SRID = 3857;

/**
 * Runs the demonstration step by step, and prints the command for each step. Returns the logins of its people.
 * @param stays whether the platform stays, and so gets what one has after a while
 */
export async function runStory(
  io: Io,
  { url, env }: RunningPlatform,
  { step, result }: Outline,
  { places, stays, stop }: { places: Places; stays: boolean; stop: AbortSignal },
): Promise<Login[]> {
  const { files, scratch } = places;
  result(`ready at ${url}`);

  step(
    'Its first administrator, with a tenant.',
    'npm run platform -- admin bootstrap --id admin --password-stdin --tenant-name "River authority"',
  );
  const quiet = { env, json: false, out: () => {}, note: () => {} };
  const adminPassword = newPassword();
  await bootstrapAdministrator(quiet, { id: 'admin', tenant: 'River authority' }, adminPassword, stop);
  const admin = connectApi(env);
  await admin.logIn({ id: 'admin', password: adminPassword });

  step('An account for the hydrologist Ida.', 'npm run platform -- account create --id ida --name "Ida Sand"');
  const password = newPassword();
  await admin.call('POST', '/api/accounts', { body: { id: 'ida', name: 'Ida Sand', password, activated: true } });
  const api = connectApi(env);
  await api.logIn({ id: 'ida', password });

  step('A project.', 'npm run platform -- project create --name "Upper valley"');
  const work: Conversions = { io, api, stop };
  const project = await api.call<Project>('POST', '/api/metadata/project', { body: { name: 'Upper valley' } });
  result(project.body.id);

  const made = makeTerrain();
  const file = join(files, 'terrain.asc');
  await writeFile(file, asciiGrid(made));
  step(
    `Her terrain: an ASCII grid of ${made.columns} × ${made.rows} cells of ${made.cell} m in EPSG:${terrain.srid}, with a lake as nodata.`,
  );
  result(`${bytes((await stat(file)).size)}, ${heights(statisticsOfTerrain(made))}`);

  step(
    `The import: uploads the file and converts it to a GeoTIFF in EPSG:${TARGET_SRID}.`,
    `npm run platform -- transfer import terrain.asc --project ${project.body.id} --writer GeoTiffWriter --srid ${terrain.srid} --to-srid ${TARGET_SRID}`,
  );
  const transfer = await importFile(work, file, {
    projectId: project.body.id,
    outputDatasetData: { name: 'Terrain of the upper valley' },
    readerName: 'AsciiGridReader',
    writerName: 'GeoTiffWriter',
    readerParameters: [{ name: 'SRID', value: terrain.srid }],
    transformations: [{ type: 'crsTransformation', outputSrid: String(TARGET_SRID) }],
  });
  result(`Completed in ${seconds(transfer)} s`);

  const dataset = transfer.importResults?.[0]?.datasetId ?? '';
  step('Downloads the dataset and checks it.', `npm run platform -- dataset download ${dataset} -o terrain.tif`);
  const tif = await downloadDataset(work, dataset, join(files, 'terrain.tif'));
  const picture = await inspect(tif, scratch, async (found) => {
    const wrong = await faults(made, found, TARGET_SRID, transfer.receipt?.output?.sha256 ?? '');
    if (wrong.length > 0) throw new Error(`The result is wrong: ${wrong.join('; ')}.`);
    for (const line of describe(found, made)) result(line);
    return gridPreviewPng(found.grid, firstSlice);
  });

  step('A hillshade of it, with light from the north-west:');
  result(await places.keepPicture('terrain.png', picture));
  const story: Story = { work, places, projectId: project.body.id, step, result };
  await importGauges(made, story);
  await tellFlood(made, story);
  const people = stays
    ? await makeNeighbours(story, { env, admin: { id: 'admin', password: adminPassword }, dataset })
    : [];
  return [{ id: 'admin', password: adminPassword }, { id: 'ida', password }, ...people];
}

async function importGauges(made: Terrain, { work, places, projectId, step, result }: Story): Promise<void> {
  const gauges = makeGauges(made);
  const file = join(places.files, 'gauges.zip');
  await writeShapefile(gauges, file, places.scratch);
  step(
    `Her ${gauges.length} river gauges: converts a Shapefile in EPSG:${terrain.srid} to GeoJSON for the web.`,
    `npm run platform -- transfer import gauges.zip --project ${projectId} --reader ShapefileReader --writer GeoJsonWriter --to-srid 4326`,
  );
  const transfer = await importFile(work, file, {
    projectId,
    outputDatasetData: { name: 'Gauges' },
    readerName: 'ShapefileReader',
    writerName: 'GeoJsonWriter',
    transformations: [{ type: 'crsTransformation', outputSrid: '4326' }],
  });
  const dataset = transfer.importResults?.[0]?.datasetId ?? '';
  const json = await downloadDataset(work, dataset, join(places.files, 'gauges.geojson'));
  const { wrong, first } = await gaugeFaults(gauges, json);
  if (wrong.length > 0) throw new Error(`The GeoJSON is wrong: ${wrong.join('; ')}.`);
  result(
    `Completed in ${seconds(transfer)} s: ${transfer.recordsWritten} gauges, with coordinates as PROJ computes them. The first:`,
  );
  result(first);
}

function describe({ grid, srid, extent, statistics, sha256 }: Findings, made: Terrain): string[] {
  const { west, south, east, north } = extent;
  const [band] = grid.bands;
  return [
    `size        ${grid.width} × ${grid.height} cells of ${grid.affine[1].toFixed(2)} m, ${band?.type}, no data is ${band?.nodata}`,
    `system      ${srid}`,
    `extent      ${west.toFixed(1)} ${south.toFixed(1)} ${east.toFixed(1)} ${north.toFixed(1)}`,
    `before      ${heights(statisticsOfTerrain(made))}`,
    `after       ${heights(statistics)}`,
    `sha256      ${sha256}, as in the receipt`,
  ];
}

const heights = ({ minimum, maximum, mean, empty }: Statistics) =>
  `${minimum.toFixed(2)} to ${maximum.toFixed(2)} m, mean ${mean.toFixed(2)}, ${empty} cells without data`;
