import { loadConfig } from '../../src/config.ts';
import { ill, ms, type Result, runCheck, timed, well } from '../../src/operations/doctor/check.ts';
import { glance } from '../../src/operations/doctor/status.ts';
import { withPresentDatabase } from '../../src/platform/postgres/with-database.ts';
import { printChecks } from '../checks-answer.ts';
import type { Io } from '../io.ts';
import { serverAddress } from '../server-address.ts';

const PATIENCE_MS = 5000;

/** Shows how the platform of the settings does. Throws `ChecksFailed` if something needs attention. */
export async function status(io: Io, stop: AbortSignal): Promise<void> {
  const config = loadConfig(io.env);
  const address = serverAddress(io.env);
  const api = await runCheck(
    'api',
    `Start it: 'platform serve', or 'platform start'. PLATFORM_URL is its address.`,
    () => ask(address),
  );
  const checks = await withPresentDatabase(config, { name: 'platform status', stop }, glance);
  printChecks(io, [api, ...checks]);
}

async function ask(address: string): Promise<Result> {
  let answer: Response | undefined;
  const duration = await timed(async () => {
    answer = await fetch(`${address}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  }).catch((error: Error) => {
    throw new Error(`${address} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (answer?.ok) return well(`${address} answers in ${ms(duration)}.`);
  return ill(`${address} answers ${answer?.status}.`, 'See its log.');
}
