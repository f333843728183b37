import { Agent } from 'node:http';
import type { ExecutionContext } from 'ava';
import { buildApp } from '../../src/app.ts';
import type { Config } from '../../src/config.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { overHttp } from '../world/client.ts';
import { newFeatures, newTiles } from '../world/tiles.ts';
import { type Answer, PASSWORD_ITERATIONS, type User, type World } from '../world.ts';

export type Get = (url: string, headers?: Record<string, string>) => Promise<Answer>;

/** A server of its own on the database of the world, over HTTP, and the lines of its log. */
export async function tileServer(t: ExecutionContext, w: World, settings: Partial<Config> = {}) {
  const lines: string[] = [];
  const { db, url, blobs } = w;
  const config = { ...w.config, ...settings };
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const app = await buildApp({ config, db, databaseUrl: url, blobs, log, passwordIterations: PASSWORD_ITERATIONS });
  const agent = new Agent({ keepAlive: true });
  const get = await overHttp(await app.listen({ host: '127.0.0.1', port: 0 }), agent);
  const close = async () => {
    agent.destroy();
    await app.close();
  };
  t.teardown(close);
  return { get, app, lines, close };
}

export const bearerOf = async (w: World, user: Pick<User, 'userId'>) => ({
  authorization: `Bearer ${await w.tokenOf(user)}`,
});

const POINT = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { name: 'buoy' }, geometry: { type: 'Point', coordinates: [9, 54.1] } }],
});

/** Tiles of a raster and of features in a project with an Owner and a Reader. */
export async function tileScene(w: World) {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const reader = await w.account({ tenantId });
  const members = [{ userId: reader.userId, role: 'Reader' }];
  const { body: project } = await w.as(owner).post('/api/metadata/project', { name: 'Sea', members });
  const id = await newTiles(w, project.id, owner);
  const features = await newFeatures(w, project.id, owner, POINT);
  return {
    tenantId,
    owner,
    reader,
    projectId: project.id as string,
    id,
    features,
    tile: `/api/tiles/dataset/${id}/scheme/depth/0/0/0`,
    vector: `/api/vectortiles/dataset/${features}/0/0/0.vector.pbf`,
    nothing: `/api/vectortiles/dataset/${features}/9/0/0.vector.pbf`,
  };
}

/** Stops the clocks of this process, until the test has ended. `set` sets the time of day. */
export function stopClock(t: ExecutionContext, at = Date.now()) {
  const Time = Date;
  let now = at;
  globalThis.Date = class extends Time {
    constructor(...parts: unknown[]) {
      super(...((parts.length === 0 ? [now] : parts) as [number]));
    }
    static override now = () => now;
  } as DateConstructor;
  const stopped = performance.now();
  performance.now = () => stopped;
  t.teardown(() => {
    globalThis.Date = Time;
    Reflect.deleteProperty(performance, 'now');
  });
  return {
    set(time: number) {
      now = time;
    },
  };
}
