import { go } from '../../app/router.ts';
import { api, type ImportBody } from '../../client/api.ts';
import { refresh } from '../../client/query.ts';
import { projectTexts as words } from '../../texts/projects.ts';
import { putWhole } from '../../uploads/blocks.ts';

/** South-west corner, in metres of ETRS89 / UTM zone 32N, side of a cell, and cells to the east and north. */
const [WEST, SOUTH, CELL, COLUMNS, ROWS] = [600_000, 5_730_000, 25, 120, 90];
const SRID = 25832;

/** Makes a project with a small grid and features, by upload and import as of any other file, and opens it. */
export async function loadSample(): Promise<void> {
  const body = { name: words.sample, description: words.sampleWhy };
  const { id } = await api('POST /api/metadata/project', { body });
  await importText(id, 'terrain.asc', terrain(), {
    outputDatasetData: { name: words.sampleTerrain },
    readerName: 'AsciiGridReader',
    readerParameters: [{ name: 'SRID', value: SRID }],
    writerName: 'GeoTiffWriter',
  });
  await importText(id, 'gauges.geojson', gauges(), {
    outputDatasetData: { name: words.sampleGauges },
    readerName: 'GeoJsonReader',
    writerName: 'GISWriter',
  });
  refresh('projects');
  go(`/projects/${id}`);
}

async function importText(projectId: string, name: string, text: string, more: Partial<ImportBody>): Promise<void> {
  const { data: url } = await api('GET /api/conversion/transfer/upload-url');
  const sending = { signal: new AbortController().signal, progress: () => {}, waiting: () => {} };
  await putWhole({ url, renewed: () => {} }, new Blob([text]), sending);
  const body = { projectId, originalFileName: name, uploadUrl: url, ...more } as ImportBody;
  await api('POST /api/conversion/upload-convert', { body });
}

/** A valley between hills, as an ASCII grid. */
function terrain(): string {
  const head = { ncols: COLUMNS, nrows: ROWS, xllcorner: WEST, yllcorner: SOUTH, cellsize: CELL };
  const rows = Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (__, column) => heightAt(column, row).toFixed(1)).join(' '),
  );
  return `${[...Object.entries(head).map((pair) => pair.join(' ')), ...rows].join('\n')}\n`;
}

function heightAt(column: number, row: number): number {
  const aside = (column - COLUMNS / 2 - 15 * Math.sin(row / 14)) / COLUMNS;
  return 120 - row / 3 + 260 * aside ** 2 + 6 * Math.sin(column / 7) * Math.cos(row / 9);
}

/** Points along the valley, as GeoJSON. */
function gauges(): string {
  const places = [words.sampleUpper, words.sampleMiddle, words.sampleLower];
  const features = places.map((name, index) => ({
    type: 'Feature',
    properties: { name, since: 1950 + 12 * index },
    geometry: { type: 'Point', coordinates: [10.466, 51.727 - 0.007 * index] },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}
