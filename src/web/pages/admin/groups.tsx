import { useState } from 'preact/hooks';
import { api, type Group } from '../../client/api.ts';
import { refresh, useList } from '../../client/query.ts';
import { confirm } from '../../parts/confirm.tsx';
import { CreateButton } from '../../parts/create-button.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { actionsColumn, type Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { groupTexts as words } from '../../texts/groups.ts';
import { texts } from '../../texts.ts';
import { ForAdministrators } from './frame.tsx';
import { RulesDialog } from './groups/rules.tsx';

/** All groups with their members and rules. */
export default function GroupsPage() {
  return <ForAdministrators title={words.title}>{() => <Groups />}</ForAdministrators>;
}

function Groups() {
  const list = useList('admin groups', (query, signal) => api('GET /api/usergroups', { query, signal }));
  return (
    <>
      <PageHead
        title={words.title}
        actions={<CreateButton dialog={(close) => <NewGroupDialog close={close} />}>{words.create}</CreateButton>}
      >
        {words.about}
      </PageHead>
      <section class="card">
        <QueryTable query={list} label={words.title} columns={columns} id={({ id }) => id} />
      </section>
    </>
  );
}

const columns: readonly Column<Group>[] = [
  { key: 'name', title: words.name, cell: ({ name }) => <b>{name}</b> },
  {
    key: 'members',
    title: words.members,
    cell: ({ users }) => (
      <span class="clipped" title={users.join(', ')}>
        {users.length === 0 ? words.memberCount(0) : users.join(', ')}
      </span>
    ),
  },
  actionsColumn((group) => (
    <Menu
      label={texts.actionsFor(group.name)}
      small
      items={[
        {
          name: words.rules,
          icon: 'lock',
          run: () => void openDialog((close) => <RulesDialog group={group} close={close} />),
        },
        { name: texts.delete, icon: 'bin', bad: true, line: true, run: () => askDelete(group) },
      ]}
    />
  )),
];

function askDelete({ id, name, users }: Group): void {
  confirm({
    title: texts.deleteTitle(name),
    children: words.deleteWhy(users.length),
    action: texts.delete,
    name,
    async run() {
      await api('DELETE /api/usergroups/{id}', { params: { id } });
      refresh('admin groups', 'admin accounts');
      toast(words.deleted(name));
    },
  });
}

function NewGroupDialog({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  async function create() {
    await api('POST /api/usergroups', { body: { name, users: [] } });
    refresh('admin groups');
    toast(words.created(name));
    close();
  }
  return (
    <Dialog title={words.create} onClose={close}>
      <EntryForm submit={words.create} onCancel={close} onSubmit={create} disabled={name.trim() === ''}>
        {({ fields }) => (
          <Field label={words.name} value={name} onInput={setName} error={fields.name} maxLength={255} required />
        )}
      </EntryForm>
    </Dialog>
  );
}
