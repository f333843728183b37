import { flood } from './flood.ts';
import { load } from './load.ts';
import { withPlatform } from './platform.ts';

const ROUNDS = 3;
const SECONDS = 8;
const CLIENTS = 4;
const PER_SECOND = 200;

/**
 * Response times of signed-in readers during 200 failed logins per second, compared to the same readers without them.
 */
export const bench = () =>
  withPlatform(
    async ({ app, headers, port }) => {
      const payload = { name: 'Bench' };
      const created = await app.inject({ method: 'POST', url: '/api/metadata/project', headers, payload });
      const paths = [`/api/metadata/project/${created.json().id}`];
      const at = await port();
      const read = () => load({ port: at, paths, headers, connections: CLIENTS, seconds: SECONDS });
      await read(); // warms up
      const ratios: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const quiet = await read();
        const flooding = flood({ port: at, path: '/api/tokens', perSecond: PER_SECOND, seconds: SECONDS + 1 });
        const flooded = await read();
        const statuses = await flooding;
        ratios.push(flooded.p99 / quiet.p99);
        console.log(
          `reads alone: p99 ${quiet.p99.toFixed(1)} ms, ${quiet.perSecond.toFixed(0)}/s; during ${PER_SECOND} logins/s: ` +
            `p99 ${flooded.p99.toFixed(1)} ms, ${flooded.perSecond.toFixed(0)}/s; logins answered ${JSON.stringify(statuses)}`,
        );
      }
      ratios.sort((a, b) => a - b);
      console.log(`p99 during the logins, median ratio ${ratios[ROUNDS >> 1]?.toFixed(2)} (target: below 2)`);
    },
    { PLATFORM_TRUSTED_PROXIES: '127.0.0.1,::1' },
  );
