import { stepCount } from '../../data/time-axis.ts';
import type { Context } from '../../formats/define.ts';
import type { AppendSession, AppendWork } from '../kinds/handler.ts';
import { temporalInformation } from '../temporal-information.ts';

/**
 * Appends steps to a content that is no data itself, such as tiles: the writer adds to it. The statistics of the
 * receipt are of what is added, because the values of the other steps are not there.
 */
export function openWrittenAppend({ write, steps, joined }: AppendWork, context: Context): AppendSession {
  if (steps.some(({ type }) => type === 'CalculateStatisticsTransformation'))
    context.log('warning', 'The statistics of the dataset stay, because it does not hold the values of its steps.');
  return {
    context,
    write,
    async finish({ properties: _properties, temporalInformation: _temporal, ...passed }) {
      const { time, present } = joined()!;
      const temporal = temporalInformation(time);
      return {
        ...passed,
        appended: { present, added: stepCount(time) - present },
        ...(temporal === undefined ? {} : { temporalInformation: temporal }),
      };
    },
  };
}
