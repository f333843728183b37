import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import type { AfterDeletion } from './delete.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { leaveTenantRoutes } from './leave-tenant.routes.ts';
import { projectListRoutes } from './list.routes.ts';
import { projectMemberRoutes } from './members.routes.ts';
import { principalRoutes } from './principals.routes.ts';
import { projectRoutes } from './routes.ts';
import { projectTreeRoutes } from './tree.routes.ts';

export interface ProjectsOptions {
  db: Database;
  /** Signs cursors. */
  cursors: Signer;
  afterDeletion: AfterDeletion;
  settings: Pick<Config, 'publicUrl' | 'tenants.guests' | 'compat.recursiveLists'>;
}

export async function projectsPlugin(app: App, { db, cursors, afterDeletion, settings }: ProjectsOptions) {
  const members = { db, guests: settings['tenants.guests'] };
  await app.register(leaveTenantRoutes, { db });
  await app.register(projectRoutes, { db });
  await app.register(projectTreeRoutes, { ...members, publicUrl: settings.publicUrl, afterDeletion });
  await app.register(projectMemberRoutes, members);
  await app.register(invitationRoutes, members);
  await app.register(projectListRoutes, { db, cursors, recursive: settings['compat.recursiveLists'] });
  await app.register(principalRoutes, { db });
}
