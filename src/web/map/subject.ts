import {
  boxOfWkt,
  type DatasetRecord,
  type MultidimensionalDataset,
  type TileMetadata,
  type VectorTileJson,
} from './answers.ts';
import { type Api, Refused } from './api.ts';
import type { Box } from './map-view.ts';
import { idIn } from './permalink.ts';

/**
 * What the page shows: one of tiles, vector tiles, or a multidimensional dataset, which has vector tiles if it is a
 * mesh.
 */
export interface Subject {
  readonly id: string;
  readonly name: string;
  readonly box?: Box | undefined;
  readonly tiles?: TileMetadata;
  readonly vector?: VectorTileJson;
  readonly stored?: MultidimensionalDataset;
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
    if (read !== undefined) return read(api, id, record);
    throw nothingToShow(`'${record.name}' is of type '${record.datasetType}'`);
  }
  // a signed link does not open the record, so the services are asked in turn
  for (const kind of KINDS) {
    try {
      return await readers[kind](api, id);
    } catch (error) {
      if (!(error instanceof Refused) || ![400, 404].includes(error.status)) throw error;
    }
  }
  throw nothingToShow('This dataset does not exist, or is a file or time series');
}

const nothingToShow = (what: string) =>
  new Refused(
    422,
    `${what}, so there is nothing to draw. Datasets of tiles (TilingWriter), features (GISWriter) and multidimensional data (MDWriter) have a map.`,
  );

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
  const extent = stored.wgS84Extent;
  return { id, name: stored.name, stored, box: extent === undefined ? undefined : boxOfWkt(extent) };
}
