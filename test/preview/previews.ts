import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { OpenPreview, type PreviewDescription, type PreviewInput, type PreviewTile } from '../../src/files/preview.ts';
import { memory } from '../formats/read.ts';
import { folderOf } from '../formats/transformed.ts';

type Input = Omit<PreviewInput, 'kind' | 'path' | 'source'> & Partial<Pick<PreviewInput, 'kind'>>;

/** Opens the content of a file, which exists until the end of the test. */
export async function previewOf(
  t: ExecutionContext,
  content: string | Uint8Array,
  input: Input = {},
): Promise<OpenPreview> {
  const scratch = await folderOf(t);
  const path = join(scratch, input.name ?? 'content');
  await writeFile(path, content);
  return opened(t, { path, kind: 'file', ...input }, scratch);
}

/** Opens content that is read by range. */
export const rangedPreviewOf = async (
  t: ExecutionContext,
  content: Uint8Array,
  input: Input = {},
  source = memory(content),
): Promise<OpenPreview> => opened(t, { source, kind: 'file', ...input }, await folderOf(t));

async function opened(t: ExecutionContext, input: PreviewInput, scratch: string): Promise<OpenPreview> {
  const preview = await OpenPreview.open(input, { scratch, signal: new AbortController().signal });
  t.teardown(() => preview.close());
  return preview;
}

const scheme = { colors: ['#000000', '#ffffff'], min: 0, max: 1, log: false };

export const draw = (preview: OpenPreview, tile: Partial<PreviewTile> & Pick<PreviewTile, 'z' | 'x' | 'y'>) =>
  preview.drawTile({ format: 'png', scale: 1, item: '0', step: 0, layer: 0, scheme, ...tile }, () => {});

/** The values of a tile, row by row. Undefined for one without data. */
export async function values(
  preview: OpenPreview,
  tile: Partial<PreviewTile> & Pick<PreviewTile, 'z' | 'x' | 'y'>,
): Promise<Float32Array | undefined> {
  const bytes = await draw(preview, { format: 'values', ...tile });
  return bytes && new Float32Array(new Uint8Array(gunzipSync(bytes)).buffer);
}

/** The tile of a level that holds a place. */
export function tileAt(z: number, longitude: number, latitude: number): Pick<PreviewTile, 'z' | 'x' | 'y'> {
  const [column, row] = pixelAt(z, longitude, latitude);
  return { z, x: Math.floor(column / 256), y: Math.floor(row / 256) };
}

/** Place in the pixels of a level, from its upper left corner. */
export function pixelAt(z: number, longitude: number, latitude: number): [number, number] {
  const side = 256 * 2 ** z;
  const northing = Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI;
  return [((longitude + 180) / 360) * side, ((1 - northing) / 2) * side];
}

/** Longitude and latitude of the middle of the data. */
export function middleOf({ bbox }: Pick<PreviewDescription, 'bbox'>): [number, number] {
  const [west, south, east, north] = bbox!;
  return [(west + east) / 2, (south + north) / 2];
}
