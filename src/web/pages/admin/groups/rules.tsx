import { useState } from 'preact/hooks';
import { api, type Group, type GroupSecondFactor, type SecondFactorPreview } from '../../../client/api.ts';
import { refresh, useQuery } from '../../../client/query.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { useDraft } from '../../../parts/draft.tsx';
import { EntryForm, Field } from '../../../parts/field.tsx';
import { Note } from '../../../parts/page-head.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { toast } from '../../../parts/toast.tsx';
import { groupTexts as words } from '../../../texts/groups.ts';
import { texts } from '../../../texts.ts';

interface RulesProps {
  group: Group;
  close: () => void;
}

/** Networks and authenticators that a group requires: who is affected is told before they are saved. */
export function RulesDialog({ group, close }: RulesProps) {
  const rules = useQuery(`admin groups rules ${group.id}`, (signal) =>
    api('GET /api/usergroups/{id}/second-factor', { params: { id: group.id }, signal }),
  );
  return (
    <Dialog title={words.rulesOf(group.name)} onClose={close} wide>
      <Loaded query={rules}>{(data) => <Rules group={group} close={close} rules={data} />}</Loaded>
    </Dialog>
  );
}

/** How the API begins an entry of each type, and divides it from its comment. */
const [NETWORK, AUTHENTICATOR, COMMENT] = ['CIDR:', 'APPAUTH:', '&Comment:'];

/** `10.0.0.0/8 The office` for `CIDR:10.0.0.0/8&Comment:The office`. What has another type stays as it is. */
const toLine = (type: string, entry: string) =>
  entry.startsWith(type) ? entry.slice(type.length).replace(COMMENT, ' ') : entry;

const toEntries = (type: string, lines: string): string[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => (/^[A-Z]+:/.test(line) ? line : `${type}${line.replace(/\s+/, COMMENT)}`));

type Name = 'networks' | 'codes';

const isCode = (entry: string) => entry.startsWith(AUTHENTICATOR);

/** Networks stand in one field, codes in another. */
const toTexts = ({ entries }: GroupSecondFactor): Record<Name, string> => ({
  networks: entries
    .filter((entry) => !isCode(entry))
    .map((entry) => toLine(NETWORK, entry))
    .join('\n'),
  codes: entries
    .filter(isCode)
    .map((entry) => toLine(AUTHENTICATOR, entry))
    .join('\n'),
});

const allEntries = ({ networks, codes }: Readonly<Record<Name, string>>) => [
  ...toEntries(NETWORK, networks),
  ...toEntries(AUTHENTICATOR, codes),
];

function Rules({ group: { id, name }, rules, close }: RulesProps & { rules: GroupSecondFactor }) {
  const params = { id };
  const [preview, setPreview] = useState<SecondFactorPreview>();
  const draft = useDraft<GroupSecondFactor, Name>(rules, {
    toTexts,
    write: ({ rowVersion }, mine) =>
      api('PUT /api/usergroups/{id}/second-factor', { params, body: { entries: allEntries(mine), rowVersion } }),
    read: () => api('GET /api/usergroups/{id}/second-factor', { params }),
  });
  async function next() {
    if (preview === undefined) {
      const body = { entries: allEntries(draft.shown) };
      setPreview(await api('POST /api/usergroups/{id}/second-factor/preview', { params, body }));
      return;
    }
    if (!(await draft.save())) return setPreview(undefined);
    refresh('admin groups');
    toast(words.saved(name));
    close();
  }
  const field = (one: Name) => {
    const { value, onInput } = draft.field(one);
    return {
      label: words[one],
      lines: true,
      value,
      onInput(lines: string) {
        onInput(lines);
        setPreview(undefined);
      },
    };
  };
  return (
    <>
      {draft.note}
      <EntryForm
        submit={preview === undefined ? words.preview : texts.save}
        kind={preview !== undefined && preview.lockedOut.length > 0 ? 'bad' : 'main'}
        onCancel={close}
        onSubmit={next}
        disabled={!draft.isChanged}
      >
        {({ fields }) => (
          <>
            <Field {...field('networks')} hint={words.networksHint} error={fields.metadata} />
            {draft.choice('networks', words.networks)}
            <Field {...field('codes')} hint={words.codesHint} />
            {draft.choice('codes', words.codes)}
            <div role="status">{preview && <Affected preview={preview} />}</div>
          </>
        )}
      </EntryForm>
    </>
  );
}

function Affected({ preview: { days, lockedOut, registerAgain, accounts } }: { preview: SecondFactorPreview }) {
  const sum = (rows: readonly { logins: number }[]) => rows.reduce((total, { logins }) => total + logins, 0);
  const lines = accounts
    .map(({ id, refused, asked, mustRegister }) => ({
      id,
      text: words.affected(sum(refused), sum(asked), mustRegister),
    }))
    .filter(({ text }) => text !== '');
  const none = lines.length + lockedOut.length + registerAgain.length === 0;
  return (
    <Note kind={lockedOut.length > 0 ? 'bad' : none ? 'ok' : 'warn'}>
      <p>{none ? words.nobody : words.previewed(days)}</p>
      {lockedOut.length > 0 && <p>{words.lockedOut(lockedOut.join(', '))}</p>}
      {registerAgain.length > 0 && <p>{words.registerAgain(registerAgain.join(', '))}</p>}
      <ul>
        {lines.map(({ id, text }) => (
          <li key={id}>
            <b>{id}</b>: {text}
          </li>
        ))}
      </ul>
    </Note>
  );
}
