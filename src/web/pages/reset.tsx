import { useState } from 'preact/hooks';
import { place } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api } from '../client/api.ts';
import { AloneCard } from '../parts/alone-card.tsx';
import { EntryForm, Field } from '../parts/field.tsx';
import { NewPasswordField } from '../parts/new-password.tsx';
import { Note } from '../parts/page-head.tsx';
import { accountTexts } from '../texts/account.ts';

/** Asks for the mail, and with its token (`/reset?token=…`) for the new password. */
export default function ResetPage() {
  const token = place.value.query.get('token');
  return (
    <AloneCard title={accountTexts.resetTitle}>
      {token === null ? <AskForMail /> : <NewPassword token={token} />}
      <p>
        <a href={to('/signin')}>{accountTexts.backToSignIn}</a>
      </p>
    </AloneCard>
  );
}

function AskForMail() {
  const [id, setId] = useState('');
  const [sent, setSent] = useState(false);
  if (sent) return <Note kind="ok">{accountTexts.mailSent}</Note>;
  return (
    <EntryForm
      submit={accountTexts.sendMail}
      full
      onSubmit={async () => {
        await api('POST /api/accounts/passwordreset', { body: id });
        setSent(true);
      }}
    >
      {() => (
        <Field
          label={accountTexts.mail}
          hint={accountTexts.resetHint}
          value={id}
          onInput={setId}
          autocomplete="username"
          required
          maxLength={320}
        />
      )}
    </EntryForm>
  );
}

function NewPassword({ token }: { token: string }) {
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  if (done) return <Note kind="ok">{accountTexts.passwordSet}</Note>;
  return (
    <EntryForm
      submit={accountTexts.setPassword}
      full
      onSubmit={async () => {
        await api('PUT /api/accounts/password', { query: { token }, body: password });
        setDone(true);
      }}
    >
      {() => <NewPasswordField value={password} onInput={setPassword} />}
    </EntryForm>
  );
}
