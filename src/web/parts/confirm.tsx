import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Dialog, openDialog } from './dialog.tsx';
import { EntryForm, Field } from './field.tsx';
import { Note } from './page-head.tsx';

interface ConfirmProps {
  title: string;
  /** What is lost. */
  children: ComponentChildren;
  /** Name of the action on the button. */
  action: string;
  /** What is deleted for good is typed by its name. */
  name?: string;
  run: () => Promise<unknown>;
}

/** Asks before something that cannot be undone; says what is lost. A refusal is shown in the dialog. */
export function confirm(props: ConfirmProps): void {
  openDialog((close) => <Confirm {...props} close={close} />);
}

function Confirm({ title, children, action, name, run, close }: ConfirmProps & { close: () => void }) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={close}>
      <EntryForm
        submit={action}
        kind="bad"
        disabled={name !== undefined && typed.trim() !== name.trim()}
        onCancel={close}
        onSubmit={async () => {
          await run();
          close();
        }}
      >
        {() => (
          <>
            <Note kind="bad">{children}</Note>
            {name !== undefined && (
              <Field label={texts.typeName(name)} value={typed} onInput={setTyped} autocomplete="off" />
            )}
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}
