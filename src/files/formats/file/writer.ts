import type { Write } from '../define.ts';
import { piecesOf } from '../io/pieces.ts';
import type { writeParameters } from './parameters.ts';

export const write: Write<typeof writeParameters, 'bytes'> = async (
  { source },
  _parameters,
  sink,
  { signal, progress },
) => {
  for await (const piece of piecesOf(source, { signal })) {
    await sink.append(piece);
    progress(sink.position / source.size, 'Copying');
  }
};
