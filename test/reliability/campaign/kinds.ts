import { createHash, randomUUID } from 'node:crypto';
import type { Source } from '../../world/source.ts';
import { type Choices, choices } from '../flags.ts';
import type { Answer, Client } from './client.ts';
import type { Platform } from './platform.ts';
import { serveBadly } from './remote.ts';

/** A submit that was answered with 200: what must come of it. */
export interface AcceptedSubmission {
  id: string;
  kind: string;
  /** Digest of the output. */
  sha256?: string;
  /** Name of the created dataset. */
  name?: string;
  /** The dataset that it writes. */
  datasetId?: string;
  /** The unique feature that the append adds. */
  feature?: string;
  /** Label that the worker must have. */
  label?: string;
  memoryMb?: number;
  /** A cancel was answered with 202. */
  cancelled?: boolean;
}

export interface Submission extends Omit<AcceptedSubmission, 'id'> {
  path: string;
  body: object;
  headers?: Record<string, string>;
}

/** Lines of a grid: conversions from some ten milliseconds to a second. */
const SIZES = [100, 500, 1200] as const;
type Size = (typeof SIZES)[number];
/** Workers of which each has what another lacks, and what is asked of them. */
export const EQUIPMENT = [
  { 'worker.labels': 'disk=large', 'worker.memory': '2048' },
  { 'worker.labels': 'pace=quick', 'worker.memory': '8192' },
  { 'worker.labels': 'pace=slow', 'worker.memory': '1024' },
] as const;
const NEEDS = [
  { label: 'disk' },
  { label: 'pace=quick' },
  { memoryMb: 2048 },
  { label: 'pace', memoryMb: 1024 },
] as const;
const VERSION_4 = { 'api-version': '4' };

export function grid(lines: number): string {
  const row = Array.from({ length: lines }, (_, column) => (column * 0.37).toFixed(3)).join(' ');
  const head = `ncols ${lines}\nnrows ${lines}\nxllcorner 0\nyllcorner 0\ncellsize 1\n`;
  return `${head}${`${row}\n`.repeat(lines)}`;
}

/** Prepares a project for kinds of transfers whose output depends only on the size of the input. */
export async function prepareProject(client: Client, tenantId?: string) {
  const own: Record<string, string> = tenantId === undefined ? {} : { 'svc-tenant-id': tenantId };
  const project = expect(await client.post('/api/metadata/project', { name: 'River' }, randomUUID(), own), 201);
  const projectId = project.id as string;
  const put = async (content: string) => {
    const { data } = expect(await client.get('/api/conversion/transfer/upload-url'), 200);
    expect(await client.put(data, Buffer.from(content)), 201);
    return data as string;
  };
  const importing = (uploadUrl: string, name: string, reader: string, writer: string) => ({
    projectId,
    originalFileName: 'terrain.asc',
    uploadUrl,
    outputDatasetData: { name },
    readerName: `${reader}Reader`,
    writerName: `${writer}Writer`,
  });
  /** An import to its end, of which others must make the same. */
  const imported = async (body: ReturnType<typeof importing>) => {
    const begun = expect(await client.post('/api/conversion/upload-convert', body, randomUUID()), 200);
    const transfer = `/api/conversion/transfer/${begun.id}`;
    let ended = expect(await client.get(transfer, { prefer: 'wait=20' }), 200);
    while (ended.finishedAt === undefined) ended = expect(await client.get(transfer, { prefer: 'wait=20' }), 200);
    if (ended.status !== 'Completed') throw new Error(`An undisturbed import ended ${JSON.stringify(ended)}.`);
    const datasetId = ended.importResults[0].datasetId as string;
    const sha256 = ended.receipt.output.sha256 as string;
    const entry: AcceptedSubmission = { id: begun.id, kind: 'undisturbed', name: body.outputDatasetData.name };
    return { entry, datasetId, sha256 };
  };
  return { projectId, put, importing, imported };
}

