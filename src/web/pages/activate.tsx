import { useState } from 'preact/hooks';
import { go, place } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api } from '../client/api.ts';
import { signIn } from '../client/session.ts';
import { AloneCard } from '../parts/alone-card.tsx';
import { EntryForm, Field, Wrong } from '../parts/field.tsx';
import { NewPasswordField } from '../parts/new-password.tsx';
import { Note } from '../parts/page-head.tsx';
import { accountTexts } from '../texts/account.ts';

/**
 * Behind the link of a mail: `/activate?token=…`, and behind that of the first start: `/activate?bootstrap=…`. Scanners
 * of mail open it, too, so a click activates.
 */
export default function ActivatePage() {
  const first = place.value.query.get('bootstrap');
  return first === null ? <Activate /> : <FirstAdministrator token={first} />;
}

function Activate() {
  const token = place.value.query.get('token');
  const [done, setDone] = useState(false);
  return (
    <AloneCard title={accountTexts.activateTitle}>
      {token === null ? (
        <Wrong>{accountTexts.linkIncomplete}</Wrong>
      ) : done ? (
        <Note kind="ok">{accountTexts.activated}</Note>
      ) : (
        <EntryForm
          submit={accountTexts.activate}
          full
          onSubmit={async () => {
            await api('PUT /api/accounts/activation', { query: { token } });
            setDone(true);
          }}
        >
          {() => <p class="quiet">{accountTexts.activateHint}</p>}
        </EntryForm>
      )}
      <p>
        <a href={to('/signin')}>{accountTexts.backToSignIn}</a>
      </p>
    </AloneCard>
  );
}

/** Makes the first administrator, and signs in. */
function FirstAdministrator({ token }: { token: string }) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [tenantName, setTenantName] = useState('');
  async function submit() {
    const chosen = {
      ...(name.trim() && { name: name.trim() }),
      ...(tenantName.trim() && { tenantName: tenantName.trim() }),
    };
    await api('POST /api/accounts/bootstrap', { body: { token, id: id.trim(), password, ...chosen } });
    await signIn({ id: id.trim(), password });
    go('/projects', { replace: true });
  }
  return (
    <AloneCard title={accountTexts.firstTitle}>
      <p class="quiet">{accountTexts.firstHint}</p>
      <EntryForm submit={accountTexts.makeFirst} full onSubmit={submit} disabled={id.trim() === '' || password === ''}>
        {({ fields }) => (
          <>
            <Field
              label={accountTexts.id}
              value={id}
              onInput={setId}
              autocomplete="username"
              required
              maxLength={255}
              error={fields.id}
              autofocus
            />
            <Field
              label={accountTexts.name}
              value={name}
              onInput={setName}
              autocomplete="name"
              optional
              maxLength={255}
              error={fields.name}
            />
            <NewPasswordField value={password} onInput={setPassword} error={fields.password} />
            <Field
              label={accountTexts.tenant}
              hint={accountTexts.tenantHint}
              value={tenantName}
              onInput={setTenantName}
              autocomplete="off"
              optional
              maxLength={255}
              error={fields.tenantName}
            />
          </>
        )}
      </EntryForm>
      <p>
        <a href={to('/signin')}>{accountTexts.backToSignIn}</a>
      </p>
    </AloneCard>
  );
}
