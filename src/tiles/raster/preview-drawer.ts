import { loadOnce } from 'hydrofiles/caches';
import {
  type Choice,
  csvOf,
  OpenPreview,
  type PreviewTile,
  type PreviewVectorTile,
  type ProfileRequest,
  profile,
  profileTable,
  readingOf,
  rowsTable,
  type SeriesRequest,
  series,
  seriesTable,
  statistics,
  statisticsTable,
  type TableRequest,
  table,
  type ValuesRequest,
  valuesAt,
  valuesTable,
} from 'hydrofiles/preview';
import { LRUCache } from 'lru-cache';
import type { DrawContext } from '../draw-threads.ts';

/** What a preview is drawn of: a local file, or a blob of which the thread asks for ranges. */
export interface PreviewFile {
  /** Names one version of the content. */
  readonly key: string;
  readonly name: string;
  readonly reader?: string;
  /** Code of the coordinate system of data that have none of their own. */
  readonly srid?: number;
  readonly mostIndexed?: number;
  readonly kind: 'file' | 'store';
  readonly path?: string;
  /** Bytes of a blob. */
  readonly size?: number;
  /** Where the bytes of its overview begin among those that the thread asks for, and how many there are. */
  readonly overview?: { readonly offset: number; readonly size: number };
  /** Folder for temporary files. */
  readonly scratch: string;
}

/** Numbers that are asked for. */
export type NumbersTask =
  | { readonly ask: 'values'; readonly request: ValuesRequest }
  | { readonly ask: 'profile'; readonly request: ProfileRequest }
  | { readonly ask: 'series'; readonly request: SeriesRequest }
  | { readonly ask: 'statistics'; readonly request: Choice }
  | { readonly ask: 'table'; readonly request: TableRequest };

/** What is asked of a preview. Answers are bytes: of a tile, else of JSON, or of CSV. */
export type PreviewTask =
  | { readonly ask: 'reading' }
  | { readonly ask: 'description' }
  | { readonly ask: 'tile'; readonly tile: PreviewTile }
  | { readonly ask: 'vectorTile'; readonly tile: PreviewVectorTile }
  | (NumbersTask & { readonly format: 'json' | 'csv' });

export interface PreviewJob {
  readonly preview: PreviewFile;
  readonly task: PreviewTask;
}

/** Previews whose headers and last used values are in memory. */
const MOST_OPEN = 6;

/** The source of the running job: a preview that stays open is read for many jobs, always of the same blob. */
let current: DrawContext | undefined;
const open = new LRUCache<string, Promise<OpenPreview>>({
  max: MOST_OPEN,
  dispose: (opening) =>
    void opening.then(
      (preview) => preview[Symbol.asyncDispose](),
      () => undefined,
    ),
});

/** Bytes of the running job. */
const sourceAt = (start: number, bytes: number) => ({
  size: bytes,
  read(offset: number, length: number) {
    current!.throwIfAborted();
    return current!.ask({ offset: start + offset, length: Math.max(0, Math.min(length, bytes - offset)) });
  },
});

function opened({ key, path, size, overview, scratch, ...file }: PreviewFile): Promise<OpenPreview> {
  return loadOnce(open, `${key} ${path}`, () => {
    const source = {
      ...(path === undefined ? { source: sourceAt(0, size!) } : { path }),
      ...(overview && { overview: { source: sourceAt(overview.offset, overview.size) } }),
    };
    // the job ends by itself when nobody waits: reads and drawing look
    return OpenPreview.open({ ...file, ...source }, { scratch, signal: new AbortController().signal });
  });
}

const own = (bytes: Uint8Array) => new Uint8Array(bytes);
const json = (value: unknown) => own(Buffer.from(JSON.stringify(value)));

/** Answers a job in a thread. */
export async function answerPreview(
  { preview, task }: PreviewJob,
  context: DrawContext,
): Promise<Uint8Array | undefined> {
  current = context;
  const { throwIfAborted } = context;
  throwIfAborted();
  if (task.ask === 'reading') return json(await readingOf(sourceAt(0, preview.size!), preview));
  const drawn = await opened(preview);
  throwIfAborted();
  if (task.ask === 'tile') return drawn.drawTile(task.tile, throwIfAborted);
  if (task.ask === 'vectorTile') return drawn.drawVectorTile(task.tile, throwIfAborted);
  if (task.ask === 'description') return json(await drawn.describe());
  const { answer, tableOf } = await numbersOf(drawn, task, throwIfAborted);
  return task.format === 'json' ? json(answer) : own(await csvOf(tableOf()));
}

async function numbersOf(preview: OpenPreview, task: NumbersTask, throwIfAborted: () => void) {
  const { data } = preview;
  const index = async () => (data.kind === 'features' && data.crs !== undefined ? preview.indexed(data) : undefined);
  switch (task.ask) {
    case 'values': {
      const answer = await valuesAt(data, task.request, throwIfAborted, await index());
      return { answer, tableOf: () => valuesTable(answer) };
    }
    case 'profile': {
      const answer = await profile(data, task.request, throwIfAborted);
      return { answer, tableOf: () => profileTable(answer) };
    }
    case 'series': {
      const answer = await series(data, task.request, throwIfAborted);
      return { answer, tableOf: () => seriesTable(answer) };
    }
    case 'statistics': {
      const answer = await statistics(data, task.request, throwIfAborted);
      return { answer, tableOf: () => statisticsTable(answer) };
    }
    case 'table': {
      const answer = await table(data, task.request, throwIfAborted, await index());
      return { answer, tableOf: () => rowsTable(answer) };
    }
  }
}
