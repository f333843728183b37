import { readdir } from 'node:fs/promises';
import type { App } from '../../../src/http/route.ts';
import type { World } from '../../world.ts';
import type { Rows, Scene } from './row.ts';

/** Files of this folder that hold no rows. */
const OTHERS = ['row.ts', 'scene.ts', 'credentials.ts'];

/** The rows of all rooms. */
export async function allRows(): Promise<Rows> {
  const folder = new URL('./', import.meta.url);
  const rows: Rows = {};
  for (const file of (await readdir(folder)).sort()) {
    if (OTHERS.includes(file)) continue;
    const { default: more } = (await import(new URL(file, folder).href)) as { default: Rows };
    Object.assign(rows, more);
  }
  return rows;
}

export async function makeScene(w: World): Promise<Scene> {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const member = await w.account({ tenantId });
  const reader = await w.account({ tenantId });
  const stranger = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const administrator = await w.administrator();
  const backOffice = await w.account({ roles: 'BackOffice' });
  return { w, tenantId, owner, reader, member, stranger, administrator, backOffice, mark: 'Marked' };
}

/** What the server has; not the closed methods, nor HEAD (a GET without its body), nor pages of files. */
export const routesOf = (app: App) =>
  [...app.paths.values()].flatMap((path) =>
    [...path.methods.values()].flatMap((route) => {
      const { access, closed } = route.config ?? {};
      if (access === undefined || closed || route.method === 'HEAD') return [];
      return [{ name: `${route.method} ${route.url}`, access, config: route.config }];
    }),
  );
