import { type Command, InvalidArgumentError } from 'commander';
import { moment, record } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { EndedRoles, Guest } from '../../src/projects/leave-tenant.routes.ts';
import type { ListedMember, MyTenant, Tenant } from '../../src/tenants/routes.ts';
import { type ConfirmOptions, confirm, pluralize } from '../confirm.ts';
import type { Io } from '../io.ts';
import { choice, number } from '../options.ts';
import { findUserId } from '../principals.ts';

export function tenantCommands(tenant: Command, io: Io): void {
  tenant
    .command('create')
    .description('create a tenant (administrators)')
    .requiredOption('--name <name>', 'its name')
    .option('--owner <id>', 'login id or user id of its first owner')
    .action((options) => createTenant(io, options));
  tenant
    .command('list')
    .description('list your tenants, or all tenants')
    .option('--all', 'all tenants (administrators)')
    .action((options) => listTenants(io, options));
  tenant
    .command('show <id>')
    .description('show one tenant')
    .action(async (id) => io.show(await io.api.call<Tenant>('GET', path(id)), describe));
  tenant
    .command('update <id>')
    .description('rename a tenant (its owners), or change its share of the queue (administrators)')
    .option('--name <name>', 'new name')
    .option('--weight <number>', 'share of the queue relative to other tenants; default: 1', number)
    .option('--recycle-bin-days <days>', "how long deleted items are kept; 'default' for the platform's setting", days)
    .action((id, options) => updateTenant(io, id, options));
  tenant
    .command('delete <id>')
    .description('delete a tenant without projects and keys (administrators)')
    .option('--yes', 'do not ask for confirmation')
    .action((id, options) => deleteTenant(io, id, options));
  const members = tenant.command('members').description('members of a tenant (its owners and administrators)');
  members
    .command('list <tenant>', { isDefault: true })
    .description('list the members')
    .option('--guests', 'those with roles in projects of the tenant who are no members')
    .action((id, { guests }) => (guests ? listGuests(io, id) : listMembers(io, id)));
  members
    .command('add <tenant>')
    .description('add a member, or change the role of one')
    .argument('<account>', 'login id or user id')
    .addOption(choice('--role <role>', 'role of the member', ['Owner', 'Member']).default('Member'))
    .action((id, account, { role }) => addMember(io, id, account, role));
  members
    .command('remove <tenant>')
    .description("remove a member or a guest, with the roles in the tenant's projects")
    .argument('<account>', 'login id or user id')
    .option('--keep-project-roles', "keep the roles in the tenant's projects")
    .option('--dry-run', 'only show how many roles in projects would end')
    .action((id, account, options) => removeMember(io, id, account, options));
}

const path = (id: string) => `/api/iam/tenant/${encodeURIComponent(id)}`;

async function createTenant(io: Io, { name, owner }: { name: string; owner?: string }): Promise<void> {
  const body = { name, ...(owner === undefined ? {} : { ownerUserId: await findUserId(io, owner) }) };
  const answer = await io.api.call<Tenant>('POST', '/api/iam/tenant', { body });
  io.show(answer, ({ id }) => record({ id, name }));
}

interface TenantChange {
  name?: string;
  weight?: number;
  recycleBinDays?: number | 'default';
}

async function updateTenant(io: Io, id: string, body: TenantChange): Promise<void> {
  io.show(await io.api.call<Tenant>('PUT', path(id), { body }), describe);
}

async function deleteTenant(io: Io, id: string, options: ConfirmOptions): Promise<void> {
  const { name, members = [] } = (await io.api.call<Tenant>('GET', path(id))).body;
  const question = `Delete the tenant '${name}' for ever? ${pluralize(members.length, 'membership')} would end with it.`;
  await confirm(io, question, options);
  const answer = await io.api.call('DELETE', path(id));
  io.show(answer, () => `The tenant ${name} is deleted.`, { id, name, deleted: true });
}

const describe = ({ id, name, weight, recycleBinDays, createdAt, members }: Tenant) =>
  record({ id, name, weight, 'bin days': recycleBinDays, created: moment(createdAt), members: members?.length });

function days(text: string): number | 'default' {
  if (text === 'default' || /^[1-9]\d{0,4}$/.test(text)) return text === 'default' ? text : Number(text);
  throw new InvalidArgumentError("It must be a number of days, or 'default'.");
}

async function listTenants(io: Io, { all }: { all?: boolean }): Promise<void> {
  const answer = await io.api.call<List<Pick<Tenant, 'id' | 'name' | 'createdAt'> & Partial<Pick<MyTenant, 'role'>>>>(
    'GET',
    all ? '/api/iam/tenant' : '/api/iam/tenant/my',
  );
  io.list(answer, ['ID', 'NAME', 'ROLE', 'CREATED'], ({ id, name, role, createdAt }) => [
    id,
    name,
    role,
    moment(createdAt),
  ]);
}

async function listMembers(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<List<ListedMember>>('GET', `${path(id)}/member`);
  io.list(answer, ['LOGIN ID', 'NAME', 'ROLE', 'USER ID'], ({ accountId, name, role, userId }) => [
    accountId,
    name,
    role,
    userId,
  ]);
}

async function listGuests(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<List<Guest>>('GET', `${path(id)}/guest`);
  io.list(
    answer,
    ['LOGIN ID', 'NAME', 'PROJECTS', 'USER ID'],
    ({ accountId, name, projectCount, projects, userId }) => [
      accountId,
      name,
      projects.length < projectCount ? projectCount : projects.map((one) => `${one.name} (${one.role})`).join(', '),
      userId,
    ],
  );
}

async function addMember(io: Io, id: string, account: string, role: string): Promise<void> {
  const body = { userId: await findUserId(io, account), role };
  const answer = await io.api.call('POST', `${path(id)}/member`, { body });
  io.show(answer, () => `${account} is ${role} now.`);
}

interface Removal {
  keepProjectRoles?: boolean;
  dryRun?: boolean;
}

async function removeMember(io: Io, id: string, account: string, { keepProjectRoles, dryRun }: Removal): Promise<void> {
  const to = `${path(id)}/member/${await findUserId(io, account)}`;
  const preview = await io.api.call<EndedRoles>('DELETE', to, { query: { keepProjectRoles, dryRun: true } });
  if (dryRun) {
    io.show(preview, (ended) => `Dry run: removing ${account} would end ${rolesEnded(ended)}.`);
    return;
  }
  const answer = await io.api.call('DELETE', to, { query: { keepProjectRoles } });
  const done = { id, account, member: false };
  io.show(answer, () => `${account} is no longer a member. Ended with it: ${rolesEnded(preview.body)}.`, done);
}

const rolesEnded = ({ projectRoles, projectsWithoutOwner }: EndedRoles) =>
  [
    `${projectRoles} ${projectRoles === 1 ? 'role' : 'roles'} in projects`,
    ...(projectsWithoutOwner === 0 ? [] : [`projects left to the Owners of the tenant: ${projectsWithoutOwner}`]),
  ].join('; ');
