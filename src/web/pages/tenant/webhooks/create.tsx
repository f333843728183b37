import { useState } from 'preact/hooks';
import { api, type CreateWebhookBody } from '../../../client/api.ts';
import { refresh } from '../../../client/query.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Check, EntryForm, Field } from '../../../parts/field.tsx';
import { SecretDialog } from '../../../parts/secret.tsx';
import { webhookTexts as words } from '../../../texts/webhooks.ts';
import { shortType } from './deliveries.tsx';

type EventType = NonNullable<CreateWebhookBody['types']>[number];

const TYPES = (
  'transferstarted transferprogress transferfinished projectcreated projectchanged projectmoved projectdeleted ' +
  'projectrestored projectdestroyed memberschanged datasetcreated datasetchanged datasetdeleted datasetrestored ' +
  'datasetdestroyed previewready creditschanged creditsexpiring creditsexpired refreshtokenreused'
)
  .split(' ')
  .map((name) => `svc.platform.events.${name}event` as EventType);

export function NewWebhookDialog({ close }: { close: () => void }) {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState(false);
  const [types, setTypes] = useState<ReadonlySet<EventType>>(new Set());
  const [secret, setSecret] = useState<string>();
  async function create() {
    const made = await api('POST /api/eventing/webhook', { body: { url, ...(chosen && { types: [...types] }) } });
    setSecret(made.secret);
    refresh('webhooks ');
  }
  function toggle(type: EventType, on: boolean) {
    const next = new Set(types);
    if (on) next.add(type);
    else next.delete(type);
    setTypes(next);
  }
  if (secret !== undefined)
    return (
      <SecretDialog title={words.create} label={words.secret} value={secret} close={close}>
        {words.secretHint}
      </SecretDialog>
    );
  return (
    <Dialog title={words.create} onClose={close}>
      <EntryForm
        submit={words.create}
        onCancel={close}
        onSubmit={create}
        disabled={url.trim() === '' || (chosen && types.size === 0)}
      >
        {({ fields }) => (
          <>
            <Field
              label={words.url}
              type="url"
              value={url}
              onInput={setUrl}
              hint={words.urlHint}
              error={fields.url}
              placeholder="https://"
              required
            />
            <Field
              label={words.events}
              value={chosen ? 'chosen' : 'all'}
              onInput={(value) => setChosen(value === 'chosen')}
              options={[
                { value: 'all', name: words.allEvents },
                { value: 'chosen', name: words.chosen },
              ]}
              hint={chosen ? undefined : words.allEventsHint}
              error={fields.types}
            />
            {chosen && (
              <fieldset class="event-choices">
                <legend class="visually-hidden">{words.events}</legend>
                {TYPES.map((type) => (
                  <Check
                    key={type}
                    label={shortType(type)}
                    checked={types.has(type)}
                    onChange={(on) => toggle(type, on)}
                  />
                ))}
              </fieldset>
            )}
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}
