import type { ByteSource } from '../../data/bytes.ts';
import { readHeader } from '../io/flatgeobuf/header-reader.ts';

/** Whether features are found by a spatial index. */
export const isIndexed = async (source: ByteSource): Promise<boolean> => (await readHeader(source)).index !== undefined;
