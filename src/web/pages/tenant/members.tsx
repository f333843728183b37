import { useState } from 'preact/hooks';
import { to } from '../../client/address.ts';
import { api, type ListedTenantMember, type MyTenant, type TenantGuest } from '../../client/api.ts';
import { refresh, useList } from '../../client/query.ts';
import { account } from '../../client/session.ts';
import { confirm } from '../../parts/confirm.tsx';
import { CreateButton } from '../../parts/create-button.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { Check, EntryForm, Field } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Avatar, Note, PageHead, Tag } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { actionsColumn, type Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { memberTexts as words } from '../../texts/members.ts';
import { texts } from '../../texts.ts';
import { ForOwners } from './frame.tsx';

type Role = 'Owner' | 'Member';
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Members of the tenant and their roles. */
export default function MembersPage() {
  return <ForOwners title={words.title}>{(own) => <Members own={own} />}</ForOwners>;
}

function Members({ own: { id } }: { own: MyTenant }) {
  const members = useList(
    `tenant members ${id}`,
    async (query, signal) => (await api('GET /api/iam/tenant/{id}/member', { params: { id }, query, signal })).data,
    { changes: ['members'] },
  );
  return (
    <>
      <PageHead
        title={words.title}
        actions={<CreateButton dialog={(close) => <AddDialog id={id} close={close} />}>{words.add}</CreateButton>}
      >
        {words.about}
      </PageHead>
      <div class="sections">
        <section class="card">
          <QueryTable query={members} label={words.title} columns={columnsOf(id)} id={({ userId }) => userId} />
        </section>
        <Guests id={id} />
      </div>
    </>
  );
}

function Guests({ id }: { id: string }) {
  const guests = useList(
    `tenant guests ${id}`,
    async (query, signal) => (await api('GET /api/iam/tenant/{id}/guest', { params: { id }, query, signal })).data,
    { changes: ['members'] },
  );
  return (
    <section class="card" aria-labelledby="guests">
      <div class="section-head">
        <h2 id="guests">{words.guests}</h2>
        <span class="small quiet">{words.guestsWhy}</span>
      </div>
      <QueryTable
        query={guests}
        none={[words.noGuests, words.noGuestsWhy]}
        icon="people"
        label={words.guests}
        columns={guestColumns(id)}
        id={({ userId }) => userId}
      />
    </section>
  );
}

const guestColumns = (tenantId: string): readonly Column<TenantGuest>[] => [
  { key: 'name', title: words.name, cell: (guest) => <Person {...guest} /> },
  {
    key: 'projects',
    title: words.projects,
    cell: ({ projects, projectCount }) => (
      <>
        {projects.map(({ id, name, role }) => (
          <div key={id}>
            <a href={to(`/projects/${id}/members`)}>{name}</a> <span class="quiet">{texts.roles[role]}</span>
          </div>
        ))}
        {projectCount > projects.length && <span class="quiet">{words.others(projectCount - projects.length)}</span>}
      </>
    ),
  },
  actionsColumn((guest) => (
    <Menu
      label={texts.actionsFor(guest.name)}
      small
      items={[{ name: words.endGuest, icon: 'out', bad: true, run: () => askEnd(tenantId, guest) }]}
    />
  )),
];

const Person = ({ name, accountId, userId }: Pick<TenantGuest, 'name' | 'accountId' | 'userId'>) => (
  <span class="row">
    <Avatar name={name} />
    <span>
      <b>{name}</b> {userId === account.value?.userId && <span class="quiet">({words.you})</span>}
      {accountId !== name && <div class="small quiet">{accountId}</div>}
    </span>
  </span>
);

const columnsOf = (id: string): readonly Column<ListedTenantMember>[] => [
  {
    key: 'name',
    title: words.name,
    cell: (member) => <Person {...member} />,
  },
  {
    key: 'role',
    title: words.role,
    cell: ({ role }) => <Tag kind={role === 'Owner' ? 'run' : undefined}>{words.roles[role] ?? role}</Tag>,
  },
  actionsColumn((member) => (
    <Menu
      label={texts.actionsFor(member.name)}
      small
      items={[
        member.role === 'Owner'
          ? { name: words.makeMember, icon: 'person', run: () => setRole(id, member, 'Member') }
          : { name: words.makeOwner, icon: 'key', run: () => setRole(id, member, 'Owner') },
        { name: words.remove, icon: 'out', bad: true, line: true, run: () => askRemove(id, member) },
      ]}
    />
  )),
];

