import type { PageProps } from '../app/router.ts';
import { go } from '../app/router.ts';
import { api, type Project, type ProjectMember } from '../client/api.ts';
import { usePeople } from '../client/people.ts';
import { refresh, useQuery } from '../client/query.ts';
import { account } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { confirm } from '../parts/confirm.tsx';
import { Menu } from '../parts/menu.tsx';
import { Avatar, Note, Tag } from '../parts/page-head.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { actionsColumn, type Column, Table } from '../parts/table.tsx';
import { toast } from '../parts/toast.tsx';
import { peopleTexts as words } from '../texts/people.ts';
import { projectTexts } from '../texts/projects.ts';
import { texts } from '../texts.ts';
import { ProjectFrame } from './projects/frame.tsx';
import { Invitations, openInvite } from './projects/invitations.tsx';
import { openWhy } from './projects/why.tsx';

const ROLES = ['Owner', 'Contributor', 'Reader'] as const;

/** `/projects/{id}/members` */
export default function ProjectMembersPage({ params: { id = '' } }: PageProps) {
  return <ProjectFrame id={id}>{(project) => <Members project={project} />}</ProjectFrame>;
}

function Members({ project }: { project: Project }) {
  const { id, inheritsMembers, capabilities } = project;
  const list = useQuery(
    `project ${id} members`,
    (signal) => api('GET /api/metadata/project/{id}/member', { params: { id }, signal }),
    { changes: ['members', 'project'] },
  );
  const own = account.value?.name || account.value?.id || '';
  const names = usePeople(list.data?.data.map(({ userId }) => userId) ?? [], own);
  const nameOf = (id: string) => names.get(id) ?? id.slice(0, 8);
  const changes = capabilities.canGrantAccess && !inheritsMembers;
  const columns: readonly Column<ProjectMember>[] = [
    {
      key: 'person',
      title: words.person,
      cell: ({ userId, guest, principalType }) => (
        <span class="row">
          <Avatar name={nameOf(userId)} />
          <b>{nameOf(userId)}</b>
          {userId === account.value?.userId && <span class="quiet">({words.you})</span>}
          {guest && <Tag kind="warn">{words.guest}</Tag>}
          {principalType === 'OpenAPIAccount' && <Tag icon="key">{words.key}</Tag>}
        </span>
      ),
    },
    { key: 'role', title: words.role, cell: ({ role }) => texts.roles[role] },
    actionsColumn((member) => (
      <Menu
        label={texts.actionsFor(nameOf(member.userId))}
        items={[
          { name: words.why, icon: 'info', run: () => openWhy(project, member.userId, nameOf(member.userId)) },
          ...ROLES.map(
            (role, n) =>
              changes && {
                name: texts.roles[role]!,
                checked: member.role === role,
                line: n === 0,
                run: () => change(project, member, role, nameOf(member.userId)),
              },
          ),
          (changes || (!inheritsMembers && member.userId === account.value?.userId)) && {
            name: member.userId === account.value?.userId ? words.leave : words.remove,
            icon: 'out',
            bad: true,
            line: true,
            run: () => remove(project, member, nameOf(member.userId)),
          },
        ]}
      />
    )),
  ];
  return (
    <div class="stack">
      {inheritsMembers && <Inherited project={project} />}
      <section class="card" aria-label={projectTexts.members}>
        {capabilities.canGrantAccess && (
          <div class="filter-bar">
            <p class="quiet grow">{inheritsMembers ? '' : words.hint}</p>
            {!inheritsMembers && project.parentProjectId !== undefined && (
              <Button onClick={() => inheritAgain(project)}>{words.inheritAgain}</Button>
            )}
            {!inheritsMembers && (
              <Button kind="main" icon="plus" onClick={() => openInvite(project)}>
                {words.invite}
              </Button>
            )}
          </div>
        )}
        <Loaded query={list}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={words.nobody} icon="people">
                {words.nobodyWhy}
              </Empty>
            ) : (
              <Table label={projectTexts.members} columns={columns} rows={data} id={({ userId }) => userId} />
            )
          }
        </Loaded>
      </section>
      {!capabilities.canGrantAccess && <Note>{words.notOwner}</Note>}
      {capabilities.canGrantAccess && !inheritsMembers && <Invitations project={project} />}
    </div>
  );
}

async function change({ id }: Project, { userId }: ProjectMember, role: ProjectMember['role'], name: string) {
  await api('POST /api/metadata/project/{id}/member', { params: { id }, body: { userId, role } });
  refresh(`project ${id}`);
  toast(words.changed(name, texts.roles[role]!));
}

function remove({ id }: Project, { userId }: ProjectMember, name: string): void {
  const isOwn = userId === account.value?.userId;
  confirm({
    title: `${isOwn ? words.leave : words.remove}: ${name}`,
    children: words.removeWhy(name),
    action: isOwn ? words.leave : words.remove,
    async run() {
      await api('DELETE /api/metadata/project/{id}/member/{userId}', { params: { id, userId } });
      refresh(`project ${id}`);
      toast(words.removed(name));
      if (isOwn) go('/projects');
    },
  });
}

/** A folder without members of its own. */
function Inherited({ project: { id, rowVersion, capabilities } }: { project: Project }) {
  const path = useQuery(`project ${id} path`, (signal) =>
    api('GET /api/metadata/project/{id}/path', { params: { id }, signal }),
  );
  const above = (path.data?.data ?? []).filter((one) => one.id !== id);
  const source = above.findLast((one) => !one.inheritsMembers);
  return (
    <Note>
      <p>{words.inherits(source?.name ?? '')}</p>
      {capabilities.canGrantAccess && (
        <Button
          small
          onClick={() =>
            confirm({
              title: words.ownMembers,
              children: words.ownMembersWhy,
              action: words.ownMembers,
              async run() {
                const members = [{ userId: account.value!.userId, role: 'Owner' as const }];
                await api('PUT /api/metadata/project/{id}/members', { params: { id }, body: { members, rowVersion } });
                refresh(`project ${id}`);
              },
            })
          }
        >
          {words.ownMembers}
        </Button>
      )}
    </Note>
  );
}

function inheritAgain({ id, rowVersion }: Project): void {
  confirm({
    title: words.inheritAgain,
    children: words.inheritAgainWhy,
    action: words.inheritAgain,
    async run() {
      await api('PUT /api/metadata/project/{id}/members/inherit', { params: { id }, body: { rowVersion } });
      refresh(`project ${id}`);
    },
  });
}
