import type { ByteSink } from '../data/bytes.ts';
import type { Data } from '../data/data.ts';
import type { Writer } from '../formats/define.ts';
import type { FileType } from '../formats/file-type.ts';
import { reportDoubles } from '../formats/io/left-out.ts';
import type { BridgeWork } from './bridges/bridge.ts';
import { bridgeTo } from './bridges/bridges.ts';
import { withParameters } from './offers.ts';

/**
 * Writes data, over a bridge where the writer needs one.
 * @returns the type of the file where it is not the usual one of the writer
 */
export async function writeData(
  data: Data,
  writer: Writer,
  sink: ByteSink,
  work: Omit<BridgeWork, 'writer'>,
): Promise<FileType | undefined> {
  const { context, parameters } = work;
  const accepting = withParameters(writer, parameters);
  const changed = accepting.accepts.includes(data.kind)
    ? data
    : await bridgeTo(accepting, data.kind)!.change(data as never, { ...work, writer });
  if (changed.kind === 'grid' && changed.places !== undefined && writer.keepsPlaces !== true)
    context.reportLoss('The places (x, y) of the points along the line were left out; the distance along it is kept.');
  // blocks of grids have the exact integers, too
  if (changed.kind === 'mesh' || changed.kind === 'array') reportDoubles(changed.items, context);
  return (await writer.write(changed, { ...parameters }, sink, context)) || undefined;
}
