import {
  boxOfWkt,
  type DatasetRecord,
  type MultidimensionalDataset,
  type Preview,
  type PreviewValues,
  type TileMetadata,
  type VectorTileJson,
} from './answers.ts';
import { type Api, Refused } from './api.ts';
import { say } from './dom.ts';
import type { Box } from './map-view.ts';
import { idIn } from './permalink.ts';

/**
 * What the page shows: one of tiles, vector tiles, a multidimensional dataset, which has vector tiles if it is a mesh,
 * or the preview of a dataset of any other kind.
 */
export interface Subject {
  readonly id: string;
  readonly name: string;
  readonly box?: Box | undefined;
  readonly tiles?: TileMetadata;
  readonly vector?: VectorTileJson;
  readonly stored?: MultidimensionalDataset;
  readonly preview?: Preview;
  /** Times of the steps of a preview, if they are known. */
  readonly times?: readonly string[] | undefined;
  /** Folder of the vector tiles. */
  readonly vectorPath?: string;
  /** The multidimensional dataset that the record names in its metadata. */
  readonly seriesDataset?: string | undefined;
}

/** Member of the metadata of a dataset of tiles that names the multidimensional dataset with its series. */
const SERIES_DATASET = 'seriesDataset';

const KINDS = ['tiles', 'gisvectordata', 'multidimensional'] as const;
type Kind = (typeof KINDS)[number];

const readers: Record<Kind, (api: Api, id: string, record?: DatasetRecord) => Promise<Subject>> = {
  tiles: readTiles,
  gisvectordata: readVector,
  multidimensional: readStored,
};

/** @throws Refused if the caller may not see the dataset, or if it has nothing for a map */
export async function readSubject(api: Api, id: string): Promise<Subject> {
  if (!api.signed) {
    const record = await api.json<DatasetRecord>(`api/metadata/dataset/${id}`);
    const read = readers[record.datasetType as Kind];
    return read === undefined ? readPreview(api, id, record.name) : read(api, id, record);
  }
  // a signed link does not open the record, so the services are asked in turn
  for (const kind of KINDS) {
    try {
      return await readers[kind](api, id);
    } catch (error) {
      if (!(error instanceof Refused) || ![400, 404].includes(error.status)) throw error;
    }
  }
  return readPreview(api, id, 'Dataset');
}

/** How often a preview that is being made is looked at. */
const LOOK_AGAIN_MS = 1000;
/** A description does not list the times of its steps; the values at a point do, of so many. */
const MOST_TIMES = 5000;

/** The preview, once it is made. @throws Refused if there is nothing to draw */
async function readPreview(api: Api, id: string, name: string): Promise<Subject> {
  const path = `api/preview/dataset/${id}`;
  let preview = await api.json<Preview>(path);
  while (preview.state === 'building') {
    say(`The preview is being made: ${Math.floor(100 * (preview.progress ?? 0))} %`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    preview = await api.json<Preview>(path);
  }
  const { items = [], bbox, tiles, deepest: maxzoom = 0, reason = 'it has no place on a map' } = preview;
  if (tiles?.raster === undefined && tiles?.vector === undefined)
    throw new Refused(422, `There is nothing to draw of '${name}': ${reason}`);
  const box = bbox && ([bbox[0], bbox[1], bbox[2] < bbox[0] ? bbox[2] + 360 : bbox[2], bbox[3]] as const);
  if (tiles.raster !== undefined) return { id, name, preview, box, times: await timesOf(api, path, preview) };
  const fields = items.map((item) => [item.name, item.min === undefined ? 'String' : 'Number'] as const);
  const vector = {
    name,
    bounds: box ?? ([-180, -85, 180, 85] as const),
    maxzoom,
    vector_layers: [{ id: 'features', fields: Object.fromEntries(fields) }],
  };
  return { id, name, box, vector, vectorPath: path };
}

async function timesOf(
  api: Api,
  path: string,
  { steps, items, bbox }: Preview,
): Promise<readonly string[] | undefined> {
  if (steps === undefined || steps.count < 2 || steps.count > MOST_TIMES || bbox === undefined) return undefined;
  const item = items?.find(({ min }) => min !== undefined)?.id ?? '0';
  // data of relative times have none
  const answer = await api
    .json<PreviewValues>(`${path}/values?point=${bbox[0]},${bbox[1]}&item=${encodeURIComponent(item)}`)
    .catch(() => undefined);
  return answer?.time?.times;
}

async function readTiles(api: Api, id: string, record?: DatasetRecord): Promise<Subject> {
  const tiles = await api.json<TileMetadata>(`api/tiles/dataset/${id}/metadata`);
  const name = record?.name ?? (await titleOfService(api, id));
  const seriesDataset = idIn(record?.metadata?.[SERIES_DATASET]);
  return { id, name, tiles, box: boxOfWkt(tiles.wgS84Extent), seriesDataset };
}

async function titleOfService(api: Api, id: string): Promise<string> {
  interface Capabilities {
    readonly serviceIdentification?: { readonly title?: string };
  }
  const { serviceIdentification } = await api.json<Capabilities>(`api/tiles/dataset/${id}/wmts`);
  return serviceIdentification?.title ?? 'Tiles';
}

const vectorTiles = (api: Api, id: string) => api.json<VectorTileJson>(`api/vectortiles/dataset/${id}/tilejson.json`);

/** Whether the tiles are those of a mesh. */
const isMesh = ({ vector_layers }: VectorTileJson) => vector_layers[0]?.id === 'elements';

async function readVector(api: Api, id: string): Promise<Subject> {
  const vector = await vectorTiles(api, id);
  if (!isMesh(vector)) return { id, name: vector.name, vector, box: vector.bounds };
  const stored = await api.json<MultidimensionalDataset>(`api/md/dataset/${id}`);
  return { id, name: stored.name, stored, vector, box: vector.bounds };
}

async function readStored(api: Api, id: string): Promise<Subject> {
  const stored = await api.json<MultidimensionalDataset>(`api/md/dataset/${id}`);
  if (stored.kind === 'mesh') {
    // a section or a mesh without a coordinate system has no tiles
    const vector = await vectorTiles(api, id).catch(() => undefined);
    if (vector !== undefined && isMesh(vector)) return { id, name: stored.name, stored, vector, box: vector.bounds };
  }
  const preview = await readPreview(api, id, stored.name).catch(() => undefined);
  if (preview?.preview !== undefined) return preview;
  const extent = stored.wgS84Extent;
  return { id, name: stored.name, stored, box: extent === undefined ? undefined : boxOfWkt(extent) };
}
