import { randomBytes } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { firstSlice } from '../../src/data/grid.ts';
import { gridPreviewPng } from '../../src/geo/draw/grid-preview.ts';
import type { TextAnswer } from '../../src/http/rules/forms.ts';
import type { Project } from '../../src/projects/record.ts';
import type { Summary } from '../../src/transfers/queries.ts';
import type { Transfer } from '../../src/transfers/views/record.ts';
import type { Api } from '../client.ts';
import { connectApi } from '../client.ts';
import { bootstrapAdministrator } from '../commands/admin.ts';
import { download } from '../download.ts';
import type { Io } from '../io.ts';
import { bytes } from '../table.ts';
import { upload } from '../upload.ts';
import { watchTransfer } from '../watch.ts';
import type { Findings, Statistics } from './check.ts';
import { faults, inspect, statisticsOfTerrain } from './check.ts';
import { gaugeFaults, makeGauges, writeShapefile } from './gauges.ts';
import type { RunningPlatform } from './platform.ts';
import type { Terrain } from './terrain.ts';
import { asciiGrid, makeTerrain, terrain } from './terrain.ts';

/** Seed of a terrain with a pronounced valley. */
const SEED = 11;
const TARGET_SRID = 3857;

/** Runs the demonstration step by step, and prints the command for each step. */
export async function runStory(
  io: Io,
  { url, env }: RunningPlatform,
  folder: string,
  stop: AbortSignal,
): Promise<void> {
  const step = (number: number, sentence: string, ...commands: string[]) => {
    io.out(`${number}  ${sentence}`);
    for (const command of commands) io.out(`   $ ${command}`);
  };
  const result = (line: string) => io.out(`   ${line}`);
  result(`ready at ${url}`);

  step(
    2,
    'Its first administrator, with a tenant.',
    'npm run platform -- admin bootstrap --id admin --password-stdin --tenant-name "River authority"',
  );
  const quiet = { env, json: false, out: () => {} };
  const adminPassword = newPassword();
  await bootstrapAdministrator(quiet, { id: 'admin', tenant: 'River authority' }, adminPassword);
  const admin = connectApi(env);
  await admin.logIn({ id: 'admin', password: adminPassword });

  step(3, 'An account for the hydrologist Ida.', 'npm run platform -- account create --id ida --name "Ida Sand"');
  const password = newPassword();
  await admin.call('POST', '/api/accounts', { body: { id: 'ida', name: 'Ida Sand', password, activated: true } });
  const api = connectApi(env);
  await api.logIn({ id: 'ida', password });

  step(4, 'A project.', 'npm run platform -- project create --name "Upper valley"');
  const project = await api.call<Project>('POST', '/api/metadata/project', { body: { name: 'Upper valley' } });
  result(project.body.id);

  const made = makeTerrain(SEED);
  const file = join(folder, 'terrain.asc');
  await writeFile(file, asciiGrid(made));
  step(
    5,
    `Her terrain: an ASCII grid of ${made.columns} × ${made.rows} cells of ${made.cell} m in EPSG:${terrain.srid}, with a lake as nodata.`,
  );
  result(`${bytes((await stat(file)).size)}, ${heights(statisticsOfTerrain(made))}`);

  step(
    6,
    `The import: uploads the file and converts it to a GeoTIFF in EPSG:${TARGET_SRID}.`,
    `npm run platform -- transfer import terrain.asc --project ${project.body.id} --writer GeoTiffWriter --srid ${terrain.srid} --to-srid ${TARGET_SRID}`,
  );
  const transfer = await convert(io, api, file, stop, {
    projectId: project.body.id,
    outputDatasetData: { name: 'Terrain of the upper valley' },
    readerName: 'AsciiGridReader',
    writerName: 'GeoTiffWriter',
    readerParameters: [{ name: 'SRID', value: terrain.srid }],
    transformations: [{ type: 'crsTransformation', outputSrid: String(TARGET_SRID) }],
  });
  result(`Completed in ${seconds(transfer)} s`);

  const dataset = transfer.importResults?.[0]?.datasetId ?? '';
  step(7, 'Downloads the dataset and checks it.', `npm run platform -- dataset download ${dataset} -o terrain.tif`);
  const address = (await api.call<TextAnswer>('GET', `/api/raw/dataset/${dataset}`)).body.data;
  const tif = await download(address, { path: join(folder, 'terrain.tif') }, () => {});
  const picture = await inspect(tif, folder, async (found) => {
    const wrong = await faults(made, found, TARGET_SRID, transfer.receipt?.output?.sha256 ?? '');
    if (wrong.length > 0) throw new Error(`The result is wrong: ${wrong.join('; ')}.`);
    for (const line of describe(found, made)) result(line);
    return gridPreviewPng(found.grid, firstSlice);
  });

  const png = join(tmpdir(), `platform-demo-${randomBytes(4).toString('hex')}.png`);
  await writeFile(png, picture, { flag: 'wx' });
  step(8, 'A hillshade of it, with light from the north-west:');
  result(png);
  await importGauges(io, api, made, { folder, projectId: project.body.id, stop, step, result });
}

