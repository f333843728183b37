import type { LayersBelow } from '../map/layers-below.ts';
import {
  api,
  apiResponse,
  type Preview,
  type PreviewProfile,
  type PreviewSeries,
  type PreviewStatistics,
  type PreviewTable,
  type PreviewValues,
} from './api.ts';
import { csvFile, saveFile } from './csv.ts';

type Texts = Readonly<Record<string, string | undefined>>;
type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** Numbers of a preview, by the end of their address. */
interface Numbers {
  readonly values: PreviewValues;
  readonly profile: PreviewProfile;
  readonly series: PreviewSeries;
  readonly statistics: PreviewStatistics;
  readonly table: PreviewTable;
}

/** Where pages read a preview: that of a dataset, or that of a link to one. */
export interface PreviewSource {
  /** Part of the keys of answers. */
  readonly id: string;
  describe(signal: AbortSignal): Promise<Preview>;
  /** A tile; undefined if nothing lies in it. @param file `{row}.values` */
  tile(zoom: number, column: number, file: string, query: Texts, signal: AbortSignal): Promise<Response | undefined>;
  numbers<Name extends keyof Numbers>(name: Name, query: Query, signal?: AbortSignal): Promise<Numbers[Name]>;
  csv(name: keyof Numbers, query: Query): Promise<Response>;
  /** Datasets of the operator that lie below the map; absent where they are not offered. */
  readonly below?: LayersBelow;
  /** Tries again to read what has failed; absent where that is not allowed. */
  retry?(): Promise<unknown>;
}

const sources = new Map<string, PreviewSource>();

/** The preview of a dataset. */
export const datasetPreview = (id: string): PreviewSource =>
  sourceOf(
    id,
    'dataset/{id}',
    { id },
    {
      retry: () => api('POST /api/preview/dataset/{id}/retry', { params: { id } }),
      below: {
        list: (signal) => api('GET /api/tiles/dataset/{id}/basemap', { params: { id }, signal }) as Promise<never>,
        tile(place, signal) {
          const { params, ...rest } = belowTile(place, signal);
          return apiResponse('GET /api/tiles/dataset/{id}/basemap/{layer}/{zoom}/{column}/{row}', {
            ...rest,
            params: { id, ...params },
          });
        },
      },
    },
  );

/** The preview of the dataset of a link. */
export const sharedPreview = (token: string): PreviewSource =>
  sourceOf(
    token,
    'share/{token}',
    { token },
    {
      below: {
        list: (signal) =>
          api('GET /api/share/{token}/preview/basemap', { params: { token }, signal }) as Promise<never>,
        tile(place, signal) {
          const { params, ...rest } = belowTile(place, signal);
          return apiResponse('GET /api/share/{token}/preview/basemap/{layer}/{zoom}/{column}/{row}', {
            ...rest,
            params: { token, ...params },
          });
        },
      },
    },
  );

/** The request for a tile below a map. @param place `{layer}/{zoom}/{column}/{row}` */
function belowTile(place: string, signal: AbortSignal) {
  const [layer = '', zoom = '', column = '', row = ''] = place.split('/');
  return { params: { layer, zoom, column, row }, signal, headers: { accept: '*/*' } };
}

/** Addresses of the two have the same ends and answers. */
function sourceOf(
  id: string,
  of: 'dataset/{id}' | 'share/{token}',
  params: Record<string, string>,
  more: Pick<PreviewSource, 'below' | 'retry'> = {},
): PreviewSource {
  const known = sources.get(id);
  if (known !== undefined) return known;
  const path = of === 'dataset/{id}' ? `GET /api/preview/${of}` : `GET /api/${of}/preview`;
  const operation = (end: string) => `${path}${end}` as 'GET /api/preview/dataset/{id}/table';
  const ask = (request: object) => ({ params, ...request }) as never;
  const made: PreviewSource = {
    id,
    describe: (signal) => api(operation(''), ask({ signal })) as Promise<never>,
    async tile(zoom, column, file, query, signal) {
      const answer = await apiResponse(operation('/{zoom}/{column}/{file}'), {
        params: { ...params, zoom: String(zoom), column: String(column), file },
        query,
        signal,
        headers: { accept: '*/*' },
      } as never);
      return answer.status === 204 ? undefined : answer;
    },
    numbers: (name, query, signal) =>
      api(operation(`/${name}`), ask({ query, ...(signal && { signal }) })) as Promise<never>,
    csv: (name, query) =>
      apiResponse(operation(`/${name}`), ask({ query: { ...query, format: 'csv' }, headers: { accept: 'text/csv' } })),
    ...more,
  };
  sources.set(id, made);
  return made;
}

/** Rows of a table that are saved at most: more are a case for an export. */
const MOST_ROWS = 200_000;

/** All rows of a table as CSV (RFC 4180). */
export async function tableCsv(source: PreviewSource, query: Query): Promise<Blob> {
  let page = await source.numbers('table', { ...query, limit: 1000 });
  const lines: unknown[][] = [page.columns.map(({ name, unit }) => (unit === undefined ? name : `${name} [${unit}]`))];
  for (;;) {
    lines.push(...page.rows);
    if (page.next === undefined) break;
    if (lines.length > MOST_ROWS)
      throw new Error(`The table has more than ${MOST_ROWS.toLocaleString()} rows. Export the dataset to get all.`);
    page = await source.numbers('table', { cursor: page.next, limit: 1000 });
  }
  return csvFile(lines);
}

/** Saves an answer as a file of this name. */
export async function saveAnswer(answer: Promise<Response>, name: string): Promise<void> {
  saveFile(await (await answer).blob(), name);
}
