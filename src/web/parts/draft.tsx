import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../client/problem.ts';
import { draftTexts as words } from '../texts/draft.ts';
import { Note } from './page-head.tsx';

type Texts<Name extends string> = Readonly<Record<Name, string>>;

interface Subject<T, Name extends string> {
  /** What is edited of the record, as the texts of fields. */
  toTexts: (record: T) => Texts<Name>;
  /** Writes the texts over the version of `base`. */
  write: (base: T, mine: Texts<Name>) => Promise<unknown>;
  /** The record as it is now. */
  read: () => Promise<T>;
}

export interface Draft<Name extends string> {
  readonly shown: Texts<Name>;
  /** Whether anything was typed. */
  readonly isChanged: boolean;
  /** Tells of changes by others: above the fields. */
  readonly note: ComponentChildren;
  field(name: Name): { value: string; onInput: (value: string) => void };
  /** Both values of a text that two people changed: below its field. `shownAs`: names of the values of a list. */
  choice(name: Name, label: string, shownAs?: (value: string) => string): ComponentChildren;
  discard(): void;
  /** Whether the texts were written; else somebody else was faster, which is shown. */
  save(): Promise<boolean>;
}

/** Texts of a record that others may change meanwhile. What they changed is shown beside what was typed. */
export function useDraft<T extends { rowVersion: string }, Name extends string>(
  record: T,
  { toTexts, write, read }: Subject<T, Name>,
): Draft<Name> {
  const [draft, setDraft] = useState<{ base: T; mine: Texts<Name> }>();
  const [clash, setClash] = useState<{ names: readonly Name[]; mine: Texts<Name>; theirs: Texts<Name> }>();
  const shown = draft?.mine ?? toTexts(record);
  const typed = (name: Name) => (value: string) => {
    const base = draft?.base ?? record;
    setDraft({ base, mine: { ...(draft?.mine ?? toTexts(base)), [name]: value } });
  };
  const meanwhile = draft !== undefined && draft.base.rowVersion !== record.rowVersion;
  function discard() {
    setDraft(undefined);
    setClash(undefined);
  }
  return {
    shown,
    isChanged: draft !== undefined,
    note:
      clash !== undefined ? (
        <Note kind="warn">
          <b>{words.conflict}</b> {clash.names.length > 0 ? words.conflictWhy : words.changedMeanwhile}
        </Note>
      ) : (
        meanwhile && <Note kind="warn">{words.changedMeanwhile}</Note>
      ),
    field: (name) => ({ value: shown[name], onInput: typed(name) }),
    choice: (name, label, shownAs) =>
      clash?.names.includes(name) && (
        <Choice
          name={name}
          label={label}
          mine={clash.mine[name]}
          theirs={clash.theirs[name]}
          value={shown[name]}
          shownAs={shownAs}
          onChoose={typed(name)}
        />
      ),
    discard,
    async save() {
      if (draft === undefined) return true;
      try {
        await write(draft.base, draft.mine);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'StaleRowVersion') throw error;
        const now = await read();
        const [base, theirs] = [toTexts(draft.base), toTexts(now)];
        setClash({ names: conflicts(base, draft.mine, theirs), mine: draft.mine, theirs });
        setDraft({ base: now, mine: merged(base, draft.mine, theirs) });
        return false;
      }
      discard();
      return true;
    },
  };
}

const namesOf = <Name extends string>(texts: Texts<Name>) => Object.keys(texts) as Name[];

/** What two people changed to different values: `mine` by the reader, `theirs` in the record meanwhile. */
const conflicts = <Name extends string>(base: Texts<Name>, mine: Texts<Name>, theirs: Texts<Name>): Name[] =>
  namesOf(base).filter(
    (name) => mine[name] !== base[name] && theirs[name] !== base[name] && mine[name] !== theirs[name],
  );

/** The changes of both; where they differ, those of the reader. */
const merged = <Name extends string>(base: Texts<Name>, mine: Texts<Name>, theirs: Texts<Name>): Texts<Name> => ({
  ...theirs,
  ...Object.fromEntries(
    namesOf(base)
      .filter((name) => mine[name] !== base[name])
      .map((name) => [name, mine[name]]),
  ),
});

interface ChoiceProps {
  name: string;
  label: string;
  mine: string;
  theirs: string;
  value: string;
  shownAs?: ((value: string) => string) | undefined;
  onChoose: (value: string) => void;
}

function Choice({ name, label, mine, theirs, value, shownAs = (one) => one, onChoose }: ChoiceProps) {
  const options = [
    [words.yours, mine],
    [words.theirs, theirs],
  ] as const;
  return (
    <fieldset class="clash">
      <legend class="visually-hidden">
        {words.conflict}: {label}
      </legend>
      {options.map(([whose, one]) => (
        <label key={whose} class="check">
          <input type="radio" name={`clash-${name}`} checked={value === one} onChange={() => onChoose(one)} />
          <span>
            <b>{whose}</b> {one === '' ? words.empty : shownAs(one)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
