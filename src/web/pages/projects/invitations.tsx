import { useState } from 'preact/hooks';
import { api, type Invitation, type NewInvitation, type Project } from '../../client/api.ts';
import { formatTime } from '../../client/format.ts';
import { refresh, useList } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { actionsColumn, type Column, Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { peopleTexts as words } from '../../texts/people.ts';
import { texts } from '../../texts.ts';

const ROLES: readonly NewInvitation['role'][] = ['Reader', 'Contributor', 'Owner'];

/** Asks for a mail address or login id, and a role. */
export function openInvite(project: Pick<Project, 'id'>): void {
  openDialog((close) => (
    <Dialog title={words.inviteTitle} onClose={close}>
      <InviteForm id={project.id} close={close} />
    </Dialog>
  ));
}

function InviteForm({ id, close }: { id: string; close: () => void }) {
  const [who, setWho] = useState('');
  const [role, setRole] = useState<string>('Reader');
  async function submit() {
    const address = who.trim();
    const person = address.includes('@') ? { email: address } : { loginId: address };
    const body = { ...person, role: role as NewInvitation['role'] };
    await api('POST /api/metadata/project/{id}/invitation', { params: { id }, body });
    refresh(`project ${id} invitations`);
    close();
    toast(words.invited(address));
  }
  return (
    <EntryForm submit={words.invite} onCancel={close} disabled={who.trim() === ''} onSubmit={submit}>
      {({ fields }) => (
        <>
          <Field
            label={words.inviteWho}
            value={who}
            onInput={setWho}
            hint={words.inviteHint}
            error={fields.email ?? fields.loginId}
            required
            maxLength={320}
            autocomplete="off"
          />
          <Field
            label={words.role}
            value={role}
            onInput={setRole}
            options={ROLES.map((value) => ({ value, name: texts.roles[value]! }))}
            error={fields.role}
          />
        </>
      )}
    </EntryForm>
  );
}

/** Invitations that nobody has accepted yet. */
export function Invitations({ project: { id } }: { project: Pick<Project, 'id'> }) {
  const list = useList(
    `project ${id} invitations`,
    async (query, signal) =>
      (await api('GET /api/metadata/project/{id}/invitation', { params: { id }, query, signal })).data,
    { changes: ['members'] },
  );
  const open = list.data?.filter(({ status }) => status === 'open') ?? [];
  if (open.length === 0) return null;
  const columns: readonly Column<Invitation>[] = [
    { key: 'who', title: words.person, cell: ({ email, loginId }) => <b>{email ?? loginId}</b> },
    { key: 'role', title: words.role, cell: ({ role }) => texts.roles[role] },
    {
      key: 'until',
      title: words.until,
      phone: 'quiet',
      phoneLabel: words.until,
      cell: ({ expiresAt }) => formatTime(expiresAt),
    },
    actionsColumn((one) => (
      <Button
        small
        label={`${words.endInvitation} ${one.email ?? one.loginId}`}
        onClick={async () => {
          const params = { id, invitationId: one.id };
          await api('DELETE /api/metadata/project/{id}/invitation/{invitationId}', { params });
          refresh(`project ${id} invitations`);
          toast(words.invitationEnded);
        }}
      >
        {words.endInvitation}
      </Button>
    )),
  ];
  return (
    <section class="card" aria-labelledby="invitations">
      <div class="filter-bar">
        <h2 id="invitations">{words.invitations}</h2>
      </div>
      <Table label={words.invitations} columns={columns} rows={open} id={(one) => one.id} />
    </section>
  );
}
