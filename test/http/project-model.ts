/**
 * What the specification says of projects, members, inheritance, permissions and the recycle bin, once more and as
 * plainly as possible: objects and loops, no SQL, nothing stored that could be looked up. Each operation answers the
 * status that the platform must answer.
 */

export type Role = 'Owner' | 'Contributor' | 'Reader';

export interface Person {
  userId: string;
  /** Login id. */
  id: string;
  groups: string[];
  /** In the tenant all projects of the model belong to. */
  inTenant: 'Owner' | 'Member' | 'no';
}

export interface Permission {
  principals: string[];
  operation: 'read' | 'update' | 'delete';
  type: 'Allowed' | 'Denied';
}

export interface Node {
  id: string;
  parent: Node | undefined;
  inherits: boolean;
  members: Map<string, Role>;
  permissions: Permission[];
  deletedBy: string | undefined;
}

export const CAPABILITIES = [
  'canEdit',
  'canEditAccessLevel',
  'canDelete',
  'canGrantAccess',
  'canCreateContent',
  'canListContent',
  'canUpdateContent',
  'canDeleteContent',
  'canReadContent',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

const GIVES: Record<Role, readonly Capability[]> = {
  Owner: CAPABILITIES,
  Contributor: [
    'canEdit',
    'canCreateContent',
    'canListContent',
    'canUpdateContent',
    'canDeleteContent',
    'canReadContent',
  ],
  Reader: ['canListContent', 'canReadContent'],
};
const COVERS: Record<Permission['operation'], readonly Capability[]> = {
  read: ['canListContent', 'canReadContent'],
  update: ['canEdit', 'canUpdateContent', 'canCreateContent'],
  delete: ['canDelete', 'canDeleteContent'],
};

export class Model {
  readonly nodes = new Map<string, Node>();
  /** User ids of accounts that are not in the tenant. */
  readonly guests = new Set<string>();

  add(node: Omit<Node, 'deletedBy' | 'permissions'>) {
    this.nodes.set(node.id, { ...node, permissions: [], deletedBy: undefined });
  }

  /** From the project up to its root. */
  up(node: Node): Node[] {
    return node.parent ? [node, ...this.up(node.parent)] : [node];
  }
  source = (node: Node): Node => (node.inherits && node.parent ? this.source(node.parent) : node);
  root = (node: Node): Node => this.up(node).at(-1) ?? node;
  alive = (node: Node) => this.up(node).every((each) => each.deletedBy === undefined);
  children = (node: Node | undefined) => [...this.nodes.values()].filter((each) => each.parent === node);
  below = (node: Node): Node[] => this.children(node).flatMap((child) => [child, ...this.below(child)]);

  role(who: Person, node: Node): Role | undefined {
    return who.inTenant === 'Owner' ? 'Owner' : this.source(node).members.get(who.userId);
  }

  can(who: Person, node: Node, what: Capability): boolean {
    if (who.inTenant === 'Owner') return true;
    const up = this.up(node);
    const through = up.slice(0, up.indexOf(this.source(node)) + 1);
    const names = [who.userId, who.id, ...who.groups];
    const said = (type: Permission['type']) =>
      who.inTenant === 'Member' &&
      through.some(({ permissions }) =>
        permissions.some(
          (each) =>
            each.type === type &&
            COVERS[each.operation].includes(what) &&
            each.principals.some((principal) => names.includes(principal)),
        ),
      );
    if (said('Denied')) return false;
    const role = this.role(who, node);
    return (role !== undefined && GIVES[role].includes(what)) || said('Allowed');
  }

  sees = (who: Person, node: Node | undefined): boolean =>
    node !== undefined && this.alive(node) && this.can(who, node, 'canReadContent');

  mayDelete = (who: Person, node: Node) =>
    this.can(who, node, 'canDelete') || (node.parent !== undefined && this.can(who, node.parent, 'canDeleteContent'));

  /** In the bin, and this person may know it. */
  seesInBin = (who: Person, node: Node | undefined): boolean =>
    node?.deletedBy !== undefined && (node.deletedBy === who.userId || this.mayDelete(who, node));

  /** A guest gets a role that they do not have, from somebody who owns neither the root project nor the tenant. */
  private wrongGuest(who: Person, node: Node, before: Map<string, Role>, after: Map<string, Role>): boolean {
    if (who.inTenant === 'Owner' || this.root(node).members.get(who.userId) === 'Owner') return false;
    return [...after].some(([userId, role]) => this.guests.has(userId) && before.get(userId) !== role);
  }

  /** Status, or 201 and then `add` is called with what was made. */
  create(who: Person, parent: Node | undefined, members: Map<string, Role>): number {
    if (parent === undefined) return who.inTenant === 'no' ? 403 : 201;
    if (!this.sees(who, parent)) return 404;
    if (!this.can(who, parent, 'canCreateContent')) return 403;
    const others = new Map([...members].filter(([userId]) => userId !== who.userId));
    return this.wrongGuest(who, parent, new Map(), others) ? 403 : 201;
  }

  private grants(who: Person, node: Node): number {
    if (!this.sees(who, node)) return 404;
    return this.can(who, node, 'canGrantAccess') ? 0 : 403;
  }
  private ownMembers = (node: Node) => new Map(this.source(node).members);
  private keep(node: Node, members: Map<string, Role>): boolean {
    if (!node.parent && ![...members.values()].includes('Owner')) return false;
    node.inherits = false;
    node.members = members;
    return true;
  }

  setMember(who: Person, node: Node, userId: string, role: Role): number {
    const refused = this.grants(who, node);
    if (refused) return refused;
    if (this.wrongGuest(who, node, this.ownMembers(node), new Map([[userId, role]]))) return 403;
    return this.keep(node, this.ownMembers(node).set(userId, role)) ? 200 : 400;
  }
  removeMember(who: Person, node: Node, userId: string): number {
    const refused = this.grants(who, node);
    if (refused) return refused;
    const members = this.ownMembers(node);
    if (!members.delete(userId)) return 404;
    return this.keep(node, members) ? 204 : 400;
  }
  setMembers(who: Person, node: Node, members: Map<string, Role>): number {
    const refused = this.grants(who, node);
    if (refused) return refused;
    if (this.wrongGuest(who, node, this.ownMembers(node), members)) return 403;
    return this.keep(node, members) ? 200 : 400;
  }
  inherit(who: Person, node: Node): number {
    const refused = this.grants(who, node);
    if (refused) return refused;
    if (!node.parent) return 400;
    node.inherits = true;
    node.members = new Map();
    return 200;
  }
  setPermissions(who: Person, node: Node, permissions: Permission[]): number {
    if (!this.sees(who, node)) return 404;
    if (!this.can(who, node, 'canEdit') || !this.can(who, node, 'canGrantAccess')) return 403;
    node.permissions = permissions;
    return 200;
  }

  move(who: Person, node: Node, target: Node): number {
    if (!this.sees(who, node) || !this.sees(who, target)) return 404;
    if (!node.parent || this.root(node) !== this.root(target) || this.up(target).includes(node)) return 403;
    if (!this.can(who, node.parent, 'canDeleteContent') || !this.can(who, target, 'canCreateContent')) return 403;
    node.parent = target;
    return 204;
  }

  delete(who: Person, node: Node): number {
    if (!this.alive(node)) return 404;
    if (!(node.parent && this.can(who, node.parent, 'canDeleteContent'))) {
      if (!this.can(who, node, 'canReadContent')) return 404;
      if (!this.can(who, node, 'canDelete')) return 403;
    }
    node.deletedBy = who.userId;
    return 204;
  }

  restore(who: Person, node: Node): number {
    if (!this.seesInBin(who, node)) return 404;
    const deleted = this.up(node).filter((each) => each.deletedBy !== undefined);
    if (!deleted.every((each) => this.mayDelete(who, each))) return 403;
    for (const each of deleted) each.deletedBy = undefined;
    return 204;
  }

  /** Without a target it becomes a root project of the caller. */
  restoreTo(who: Person, node: Node, target: Node | undefined): number {
    if (!this.seesInBin(who, node)) return 404;
    if (target !== undefined && !this.sees(who, target)) return 404;
    if (!this.mayDelete(who, node)) return 403;
    if (target !== undefined && !this.can(who, target, 'canCreateContent')) return 403;
    // the right to delete content of the parent must not lift a denial for the caller
    if (node.inherits && !this.can(who, node, 'canReadContent')) return 403;
    if (target === undefined && !node.inherits && !this.can(who, node, 'canDelete')) return 403;
    node.deletedBy = undefined;
    node.parent = target;
    if (target === undefined) {
      node.inherits = false;
      node.members.set(who.userId, 'Owner');
    }
    return 204;
  }

  purge(who: Person, node: Node): number {
    if (!this.seesInBin(who, node)) return 404;
    if (!this.can(who, node, 'canDelete')) return 403;
    for (const each of [node, ...this.below(node)]) this.nodes.delete(each.id);
    return 204;
  }
}
