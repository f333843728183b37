import { load } from './load.ts';
import { statementsOf, withPlatform } from './platform.ts';

const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 10;

/**
 * Authenticated GET of a project by its id, against a bare Fastify route that sends the same SELECT through unprepared pg to the same
 * database. Our side signs the caller in, checks versions and visibility, validates the row and writes a line of log.
 */
export const bench = () =>
  withPlatform(async ({ app, headers, port, peer }) => {
    const payload = { name: 'Bench' };
    const created = await app.inject({ method: 'POST', url: '/api/metadata/project', headers, payload });
    const path = `/api/metadata/project/${created.json().id}`;

    const statements = await statementsOf(() => app.inject({ url: path, headers }));
    if (statements.length !== 1) throw new Error(`Expected one statement, not ${statements.length}.`);
    const bare = await peer(statements);
    const ours = await port();
    const ratios: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const ask = (port: number) => load({ port, paths: [path], headers, connections: CONNECTIONS, seconds: SECONDS });
      const [mine, theirs] = [(await ask(ours)).perSecond, (await ask(bare.port)).perSecond];
      if (round === 0) continue; // warms up
      ratios.push(mine / theirs);
      console.log(
        `GET by id ${mine.toFixed(0)}/s, bare route ${theirs.toFixed(0)}/s, ratio ${(mine / theirs).toFixed(2)}`,
      );
    }
    console.log(`read: median ratio ${ratios.sort((a, b) => a - b)[ROUNDS >> 1]?.toFixed(2)} (wanted: at least 0.50)`);
    await bare.close();
  });
