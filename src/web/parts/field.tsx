import type { ComponentChildren, TargetedEvent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, sentenceOf } from '../client/problem.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

export const Wrong = ({ children, id }: { children: ComponentChildren; id?: string }) => (
  <p class="wrong" id={id} role="alert">
    <Icon name="warning" />
    <span>{children}</span>
  </p>
);

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  type?: 'text' | 'password' | 'email' | 'number' | 'search' | 'date' | 'datetime-local' | 'url';
  hint?: ComponentChildren;
  error?: string | undefined;
  required?: boolean;
  /** Says `optional` behind the label. */
  optional?: boolean;
  autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off' | 'name' | 'email';
  /** The choices of a list. */
  options?: readonly { value: string; name: string }[];
  lines?: boolean;
  maxLength?: number;
  disabled?: boolean;
  autofocus?: boolean;
  /** Proposals, of which any may be taken or not. */
  proposals?: readonly string[];
  placeholder?: string;
}

/** A label with an input, a list of choices or lines of text, a hint and an error below it. */
export function Field({
  label,
  value,
  onInput,
  hint,
  error,
  optional,
  options,
  lines,
  proposals,
  ...rest
}: FieldProps) {
  const id = useId();
  const { type = 'text', autofocus, autocomplete, ...plain } = rest;
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const shared = {
    id,
    class: 'input',
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': described || undefined,
    'data-autofocus': autofocus || undefined,
    ...plain,
  };
  const input = (event: TargetedEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) =>
    onInput(event.currentTarget.value);
  return (
    <div class="field">
      <label for={id}>
        {label} {optional && <span class="optional">{texts.optional}</span>}
      </label>
      {options !== undefined ? (
        <select {...shared} value={value} onChange={input}>
          {options.map((one) => (
            <option key={one.value} value={one.value}>
              {one.name}
            </option>
          ))}
        </select>
      ) : lines ? (
        <textarea {...shared} value={value} onInput={input} />
      ) : (
        <input
          {...shared}
          type={type as 'text'}
          value={value}
          autocomplete={autocomplete}
          list={proposals && `${id}-list`}
          step={type === 'number' ? 'any' : undefined}
          onInput={input}
        />
      )}
      {proposals && (
        <datalist id={`${id}-list`}>
          {proposals.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && <Wrong id={`${id}-error`}>{error}</Wrong>}
    </div>
  );
}

export function Check({
  label,
  checked,
  onChange,
  disabled,
}: {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** The search field of a list. */
export function FindField({
  label,
  value,
  onInput,
  icon = 'filter',
  list,
}: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  icon?: 'filter' | 'search';
  /** Id of a `datalist` with proposals. */
  list?: string | undefined;
}) {
  return (
    <div class="find">
      <Icon name={icon} />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        list={list}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

/** Sentences of a refused request: by member, and one for all others. */
export interface Refusal {
  readonly fields: Record<string, string>;
  readonly rest: string | undefined;
}

interface EntryFormProps {
  /** Fields, which may show the sentences of a refusal: `error={refusal.fields.name}`. */
  children: (refusal: Refusal) => ComponentChildren;
  /** Writes; a refusal is shown in the form. */
  onSubmit: () => Promise<unknown>;
  submit: string;
  /** Of the button that leaves the form. */
  onCancel?: () => void;
  kind?: 'main' | 'bad';
  disabled?: boolean;
  /** The button over the whole width, as in a sign-in. */
  full?: boolean;
}

/** A form that is busy while it is sent, and shows the errors of the server beside the fields. */
export function EntryForm({ children, onSubmit, submit, onCancel, kind = 'main', disabled, full }: EntryFormProps) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>({ fields: {}, rest: undefined });
  const form = useRef<HTMLFormElement>(null);
  // a dialog that opens before its form is there has put the focus on its cross
  useLayoutEffect(() => {
    if (document.activeElement?.closest('dialog > header') && form.current?.closest('dialog'))
      form.current.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  async function send(event: Event) {
    event.preventDefault();
    if (busy || disabled) return;
    setBusy(true);
    setRefusal({ fields: {}, rest: undefined });
    try {
      await onSubmit();
    } catch (error) {
      setRefusal(refusalOf(error));
    } finally {
      setBusy(false);
    }
  }
  const shown = new Set<string>();
  const content = children({ ...refusal, fields: noteReads(refusal.fields, shown) });
  const unshown = Object.entries(refusal.fields).filter(([name]) => !shown.has(name));
  const rest = [refusal.rest, ...unshown.map(([name, sentence]) => `${name}: ${sentence}`)].filter(Boolean).join(' ');
  return (
    <form ref={form} class="stack" onSubmit={(event) => void send(event)}>
      {content}
      {rest !== '' && <Wrong>{rest}</Wrong>}
      <footer>
        {onCancel && (
          <Button kind="ghost" onClick={onCancel}>
            {texts.cancel}
          </Button>
        )}
        <Button type="submit" kind={kind} busy={busy} disabled={disabled ?? false} class={full ? 'grow' : ''}>
          {submit}
        </Button>
      </footer>
    </form>
  );
}

/** Notes which members are read: sentences that no field shows are told below them. */
const noteReads = (fields: Record<string, string>, read: Set<string>): Record<string, string> =>
  new Proxy(fields, {
    get(target, name: string) {
      read.add(name);
      return target[name];
    },
  });

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError)) return { fields: {}, rest: sentenceOf(error) };
  const fields = Object.fromEntries(
    // of `networks[2]` the field is `networks`
    Object.entries(error.errors).map(([name, sentences]) => [name.replace(/[.[].*/s, ''), sentences.join(' ')]),
  );
  return { fields, rest: Object.keys(fields).length > 0 ? undefined : error.message };
}