interface StoryContext {
  folder: string;
  projectId: string;
  stop: AbortSignal;
  step(number: number, sentence: string, ...commands: string[]): void;
  result(line: string): void;
}

async function importGauges(io: Io, api: Api, made: Terrain, context: StoryContext): Promise<void> {
  const { folder, projectId, stop, step, result } = context;
  const gauges = makeGauges(made);
  const file = join(folder, 'gauges.zip');
  await writeShapefile(gauges, file, folder);
  step(
    9,
    `Her ${gauges.length} river gauges: converts a Shapefile in EPSG:${terrain.srid} to GeoJSON for the web.`,
    `npm run platform -- transfer import gauges.zip --project ${projectId} --reader ShapefileReader --writer GeoJsonWriter --to-srid 4326`,
  );
  const transfer = await convert(io, api, file, stop, {
    projectId,
    outputDatasetData: { name: 'Gauges' },
    readerName: 'ShapefileReader',
    writerName: 'GeoJsonWriter',
    transformations: [{ type: 'crsTransformation', outputSrid: '4326' }],
  });
  const dataset = transfer.importResults?.[0]?.datasetId ?? '';
  const address = (await api.call<TextAnswer>('GET', `/api/raw/dataset/${dataset}`)).body.data;
  const json = await download(address, { path: join(folder, 'gauges.geojson') }, () => {});
  const { wrong, first } = await gaugeFaults(gauges, json);
  if (wrong.length > 0) throw new Error(`The GeoJSON is wrong: ${wrong.join('; ')}.`);
  result(
    `Completed in ${seconds(transfer)} s: ${transfer.recordsWritten} gauges, with coordinates as PROJ computes them. The first:`,
  );
  result(first);
}

async function convert(io: Io, api: Api, file: string, stop: AbortSignal, request: object): Promise<Transfer> {
  const address = (await api.call<TextAnswer>('GET', '/api/conversion/transfer/upload-url')).body.data;
  await upload(file, address, () => {});
  const body = { originalFileName: basename(file), uploadUrl: address, ...request };
  const started = await api.call<Summary>('POST', '/api/conversion/upload-convert', { body });
  const transfer = (await watchTransfer({ api, progress: io.progress }, started.body.id, stop)).body;
  if (transfer.status !== 'Completed') throw new Error(`The conversion failed: ${transfer.errorMessage}`);
  return transfer;
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

const seconds = ({ createdAt, finishedAt = createdAt }: Transfer) =>
  ((Date.parse(`${finishedAt}Z`) - Date.parse(`${createdAt}Z`)) / 1000).toFixed(2);

/** Satisfies every password policy. */
const newPassword = () => `${randomBytes(15).toString('base64url')}-Aa1`;
