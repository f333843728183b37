import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Choices } from '../flags.ts';
import type { Answer, Client } from './client.ts';
import type { Platform } from './platform.ts';

/** A submit that was answered with 200: what must come of it. */
export interface Acknowledged {
  id: string;
  kind: string;
  /** Of the bytes that it makes. */
  sha256: string;
  /** Of the dataset that it makes, and of no other. */
  name?: string;
  /** The dataset that it writes. */
  datasetId?: string;
  cancelled?: boolean;
}

interface Submit extends Omit<Acknowledged, 'id'> {
  path: string;
  body: object;
}

/** What is sent to the platform while it is disturbed. */
export interface Work {
  readonly acknowledged: Acknowledged[];
  /** By status, of submits that were refused: a dataset that another transfer writes. */
  readonly refused: Map<number, number>;
  /** Goes on submitting until `stop`, with about `open` transfers under way at each moment. */
  begin(open: number): void;
  stop(): Promise<void>;
}

/** Lines of a grid: conversions from some ten milliseconds to a second. */
const SIZES = [100, 500, 1200] as const;
type Size = (typeof SIZES)[number];
const SUBMITTERS = 3;

export function grid(lines: number): string {
  const row = Array.from({ length: lines }, (_, column) => (column * 0.37).toFixed(3)).join(' ');
  const head = `ncols ${lines}\nnrows ${lines}\nxllcorner 0\nyllcorner 0\ncellsize 1\n`;
  return `${head}${`${row}\n`.repeat(lines)}`;
}

