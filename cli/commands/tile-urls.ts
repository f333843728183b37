import type { Command } from 'commander';
import { table } from 'hydrofiles/terminal';
import type { Dataset } from '../../src/datasets/record.ts';
import { composedAnswer } from '../client.ts';
import { Refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { milliseconds } from '../options.ts';
import { publicBase, readSignature } from '../read-link.ts';
import { tilePath } from '../warm-tiles.ts';

const DAY_MS = 86_400_000;

interface UrlOptions {
  sign: boolean;
  expires: number;
}

interface TileUrl {
  kind: string;
  /** A scheme of a tiles dataset. */
  schemeId?: string;
  address: string;
}

interface Scheme {
  schemeId: string;
  schemeType: 'WMTS' | 'XYZ';
  outputType: 'PNG' | 'WEBP' | 'RawData' | 'BinnedData256';
  zoomLevels: number[];
  srid: number;
  sridAuthName: string;
}

export function urlsCommand(tile: Command, io: Io): void {
  tile
    .command('urls <dataset>')
    .description(
      'print the addresses of the tiles and features of a dataset for maps and GIS; whoever has one may read the dataset until it expires',
    )
    .option('--expires <duration>', 'how long they work, such as 8h or 30d; default: 1d', milliseconds, DAY_MS)
    .option('--no-sign', 'addresses without a signature: the reader needs an access token or API key')
    .action((dataset, wanted) => showUrls(io, dataset, wanted));
}

async function showUrls(io: Io, wanted: string, { sign, expires }: UrlOptions): Promise<void> {
  const path = `/api/metadata/dataset/${encodeURIComponent(wanted)}`;
  const { body: dataset } = await io.api.call<Dataset>('GET', path);
  const query = sign ? await readSignature(io, dataset, expires) : '';
  const signed = (address: string) => (query === '' ? address : `${address}?${query}`);
  const layer = { id: dataset.id, base: publicBase(dataset), signed };
  const urls = await listUrls(io, dataset.datasetType, layer);
  const end = new URLSearchParams(query).get('se') ?? undefined;
  const body = { id: dataset.id, ...(end && { expires: end }), urls };
  io.show(composedAnswer(body), () =>
    table(
      ['KIND', 'ADDRESS'],
      urls.map(({ kind, schemeId, address }) => [schemeId === undefined ? kind : `${kind} ${schemeId}`, address]),
    ),
  );
  if (end !== undefined) io.note(`The addresses grant reading until ${end} to whoever has them.`);
}

interface LayerUrl {
  readonly id: string;
  readonly base: string;
  signed(this: void, address: string): string;
}

async function listUrls(io: Io, datasetType: string, layer: LayerUrl): Promise<TileUrl[]> {
  const { id, base, signed } = layer;
  const map = { kind: 'Map', address: signed(`${base}/map/dataset/${id}`) };
  if (datasetType === 'tiles') return [map, ...(await rasterUrls(io, layer))];
  if (datasetType === 'gisvectordata') return [map, ...vectorUrls(layer), ...featureUrls(layer)];
  if (await hasVectorTiles(io, id)) return [map, ...vectorUrls(layer)];
  return [map];
}

async function rasterUrls(io: Io, { id, base, signed }: LayerUrl): Promise<TileUrl[]> {
  const { tilingSchemes } = (await io.api.call<{ tilingSchemes: Scheme[] }>('GET', tilePath(id, '/metadata'))).body;
  const root = `${base}/api/tiles/dataset/${id}`;
  const capabilities = signed(`${root}/wmts/1.0.0/WMTSCapabilities.xml`);
  return [
    ...tilingSchemes.flatMap((scheme) => {
      const { schemeId } = scheme;
      if (scheme.schemeType !== 'XYZ') return [];
      const address = signed(`${root}/scheme/${schemeId}/{z}/{y}/{x}`);
      return [
        { kind: 'XYZ', schemeId, address },
        { kind: 'TileJSON', schemeId, address: signed(`${root}/scheme/${schemeId}/tilejson.json`) },
        ...(isPicture(scheme) ? [{ kind: 'QGIS XYZ', schemeId, address: qgisXyz(address, scheme.zoomLevels) }] : []),
      ];
    }),
    { kind: 'WMTS', address: capabilities },
    ...tilingSchemes.flatMap((scheme) =>
      scheme.schemeType === 'WMTS' && isPicture(scheme)
        ? [{ kind: 'QGIS WMTS', schemeId: scheme.schemeId, address: qgisWmts(capabilities, scheme) }]
        : [],
    ),
  ];
}

const isPicture = ({ outputType }: Scheme): boolean => outputType === 'PNG' || outputType === 'WEBP';

const VECTOR_LEVELS = [0, 14];

function vectorUrls({ id, base, signed }: LayerUrl): TileUrl[] {
  const root = `${base}/api/vectortiles/dataset/${id}`;
  const address = signed(`${root}/{z}/{x}/{y}.vector.pbf`);
  return [
    { kind: 'XYZ vector', address },
    { kind: 'TileJSON', address: signed(`${root}/tilejson.json`) },
    { kind: 'QGIS vector', address: qgisXyz(address, VECTOR_LEVELS) },
  ];
}

function featureUrls({ id, base, signed }: LayerUrl): TileUrl[] {
  const address = signed(`${base}/api/gis/dataset/${id}/ogc`);
  return [
    { kind: 'OGC Features', address },
    { kind: 'QGIS Features', address: `typename='features' url='${address}'` },
  ];
}

async function hasVectorTiles(io: Io, id: string): Promise<boolean> {
  try {
    await io.api.call('GET', `/api/vectortiles/dataset/${id}/tilejson.json`);
    return true;
  } catch (error) {
    // A grid, an array, or a mesh without a place.
    if (error instanceof Refused && [404, 422].includes(error.status)) return false;
    throw error;
  }
}

/** The source of a layer in QGIS; its address is encoded, since the parts are separated by `&`. */
const qgisXyz = (address: string, levels: readonly number[]): string =>
  `type=xyz&url=${encodeURIComponent(address)}&zmin=${levels[0]}&zmax=${levels.at(-1)}`;

const qgisWmts = (capabilities: string, { schemeId, outputType, sridAuthName, srid }: Scheme): string => {
  const format = `image/${outputType.toLowerCase()}`;
  const set = `layers=${schemeId}&styles=default&tileMatrixSet=${schemeId}`;
  return `crs=${sridAuthName}:${srid}&dpiMode=7&format=${format}&${set}&url=${encodeURIComponent(capabilities)}`;
};
