import { kindNouns } from '../../data/data.ts';
import type { Grid } from '../../data/grid.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { Series } from '../../data/series.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import type { AppendSession, AppendWork, StreamOperations } from '../kinds/handler.ts';
import { listedStatistics } from '../listed-statistics.ts';
import { temporalInformation } from '../temporal-information.ts';
import { readExisting } from './existing.ts';

/** Kinds of data with a time axis, to which steps can be appended. */
type OverTime = Grid | Mesh | Series;

/**
 * Opens the content of a dataset to append steps to it. Writes a new file with the steps of the dataset and then those
 * of the input, so the old file stays complete until the new one is.
 * @param join appends the steps of the input to the data of the dataset
 */
export async function openStepAppend<D extends OverTime>(
  { existing, writer, write, steps }: AppendWork,
  context: Context,
  stream: StreamOperations<D>,
  join: (present: D, added: D, context: Context) => Promise<D>,
): Promise<AppendSession> {
  if (writer.appends === undefined) throw new ConversionError(`${writer.name} cannot append.`);
  const there = (await readExisting(existing, context)) as D;
  const calculated = steps.some(({ type }) => type === 'CalculateStatisticsTransformation');
  let result: { joined: D; tally: ReturnType<StreamOperations<D>['tally']>; added: number } | undefined;
  return {
    context,
    async write(data) {
      if (data.kind !== there.kind)
        throw new ConversionError(
          `The dataset holds ${kindNouns[there.kind].one}, and the input ${kindNouns[data.kind].one}.`,
        );
      const joined = await join(there, data as D, context);
      const tally = stream.tally(joined, calculated);
      result = { joined, tally, added: countOf(joined) - countOf(there) };
      await write(tally.watch(joined, context.signal, (fraction) => context.progress(fraction, 'Appending')));
    },
    async finish(passed) {
      const { joined, tally, added } = result!;
      const after = tally.result(joined);
      const spatial = await stream.place(joined, after, context);
      const temporal = temporalInformation(joined.time);
      return {
        ...passed,
        appended: { present: countOf(there), added },
        statistics: { ...passed.statistics, after },
        ...(calculated ? { properties: { statistics: listedStatistics(after, true) } } : {}),
        ...(spatial === undefined ? {} : { spatialInformation: spatial }),
        ...(temporal === undefined ? {} : { temporalInformation: temporal }),
      };
    },
  };
}

const countOf = ({ time }: OverTime): number =>
  time?.spacing === 'pulled' ? 0 : stepsOf(time === undefined ? {} : { time });
