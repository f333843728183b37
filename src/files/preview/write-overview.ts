import type { ConversionHooks } from '../convert/conversion.ts';
import { FileSink } from '../formats/io/bytes.ts';
import { completeParameters } from '../formats/parameters.ts';
import { findWriter } from '../formats/registry.ts';
import { openInput } from './open-input.ts';
import { overviewOf } from './overview.ts';
import type { PreviewInput } from './preview.ts';
import { arrayAsDrawn } from './raster/array-as-drawn.ts';

/** Sent to a child process as JSON. */
export interface OverviewRequest {
  readonly input: Pick<PreviewInput, 'path' | 'reader' | 'parameters' | 'name' | 'kind'>;
  readonly output: { readonly path: string };
  /** Folder for temporary files; the caller deletes it. */
  readonly scratch: string;
  /** Cells of a plane of the overview at most. */
  readonly mostCells: number;
}

/**
 * Writes the overview of a local file as a Zarr store.
 * @returns whether there is one: not of data that are no grid, or a grid that has no more cells
 * @throws FormatError for malformed content
 */
export async function writeOverview(
  { input, output, scratch, mostCells }: OverviewRequest,
  { signal, progress }: Pick<ConversionHooks, 'signal' | 'progress'>,
): Promise<{ written: boolean }> {
  await using open = new AsyncDisposableStack();
  const { data, context } = await openInput(input, { scratch, signal }, open);
  const grid = data.kind === 'array' ? arrayAsDrawn(data) : data;
  const overview = grid?.kind === 'grid' ? overviewOf(grid, mostCells) : undefined;
  if (overview === undefined) return { written: false };
  const writer = findWriter('MDWriter')!;
  const sink = open.use(await FileSink.create(output.path, { checksum: false }));
  await writer.write(overview, completeParameters(writer, {}), sink, { ...context, progress });
  await sink.flush();
  return { written: true };
}