/** Makes what the transfers will read and write, and learns from undisturbed ones what each must make. */
export async function prepareKinds(
  { tenantIds }: Platform,
  client: Client,
  choose: Choices,
  source: Source,
): Promise<{ kinds: (() => Promise<Submission>)[]; acknowledged: AcceptedSubmission[] }> {
  const acknowledged: AcceptedSubmission[] = [];
  const { projectId, put, importing, imported } = await prepareProject(client);
  const elsewhere = await prepareProject(client, tenantIds[1]);
  const places = [
    { targetTenantId: tenantIds[0], targetProjectId: projectId },
    { targetTenantId: tenantIds[1], targetProjectId: elsewhere.projectId },
  ];
  const undisturbed = async (uploadUrl: string, name: string, reader: string, writer: string) => {
    const { entry, ...made } = await imported(importing(uploadUrl, name, reader, writer));
    acknowledged.push({ ...entry, sha256: made.sha256 });
    return made;
  };
  const uploads = {} as Record<Size, string>;
  const sums = {} as Record<Size, { text: string; image: string }>;
  const remote = {} as Record<Size, string>;
  const terrains = {} as Record<Size, string>;
  const changing: string[] = [];
  const growing: string[] = [];
  const moving: string[] = [];
  for (const size of SIZES) {
    const url = await put(grid(size));
    const text = await undisturbed(url, `terrain ${size}`, 'AsciiGrid', 'AsciiGrid');
    const image = await undisturbed(url, `image ${size}`, 'AsciiGrid', 'GeoTiff');
    uploads[size] = url;
    remote[size] = serveBadly(source, `/${size}.asc`, grid(size), choices(4));
    sums[size] = { text: text.sha256, image: image.sha256 };
    terrains[size] = text.datasetId;
    changing.push((await undisturbed(url, `changing ${size}`, 'AsciiGrid', 'AsciiGrid')).datasetId);
    moving.push((await undisturbed(url, `moving ${size}`, 'AsciiGrid', 'AsciiGrid')).datasetId);
    const { entry, datasetId } = await imported(
      importing(await put(wells('first')), `wells ${size}`, 'GeoJson', 'GeoJson'),
    );
    acknowledged.push({ ...entry, datasetId, feature: 'first' });
    growing.push(datasetId);
  }
  const unique = (noun: string) => `${noun} ${randomUUID()}`;
  const dataset = (id: string, rest: string) => `/api/metadata/dataset/${id}/${rest}`;
  const imports = '/api/conversion/upload-convert';

  const kinds: (() => Promise<Submission>)[] = [
    async () => {
      const [size, name] = [choose.of(SIZES), unique('import')];
      const body = importing(uploads[size], name, 'AsciiGrid', 'GeoTiff');
      return { kind: 'import', path: imports, body, name, sha256: sums[size].image };
    },
    async () => {
      const [size, name] = [choose.of(SIZES), unique('import of a remote file')];
      const body = importing(remote[size], name, 'AsciiGrid', 'GeoTiff');
      return { kind: 'import of a remote file', path: imports, body, name, sha256: sums[size].image };
    },
    async () => {
      const [size, name] = [choose.of(SIZES), unique('import with needs')];
      const needs: { label?: string; memoryMb?: number } = choose.of(NEEDS);
      const body = {
        ...importing(uploads[size], name, 'AsciiGrid', 'GeoTiff'),
        ...(needs.label === undefined ? {} : { requiredLabels: [needs.label] }),
        ...(needs.memoryMb === undefined ? {} : { memoryRequestMb: needs.memoryMb }),
      };
      return { kind: 'import with needs', path: imports, body, name, sha256: sums[size].image, ...needs };
    },
    async () => {
      const name = unique('file');
      const body = importing(await put(name), name, 'File', 'File');
      return { kind: 'import of a file', path: imports, body, name, sha256: sha256Of(name) };
    },
    async () => {
      const size = choose.of(SIZES);
      const body = { writerName: 'GeoTiffWriter' };
      return { kind: 'export', path: dataset(terrains[size], 'download-convert'), body, sha256: sums[size].image };
    },
    async () => {
      const [size, name] = [choose.of(SIZES), unique('convert')];
      const body = { writerName: 'GeoTiffWriter', outputDatasetData: { name } };
      return { kind: 'convert', path: dataset(terrains[size], 'convert'), body, name, sha256: sums[size].image };
    },
    async () => {
      const [size, datasetId] = [choose.of(SIZES), choose.of(changing)];
      const body = { originalFileName: 'changed.asc', uploadUrl: uploads[size], readerName: 'AsciiGridReader' };
      return { kind: 'update', path: dataset(datasetId, 'update'), body, datasetId, sha256: sums[size].text };
    },
    async () => {
      const [size, datasetId] = [choose.of(SIZES), choose.of(changing)];
      const path = dataset(terrains[size], `update/${datasetId}`);
      return { kind: 'update from a dataset', path, body: {}, datasetId, sha256: sums[size].text };
    },
    async () => {
      const [datasetId, feature] = [choose.of(growing), unique('well')];
      const body = { originalFileName: 'more.json', uploadUrl: await put(wells(feature)), readerName: 'GeoJsonReader' };
      return { kind: 'append', path: dataset(datasetId, 'append'), body, datasetId, feature };
    },
    async () => {
      const [size, body] = [choose.of(SIZES), choose.of(places)];
      const made = { name: `terrain ${size}`, sha256: sums[size].text };
      return { kind: 'copy', path: dataset(terrains[size], 'copy'), body, headers: VERSION_4, ...made };
    },
    async () => {
      const at = Math.floor(choose.share() * SIZES.length);
      const body = choose.of(places);
      const datasetId = moving[at] as string;
      const path = dataset(datasetId, 'move');
      return { kind: 'move', path, body, headers: VERSION_4, datasetId, name: `moving ${SIZES[at]}` };
    },
  ];
  return { kinds, acknowledged };
}

const wells = (name: string) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', geometry: { type: 'Point', coordinates: [11, 55] }, properties: { name } }],
  });

/** The names of the wells in a file of them. */
export const wellsIn = (text: string): string[] =>
  JSON.parse(text).features.map((feature: { properties: { name: string } }) => feature.properties.name);

export const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

export function expect({ status, body }: Answer, wanted: number): Answer['body'] {
  if (status !== wanted) throw new Error(`${status} instead of ${wanted}: ${JSON.stringify(body)}`);
  return body;
}
