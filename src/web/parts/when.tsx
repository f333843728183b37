import { formatTime, formatWholeTime } from '../client/format.ts';

/** A time of the API, as short as it is clear; exactly in its title. */
export const When = ({ at, quiet = false }: { at: string; quiet?: boolean }) => (
  <time class={quiet ? 'quiet nowrap' : undefined} dateTime={`${at}Z`} title={formatWholeTime(at)}>
    {formatTime(at)}
  </time>
);
