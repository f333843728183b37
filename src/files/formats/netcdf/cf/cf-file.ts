import { newValues } from '../../../data/stored-values.ts';
import type { CfFile } from '../../io/cf/variable.ts';
import type { NetCdfGroup, NetCdfVariable, TextVariable } from '../netcdf-file.ts';

/** The group by the conventions of CF: variables without values, such as grid mappings, may be characters. */
export function cfFileOf({ attributes, variables, texts }: NetCdfGroup): CfFile {
  const all = new Map<string, NetCdfVariable>(variables);
  for (const text of texts.values()) if (text.shape.length === 0) all.set(text.name, empty(text));
  return { attributes, variables: all };
}

const empty = ({ name, attributes }: TextVariable): NetCdfVariable => {
  const nothing = async () => newValues('UInt8', 1);
  return {
    metadata: { name, type: 'UInt8', shape: [], chunks: [], dimensions: [], attributes },
    chunkBytes: 1,
    bytesFor: () => 1,
    read: nothing,
    select: nothing,
    all: nothing,
  };
};
