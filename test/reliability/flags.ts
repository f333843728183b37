import { randomOf } from '../world/random.ts';

/**
 * How long and how tests torment the platform and its readers, as environment variables:
 *
 * - `CRASH_TEST=long` — the long forms: 500 kills in the campaign, 20 rolling restarts under 50 jobs, 200 cancels, 50
 *   kills under bytes that are put, all mutations of files, all pairs of the laboratory. Give ava time for them:
 *   `CRASH_TEST=long npm exec -- ava --timeout=60m test/reliability/campaign.test.ts`. No test asks for more time
 *   itself: a `t.timeout` longer than the `timeout` of ava, and ava waits for ever for whatever hangs.
 * - `CRASH_SEED=n` — the choices of an earlier run, which prints its seed. What the machine does between them stays its
 *   own.
 * - `CRASH_MIX='API killed=15, worker killed=20, Postgres restarted after SIGKILL=15'` — the campaign has these
 *   disturbances alone, each exactly so often, in an order of the seed. The names are those that it prints.
 * - `CRASH_ROUTES=text` — the campaigns over all routes take only those whose path contains the text.
 * - `CRASH_TIMES=n` — another number of kills, of restarts or of cancels than the form has, to run a long one in
 *   pieces.
 * - `CRASH_FROM=commit` — the version that an upgrade begins with, in place of the one before the last migration.
 */
export const LONG = process.env.CRASH_TEST === 'long';
export const FROM = process.env.CRASH_FROM;
export const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** How often something is done, in either form. */
export const times = (short: number, long: number) => Number(process.env.CRASH_TIMES ?? (LONG ? long : short));

/** Choices of one kind, the same for the same seed whatever other kinds of choices are made. */
export interface Choices {
  /** From 0 up to 1. */
  share(): number;
  between(least: number, most: number): number;
  /** Picks one of a non-empty list. */
  of<T>(things: readonly T[]): T;
}

export function choices(kind: number): Choices {
  const random = randomOf(SEED + kind);
  return {
    share: random,
    between: (least, most) => least + random() * (most - least),
    of: (things) => things[Math.floor(random() * things.length)] as never,
  };
}

/** How often each disturbance of the campaign is to happen; undefined: by weight. */
export const MIX = process.env.CRASH_MIX === undefined ? undefined : mixOf(process.env.CRASH_MIX);

function mixOf(text: string): ReadonlyMap<string, number> {
  return new Map(
    text.split(',').map((part) => {
      const [name = '', times] = part.split('=').map((each) => each.trim());
      if (!Number.isSafeInteger(Number(times)) || Number(times) < 1)
        throw new Error(`CRASH_MIX: '${part}' is not a name and a number, such as 'API killed=15'.`);
      return [name, Number(times)];
    }),
  );
}
