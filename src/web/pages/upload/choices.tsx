import { useId, useState } from 'preact/hooks';
import { api, type Inspection } from '../../client/api.ts';
import { useQuery } from '../../client/query.ts';
import { Field } from '../../parts/field.tsx';
import { ParameterForm, type ParameterTexts } from '../../parts/parameter-form.tsx';
import { SystemField } from '../../parts/system-field.tsx';
import { converterName } from '../../texts/formats.ts';
import { uploadTexts as words } from '../../texts/upload.ts';
import type { Choice } from '../../uploads/kept.ts';
import { type Proposal, proposalsOf } from '../../uploads/proposals.ts';
import type { Upload } from '../../uploads/state.ts';
import { choose } from '../../uploads/uploads.ts';

/** What can be made of a file, as cards of one choice; each says what it keeps and loses. */
export function Choices({ upload }: { upload: Upload }) {
  const { id, name, inspection, choice } = upload;
  const group = useId();
  const proposals = proposalsOf(inspection);
  const others = proposals.filter(({ kind }) => kind === 'other');
  const cards = proposals.filter(({ kind }) => kind !== 'other');
  const isOther = others.some(({ writer }) => writer.name === choice?.writerName);
  const take = ({ readerName, writer }: Proposal) =>
    choose(id, {
      readerName,
      writerName: writer.name,
      reader: choice?.readerName === readerName ? choice.reader : {},
      writer: {},
    });
  if (proposals.length === 1) return <p class="small quiet">{words.bytesOnly}</p>;
  return (
    <>
      <div class="upload-choices" role="radiogroup" aria-label={words.makeOf(name)}>
        {cards.map((proposal) => (
          <Card
            key={proposal.writer.name}
            group={group}
            title={words.store[proposal.writer.name] ?? words.bytes}
            checked={choice?.writerName === proposal.writer.name}
            take={() => void take(proposal)}
          >
            {proposal.kind === 'bytes' ? bytesText(inspection) : shortText(proposal)}
          </Card>
        ))}
        {others.length > 0 && (
          <Card group={group} title={words.other} checked={isOther} take={() => void take(others[0]!)}>
            {words.otherHint(others.length)}
          </Card>
        )}
      </div>
      {isOther && (
        <Field
          label={words.format}
          value={choice!.writerName}
          options={others.map(({ writer }) => ({ value: writer.name, name: converterName(writer.name) }))}
          onInput={(value) => void take(others.find(({ writer }) => writer.name === value)!)}
        />
      )}
      <Losses proposal={proposals.find(({ writer }) => writer.name === choice?.writerName)} />
      {choice !== undefined && choice.readerName !== 'FileReader' && (
        <Settings id={id} choice={choice} inspection={inspection} />
      )}
    </>
  );
}

function Card({
  group,
  title,
  checked,
  take,
  children,
}: {
  group: string;
  title: string;
  checked: boolean;
  take: () => void;
  children: string;
}) {
  return (
    <label class="upload-choice">
      <input type="radio" name={group} checked={checked} onChange={take} aria-label={title} />
      <span>
        <b>{title}</b>
        <span class="small quiet">{children}</span>
      </span>
    </label>
  );
}

const bytesText = (inspection: Inspection | undefined) =>
  inspection === undefined || inspection.kind === 'bytes' ? words.bytesPlain : words.bytesKeeps;

const shortText = ({ writer: { keeps, loses } }: Proposal): string => {
  const kept = keeps.length === 0 ? '' : words.keeps(keeps.slice(0, 3).join(', '));
  if (loses.length === 0) return kept === '' ? words.keepsAll : kept;
  return `${kept} ${loses.length === 1 ? loses[0] : words.losesSome(loses.length)}`.trim();
};

function Losses({ proposal }: { proposal: Proposal | undefined }) {
  const { keeps = [], loses = [] } = proposal?.writer ?? {};
  if (loses.length === 0 && (proposal?.kind !== 'other' || keeps.length === 0)) return null;
  return (
    <div class="small">
      {proposal?.kind === 'other' && keeps.length > 0 && <p class="quiet">{words.keeps(keeps.join(', '))}</p>}
      {loses.length > 0 && (
        <>
          <b>{words.loses}</b>
          <ul class="sentences">
            {loses.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const SRID = 'SRID';

/** The parameters of the reader and the writer; the coordinate system first where the file does not say it. */
function Settings({ id, choice, inspection }: { id: string; choice: Choice; inspection: Inspection | undefined }) {
  const { readerName, writerName } = choice;
  const reader = useQuery(`reader ${readerName}`, (signal) =>
    api('GET /api/conversion/reader/{name}', { params: { name: readerName }, signal }),
  );
  const writer = useQuery(`writer ${writerName}`, (signal) =>
    api('GET /api/conversion/writer/{name}', { params: { name: writerName }, signal }),
  );
  const placed = ['grid', 'mesh', 'features'].includes(inspection?.kind ?? '');
  const parameters = reader.data?.parameters ?? [];
  const srid = placed && inspection?.crs === undefined && parameters.find(({ name }) => name === SRID);
  const ofReader = parameters.filter(({ name }) => !srid || name !== SRID);
  const ofWriter = writer.data?.parameters ?? [];
  const change = (changes: Partial<Choice>) => void choose(id, { ...choice, ...changes });
  return (
    <>
      {srid && (
        <div class="note warn">
          <div class="grow">
            <b>{words.noCrs}</b>
            <SystemField
              chosen={choice.reader[SRID] || undefined}
              onChoose={(text = '') => change({ reader: { ...choice.reader, [SRID]: text } })}
              hint={words.sridHint}
              none={words.sridNone}
            />
          </div>
        </div>
      )}
      <More
        title={words.readerSettings}
        parameters={ofReader}
        values={choice.reader}
        save={(reader) => change({ reader })}
      />
      <More
        title={words.writerSettings}
        parameters={ofWriter}
        values={choice.writer}
        save={(writer) => change({ writer })}
      />
    </>
  );
}

function More({
  title,
  parameters,
  values,
  save,
}: {
  title: string;
  parameters: Parameters<typeof ParameterForm>[0]['parameters'];
  values: ParameterTexts;
  save: (values: ParameterTexts) => void;
}) {
  const [open, setOpen] = useState(false);
  if (parameters.length === 0) return null;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && <ParameterForm parameters={parameters} values={values} onChange={save} />}
    </details>
  );
}