/** Makes what the transfers will read and write, and learns from undisturbed ones what each must make. */
export async function prepareWork(platform: Platform, client: Client, choose: Choices): Promise<Work> {
  const acknowledged: Acknowledged[] = [];
  const refused = new Map<number, number>();
  const project = expect(await client.post('/api/metadata/project', { name: 'River' }, randomUUID()), 201);
  const projectId = project.id as string;

  const put = async (content: string) => {
    const { data } = expect(await client.get('/api/conversion/transfer/upload-url'), 200);
    expect(await client.put(data, Buffer.from(content)), 201);
    return data as string;
  };
  const importing = (uploadUrl: string, name: string, format: 'AsciiGrid' | 'GeoTiff') => ({
    projectId,
    originalFileName: 'terrain.asc',
    uploadUrl,
    outputDatasetData: { name },
    readerName: 'AsciiGridReader',
    writerName: `${format}Writer`,
  });
  const uploads = {} as Record<Size, string>;
  const sums = {} as Record<Size, { AsciiGrid: string; GeoTiff: string }>;
  const terrains = {} as Record<Size, string>;
  const changing: string[] = [];
  async function undisturbed(body: ReturnType<typeof importing>, kind: string) {
    const begun = expect(await client.post('/api/conversion/upload-convert', body, randomUUID()), 200);
    const ended = expect(await client.get(`/api/conversion/transfer/${begun.id}`, { prefer: 'wait=60' }), 200);
    if (ended.status !== 'Completed') throw new Error(`An undisturbed import ended ${JSON.stringify(ended)}.`);
    const { sha256 } = ended.receipt.output;
    acknowledged.push({ id: begun.id, kind, sha256, name: body.outputDatasetData.name });
    return { sha256: sha256 as string, datasetId: ended.importResults[0].datasetId as string };
  }
  for (const size of SIZES) {
    uploads[size] = await put(grid(size));
    const text = await undisturbed(importing(uploads[size], `terrain ${size}`, 'AsciiGrid'), 'import');
    const image = await undisturbed(importing(uploads[size], `image ${size}`, 'GeoTiff'), 'import');
    sums[size] = { AsciiGrid: text.sha256, GeoTiff: image.sha256 };
    terrains[size] = text.datasetId;
    const other = await undisturbed(importing(uploads[size], `changing ${size}`, 'AsciiGrid'), 'to be updated');
    changing.push(other.datasetId);
  }

  const unique = (noun: string) => `${noun} ${randomUUID()}`;
  const KINDS: Record<string, () => Promise<Submit>> = {
    async import() {
      const size = choose.of(SIZES);
      const name = unique('import');
      const body = importing(uploads[size], name, 'GeoTiff');
      return { path: '/api/conversion/upload-convert', body, kind: 'import', name, sha256: sums[size].GeoTiff };
    },
    async copy() {
      const name = unique('copy');
      const copied = { readerName: 'FileReader', writerName: 'FileWriter' };
      const body = { ...importing(await put(name), name, 'GeoTiff'), ...copied };
      return { path: '/api/conversion/upload-convert', body, kind: 'copy', name, sha256: sha256Of(name) };
    },
    async export() {
      const size = choose.of(SIZES);
      const path = `/api/metadata/dataset/${terrains[size]}/download-convert`;
      return { path, body: { writerName: 'GeoTiffWriter' }, kind: 'export', sha256: sums[size].GeoTiff };
    },
    async convert() {
      const size = choose.of(SIZES);
      const name = unique('convert');
      const body = { writerName: 'GeoTiffWriter', outputDatasetData: { name } };
      const path = `/api/metadata/dataset/${terrains[size]}/convert`;
      return { path, body, kind: 'convert', name, sha256: sums[size].GeoTiff };
    },
    async update() {
      const size = choose.of(SIZES);
      const datasetId = choose.of(changing);
      const file = { originalFileName: 'changed.asc', uploadUrl: uploads[size], readerName: 'AsciiGridReader' };
      const path = `/api/metadata/dataset/${datasetId}/update`;
      return { path, body: file, kind: 'update', datasetId, sha256: sums[size].AsciiGrid };
    },
    async updateFrom() {
      const size = choose.of(SIZES);
      const datasetId = choose.of(changing);
      const path = `/api/metadata/dataset/${terrains[size]}/update/${datasetId}`;
      return { path, body: {}, kind: 'update from a dataset', datasetId, sha256: sums[size].AsciiGrid };
    },
  };

  async function submit() {
    const { path, body, ...wanted } = await choose.of(Object.values(KINDS))();
    const wish = choose.share();
    const answer = await client.post(path, body, randomUUID());
    if (answer.status !== 200) return refuse(answer);
    const entry: Acknowledged = { id: answer.body.id, ...wanted };
    acknowledged.push(entry);
    if (wish < CANCELLED) await cancel(entry, choose.between(0, 1500));
  }
  async function cancel(entry: Acknowledged, after: number) {
    await sleep(after);
    const { status } = await client.post(`/api/conversion/transfer/${entry.id}/cancel`, {}, randomUUID());
    entry.cancelled = status === 202;
  }
  function refuse({ status, body }: Answer) {
    if (status !== 409 || body.code !== 'DatasetLocked')
      throw new Error(`A submit was refused: ${status} ${JSON.stringify(body)}`);
    refused.set(status, (refused.get(status) ?? 0) + 1);
  }
  /** What ended in error is tried again, as a user would: mostly. */
  const retried = new Set<string>();
  async function retryFailed(failed: readonly string[]) {
    for (const id of failed) {
      const entry = acknowledged.find((each) => each.id === id);
      if (entry === undefined || retried.has(id)) continue;
      retried.add(id);
      if (choose.share() > RETRIED) continue;
      const answer = await client.post(`/api/conversion/transfer/${id}/retry`, {}, randomUUID());
      const { cancelled: _, ...wanted } = entry;
      if (answer.status === 202) acknowledged.push({ ...wanted, id: answer.body.id, kind: 'retry' });
      else refuse(answer);
    }
  }

  let going = false;
  let ended: Promise<unknown> = Promise.resolve();
  return {
    acknowledged,
    refused,
    begin(most) {
      going = true;
      let open = 0;
      const look = async () => {
        while (going) {
          const counts = await platform.sql<{ open: number; failed: string[] | null }>(
            `select count(*) filter (where finished_at is null)::int as open, array_agg(id) filter (where status = 'Error') as failed
             from transfers`,
          );
          open = counts[0]?.open ?? 0;
          await retryFailed(counts[0]?.failed ?? []);
          await sleep(200);
        }
      };
      const send = async () => {
        while (going) {
          if (open >= most) {
            await sleep(100);
            continue;
          }
          open++;
          await submit();
        }
      };
      ended = Promise.all([look(), ...Array.from({ length: SUBMITTERS }, send)]);
      ended.catch(() => {});
    },
    async stop() {
      going = false;
      await ended;
    },
  };
}

const CANCELLED = 0.15;
const RETRIED = 0.8;

export const sha256Of = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

function expect({ status, body }: Answer, wanted: number): Answer['body'] {
  if (status !== wanted) throw new Error(`${status} instead of ${wanted}: ${JSON.stringify(body)}`);
  return body;
}
