import { to } from '../client/address.ts';
import { api } from '../client/api.ts';
import { useQuery } from '../client/query.ts';
import { account, tenant } from '../client/session.ts';
import { dropItem } from '../pages/projects/actions.tsx';
import { MOST_NODES, Subprojects, toNode } from '../pages/projects/subprojects.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Tree } from '../parts/tree.tsx';
import { texts } from '../texts.ts';
import { pageExists, place } from './router.ts';

interface NavLink {
  path: string;
  name: string;
  icon: IconName;
}

const words = texts.shell;
const OWN: readonly NavLink[] = [
  { path: '/projects', name: words.projects, icon: 'folder' },
  { path: '/transfers', name: words.transfers, icon: 'transfer' },
  { path: '/bin', name: words.bin, icon: 'bin' },
];
const OF_TENANT: readonly NavLink[] = [
  { path: '/tenant/members', name: words.members, icon: 'people' },
  { path: '/tenant/credits', name: words.credits, icon: 'coin' },
  { path: '/tenant/features', name: words.features, icon: 'flag' },
  { path: '/tenant/keys', name: words.keys, icon: 'key' },
  { path: '/tenant/webhooks', name: words.webhooks, icon: 'hook' },
  { path: '/tenant/audit', name: words.audit, icon: 'list' },
];
const OF_ADMINISTRATORS: readonly NavLink[] = [
  { path: '/admin/queue', name: words.queue, icon: 'pulse' },
  { path: '/admin/accounts', name: words.accounts, icon: 'people' },
  { path: '/admin/groups', name: words.groups, icon: 'lock' },
  { path: '/admin/tenants', name: words.tenants, icon: 'grid' },
  { path: '/admin/features', name: words.features, icon: 'flag' },
  { path: '/admin/store', name: words.store, icon: 'layers' },
  { path: '/admin/settings', name: words.settings, icon: 'gear' },
  { path: '/admin/audit', name: words.audit, icon: 'list' },
];
/** Pages below another address than that of their link. */
const BELOW: Record<string, string> = { datasets: '/projects' };

/** The link to which a path belongs: `/projects/1/map` → `/projects`. */
export function sectionOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  return ['tenant', 'admin'].includes(first) ? `/${first}/${second}` : (BELOW[first] ?? `/${first}`);
}

/** Links to pages that exist, for what the account may do. */
export function Navigation() {
  const { path } = place.value;
  const present = (links: readonly NavLink[]) => links.filter((one) => pageExists(one.path));
  const parts: [string | undefined, readonly NavLink[]][] = [
    [undefined, present(OWN)],
    [tenant.value?.name ?? words.tenant, tenant.value?.role === 'Owner' ? present(OF_TENANT) : []],
    [words.administration, isAdministrator() ? present(OF_ADMINISTRATORS) : []],
  ];
  return (
    <>
      {parts.map(([title, links]) => (
        <div key={title}>
          {title !== undefined && links.length > 0 && <h2>{title}</h2>}
          {links.map((link) => (
            <div key={link.path}>
              <a
                class="nav-link"
                href={to(link.path)}
                aria-current={sectionOf(path) === link.path ? (path === link.path ? 'page' : 'true') : undefined}
              >
                <Icon name={link.icon} />
                <span>{link.name}</span>
              </a>
              {link.path === '/projects' && sectionOf(path) === '/projects' && <ProjectTree />}
            </div>
          ))}
        </div>
      ))}
    </>
  );
}

export const isAdministrator = (): boolean =>
  account.value?.userGroups.some((group) => group.toLowerCase() === 'administrators') === true;

/** The projects as a tree. */
function ProjectTree() {
  const [, , id] = place.value.path.split('/');
  const roots = useQuery(
    `projects tree ${tenant.value?.id}`,
    (signal) => api('GET /api/metadata/project/list', { query: { limit: MOST_NODES }, signal }),
    { changes: ['project', 'members'] },
  );
  const isProject = place.value.path.startsWith('/projects/') && id !== undefined;
  const path = useQuery(isProject ? `project ${id} path` : undefined, (signal) =>
    api('GET /api/metadata/project/{id}/path', { params: { id: id! }, signal }),
  );
  if (roots.data === undefined || (isProject && path.data === undefined && path.error === undefined)) return null;
  return (
    <Tree
      key={(path.data?.data ?? []).map((one) => one.id).join()}
      label={texts.shell.projects}
      nodes={roots.data.data.map(toNode)}
      Children={Subprojects}
      current={isProject ? id : undefined}
      opened={(path.data?.data ?? []).map((one) => one.id)}
      onMove={dropItem}
    />
  );
}
