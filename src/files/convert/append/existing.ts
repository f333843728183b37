import type { Data } from '../../data/data.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { type Context, SEVERAL_LAYERS } from '../../formats/define.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import { completeParameters } from '../../formats/parameters.ts';
import { readers } from '../../formats/registry.ts';
import type { ExistingDataset } from '../conversion.ts';

/** The data of a dataset to which a conversion appends. An append must not drop records that are there. */
export async function readExisting({ path, format }: ExistingDataset, context: Context): Promise<Data> {
  const [reader, another] = readers.filter((one) => one.format === format);
  if (reader === undefined || another !== undefined)
    throw new Error(`Appending needs exactly one reader of the format '${format}'.`);
  const source = await FileSource.open(path, { checksum: false });
  context.onEnd(() => source.close());
  const strict: Context = {
    ...context,
    onBadRecord: 'fail',
    log: (level, message) => context.log(level, `The dataset: ${message}`),
    reportLoss: (sentence) => context.reportLoss(`The dataset: ${sentence}`),
    progress: () => {},
    reportBadRecord: ({ reason }) => {
      throw reason;
    },
  };
  return reader.read(source, completeParameters(reader, {}), strict).catch(refuseUnreadable);
}

/** Says that an error is about the dataset, not about the input. */
export function refuseUnreadable(error: unknown): never {
  if (!(error instanceof FormatError || error instanceof ConversionError)) throw error;
  throw new ConversionError(
    error instanceof ConversionError && error.code === SEVERAL_LAYERS
      ? 'The dataset has several layers. Only a dataset with one layer can be appended to.'
      : `The existing dataset cannot be read: ${error.message}`,
  );
}
