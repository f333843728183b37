import { useState } from 'preact/hooks';
import { type Account, api } from '../../../client/api.ts';
import { refresh, useQuery } from '../../../client/query.ts';
import { tenant } from '../../../client/session.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { useDraft } from '../../../parts/draft.tsx';
import { Check, EntryForm, Field } from '../../../parts/field.tsx';
import { NewPasswordField } from '../../../parts/new-password.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { toast } from '../../../parts/toast.tsx';
import { accountTexts as words } from '../../../texts/accounts.ts';
import { texts } from '../../../texts.ts';
import { sendMail } from './actions.tsx';

interface DialogProps {
  close: () => void;
}

export function NewAccountDialog({ close }: DialogProps) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  async function create() {
    const given = password || unknownPassword();
    const body = { id, password: given, activated: true, ...(name && { name }), ...(email && { email }) };
    const account = await api('POST /api/accounts', { body });
    refresh('admin accounts');
    close();
    toast(words.created(id));
    if (password === '') await sendMail(account);
  }
  return (
    <Dialog title={words.create} onClose={close}>
      <EntryForm
        submit={words.create}
        onCancel={close}
        onSubmit={create}
        disabled={id.trim() === '' || (password === '' && email === '')}
      >
        {({ fields }) => (
          <>
            {tenant.value && <p class="quiet">{words.createHint(tenant.value.name)}</p>}
            <Field label={words.loginId} value={id} onInput={setId} error={fields.id} required autocomplete="off" />
            <Field label={words.name} value={name} onInput={setName} error={fields.name} optional autocomplete="off" />
            <Field
              label={words.email}
              type="email"
              value={email}
              onInput={setEmail}
              error={fields.email}
              optional
              autocomplete="off"
            />
            <NewPasswordField
              value={password}
              onInput={setPassword}
              error={fields.password}
              {...(email !== '' && { optional: words.withoutPassword })}
            />
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

/** Nobody knows it: it stands until the person chooses one. It has each kind of character that a policy may ask for. */
const unknownPassword = () =>
  `Aa1-${Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(36)).join('')}`;

const EDITED = ['name', 'email', 'company', 'phoneNumber', 'roles'] as const;

/** Who the account is of, and its roles in the platform. */
export function EditDialog({ account, close }: DialogProps & { account: Account }) {
  const { id } = account;
  const draft = useDraft<Account, (typeof EDITED)[number]>(account, {
    toTexts: ({ name, email = '', company = '', phoneNumber = '', roles }) => ({
      name,
      email,
      company,
      phoneNumber,
      roles,
    }),
    write: ({ metadata, rowVersion }, mine) =>
      api('PUT /api/accounts', { body: { id, metadata, rowVersion, ...mine } }),
    read: () => api('GET /api/accounts/{id}', { params: { id } }),
  });
  async function save() {
    if (!(await draft.save())) return;
    refresh('admin accounts');
    toast(words.saved(id));
    close();
  }
  return (
    <Dialog title={words.editTitle(id)} onClose={close}>
      {draft.note}
      <EntryForm
        submit={texts.save}
        onCancel={close}
        onSubmit={save}
        disabled={!draft.isChanged || draft.shown.name.trim() === ''}
      >
        {({ fields }) =>
          EDITED.map((name) => (
            <div key={name}>
              <Field
                label={words[name]}
                {...draft.field(name)}
                error={fields[name]}
                autocomplete="off"
                {...(name === 'email' && { type: 'email' as const })}
                {...(name === 'roles' && { hint: words.rolesHint })}
                {...(name === 'name' ? { required: true } : { optional: true })}
              />
              {draft.choice(name, words[name])}
            </div>
          ))
        }
      </EntryForm>
    </Dialog>
  );
}

/** Check boxes of all groups. */
export function GroupsDialog({ account, close }: DialogProps & { account: Account }) {
  const all = useQuery('admin groups ids', (signal) => api('GET /api/usergroups/ids', { signal }));
  const before = useQuery(`admin groups ids of ${account.userId}`, (signal) =>
    api('GET /api/usergroups/ids', { query: { userId: account.userId }, signal }),
  );
  return (
    <Dialog title={words.groupsOf(account.id)} onClose={close}>
      <Loaded query={all}>
        {(groups) => (
          <Loaded query={before}>
            {(own) => <GroupChecks account={account} groups={groups} before={own} close={close} />}
          </Loaded>
        )}
      </Loaded>
    </Dialog>
  );
}

function GroupChecks({
  account: { id, userId },
  groups,
  before,
  close,
}: DialogProps & { account: Account; groups: readonly string[]; before: readonly string[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(before));
  const added = groups.filter((group) => chosen.has(group) && !before.includes(group));
  const removed = before.filter((group) => !chosen.has(group));
  async function save() {
    if (added.length > 0) await api('POST /api/usergroups/user/{userId}', { params: { userId }, body: added });
    if (removed.length > 0)
      await api('DELETE /api/usergroups/user/{userId}', { params: { userId }, query: { groupId: removed } });
    refresh('admin accounts', 'admin groups');
    toast(words.groupsSaved(id));
    close();
  }
  function toggle(group: string, on: boolean) {
    const next = new Set(chosen);
    if (on) next.add(group);
    else next.delete(group);
    setChosen(next);
  }
  return (
    <EntryForm submit={texts.save} onCancel={close} onSubmit={save} disabled={added.length + removed.length === 0}>
      {() => (
        <fieldset>
          <legend class="visually-hidden">{words.groups}</legend>
          {groups.length === 0 && <p class="quiet">{words.noGroups}</p>}
          {groups.map((group) => (
            <Check key={group} label={group} checked={chosen.has(group)} onChange={(on) => toggle(group, on)} />
          ))}
        </fieldset>
      )}
    </EntryForm>
  );
}
