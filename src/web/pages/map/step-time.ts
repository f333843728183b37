import type { Preview } from '../../client/api.ts';
import type { PreviewSource } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';

/** The time of a step on the clock of the data, such as `2026-01-24 08:15`; undefined while it is not known. */
export function useStepTime(source: PreviewSource, { steps }: Preview, step: number): string | undefined {
  const { count = 1, first, last } = steps ?? {};
  const known = step === 0 ? first : step === count - 1 ? last : undefined;
  const isAsked = first !== undefined && known === undefined;
  const page = useQuery(isAsked ? `preview ${source.id} time ${step}` : undefined, (signal) =>
    source.numbers('table', { step, limit: 1 }, signal),
  );
  const time = known ?? page.data?.time;
  return time === undefined ? undefined : timeText(String(time));
}

/** Without seconds that are zero. */
export const timeText = (time: string): string => time.replace('T', ' ').replace(/(:\d\d):00(\.0+)?Z?$/, '$1');
