import type { InjectOptions } from 'fastify';
import type { User, World } from '../../world.ts';

/** Callers and tenant of a row. All objects of a row belong to `tenantId` and have `mark` in their names. */
export interface Scene {
  w: World;
  tenantId: string;
  /** Owner of the tenant. */
  owner: User;
  /** Member of the tenant, without a role on anything in it. */
  member: User;
  /** Member of the tenant, Reader of the projects that rows make. */
  reader: User;
  /** Owner of another tenant. */
  stranger: User;
  administrator: User;
  /** Has the role BackOffice, and belongs to another tenant. */
  backOffice: User;
  /** No answer to a stranger may hold this text. */
  mark: string;
}

export type Actor = 'owner' | 'reader' | 'member' | 'stranger' | 'administrator' | 'backOffice';

/** Expected status by caller, for requests that are otherwise valid. */
export interface Row {
  /**
   * A valid request on things of the scene's tenant. Called anew for each actor, so it may make what the request will
   * remove.
   */
  request(scene: Scene): Promise<InjectOptions> | InjectOptions;
  /** Somebody to whom the request is allowed: shows that it is valid. */
  allowed: Partial<Record<Actor, number>>;
  /** Everybody else: the tenant's member without a role, who may read only, the other tenant's owner. */
  refused: Partial<Record<Actor, number>>;
}

/** A route that needs no token: what a stranger gets, and that a broken token changes nothing. */
export interface PublicRow {
  request(scene: Scene): Promise<InjectOptions> | InjectOptions;
  anybody: number;
}

/** `GET /api/accounts/:id` → what must come back; the path as its route spells it. */
export type Rows = Record<string, Row | PublicRow>;
