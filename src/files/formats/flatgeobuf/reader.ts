import type { Read } from '../define.ts';
import { readFlatGeobuf } from '../io/flatgeobuf/read.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = (source, { SRID }, context) => readFlatGeobuf(source, SRID, context);