async function setRole(id: string, { userId, name }: ListedTenantMember, role: Role): Promise<void> {
  await api('POST /api/iam/tenant/{id}/member', { params: { id }, body: { userId, role } });
  refresh('tenant members');
  toast(words.changed(name, role));
}

const whatEnds = (id: string, userId: string) =>
  api('DELETE /api/iam/tenant/{id}/member/{userId}', { params: { id, userId }, query: { dryRun: true } });

/** Tells what the guest loses first. */
async function askEnd(id: string, { userId, name }: TenantGuest): Promise<void> {
  const lost = await whatEnds(id, userId);
  confirm({
    title: words.endGuestTitle(name),
    children: words.endGuestWhy(lost?.projectRoles ?? 0, lost?.projectsWithoutOwner ?? 0),
    action: words.endGuest,
    async run() {
      await api('DELETE /api/iam/tenant/{id}/member/{userId}', { params: { id, userId } });
      refresh('tenant guests');
      toast(words.guestEnded(name));
    },
  });
}

/** Tells what goes with the member first. */
async function askRemove(id: string, member: ListedTenantMember): Promise<void> {
  const lost = await whatEnds(id, member.userId);
  openDialog((close) => (
    <RemoveDialog
      id={id}
      member={member}
      roles={lost?.projectRoles ?? 0}
      alone={lost?.projectsWithoutOwner ?? 0}
      close={close}
    />
  ));
}

interface RemoveProps {
  id: string;
  member: ListedTenantMember;
  roles: number;
  alone: number;
  close: () => void;
}

function RemoveDialog({ id, member: { userId, name }, roles, alone, close }: RemoveProps) {
  const [keepProjectRoles, setKeep] = useState(false);
  async function remove() {
    await api('DELETE /api/iam/tenant/{id}/member/{userId}', { params: { id, userId }, query: { keepProjectRoles } });
    refresh('tenant members');
    toast(words.removed(name));
    close();
  }
  return (
    <Dialog title={words.removeTitle(name)} onClose={close}>
      <EntryForm submit={words.remove} kind="bad" onCancel={close} onSubmit={remove}>
        {() => (
          <>
            <Note kind="bad">{words.removeWhy(roles, alone)}</Note>
            {roles > 0 && <Check label={words.keepRoles} checked={keepProjectRoles} onChange={setKeep} />}
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

function AddDialog({ id, close }: { id: string; close: () => void }) {
  const [person, setPerson] = useState('');
  const [role, setRole] = useState<Role>('Member');
  async function add() {
    const body = { userId: await findUser(person.trim()), role };
    await api('POST /api/iam/tenant/{id}/member', { params: { id }, body });
    refresh('tenant members');
    toast(words.added);
    close();
  }
  return (
    <Dialog title={words.add} onClose={close}>
      <EntryForm submit={words.add} onCancel={close} onSubmit={add} disabled={person.trim() === ''}>
        {({ fields }) => (
          <>
            <Field
              label={words.person}
              value={person}
              onInput={setPerson}
              hint={words.personHint}
              error={fields.userId}
              autocomplete="off"
              required
            />
            <Field
              label={words.role}
              value={role}
              onInput={(value) => setRole(value as Role)}
              options={Object.entries(words.roles).map(([value, name]) => ({ value, name }))}
            />
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

/** @throws Error if nobody known has the login id */
async function findUser(text: string): Promise<string> {
  if (UUID.test(text)) return text;
  const { data } = await api('GET /api/iam/principal/list', { query: { loginId: [text] } });
  const found = data.find(({ principalType }) => principalType === 'UserIdentity');
  if (found === undefined) throw new Error(words.unknown(text));
  return found.id;
}
