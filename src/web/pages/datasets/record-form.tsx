import { api, type Capabilities, type Dataset } from '../../client/api.ts';
import { refresh, setData } from '../../client/query.ts';
import { useDraft } from '../../parts/draft.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { Note } from '../../parts/page-head.tsx';
import { toast } from '../../parts/toast.tsx';
import { recordTexts as words } from '../../texts/dataset-pages.ts';
import { texts } from '../../texts.ts';
import { FIELDS, type FieldName, parseObject, toBody, toTexts } from './record.ts';

/** The record of a dataset, edited in place. A change by somebody else is shown beside what was typed. */
export function RecordForm({ dataset, rights }: { dataset: Dataset; rights: Capabilities | undefined }) {
  const { id, projectId } = dataset;
  const draft = useDraft<Dataset, FieldName>(dataset, {
    toTexts,
    async write(base, mine) {
      const body = toBody(base, mine);
      const saved = await api('PUT /api/metadata/project/{id}/dataset', { params: { id: projectId }, body });
      setData<Dataset>(`dataset ${id}`, (before) => before && { ...before, ...saved });
    },
    read: () => api('GET /api/metadata/dataset/{id}', { params: { id } }),
  });
  const { shown } = draft;
  const mayEdit = rights?.canUpdateContent === true;
  const wrong = (['metadata', 'properties'] as const).find((name) => parseObject(shown[name]) === undefined);

  async function save() {
    if (!(await draft.save())) return;
    refresh(`dataset ${id}`, projectId);
    toast(words.saved);
  }
  const field = (name: FieldName, lines = false) => (
    <div key={name}>
      <Field
        label={words[name]}
        {...draft.field(name)}
        lines={lines}
        disabled={!mayEdit}
        optional={name !== 'name'}
        {...(name === 'name' && { maxLength: 255 })}
        {...(name === 'srid' && { type: 'number' as const })}
        {...(name === 'tags' && { hint: words.tagsHint })}
        {...((name === 'metadata' || name === 'properties') && { hint: words.jsonHint })}
        error={name === wrong ? words.notObject : undefined}
      />
      {draft.choice(name, words[name])}
    </div>
  );
  return (
    <section class="card padded stack" aria-labelledby="record">
      <h2 id="record">{words.record}</h2>
      {rights !== undefined && !mayEdit && <Note>{words.noRight}</Note>}
      {draft.note}
      <EntryForm
        submit={texts.save}
        disabled={!draft.isChanged || shown.name.trim() === '' || wrong !== undefined}
        onSubmit={save}
        {...(draft.isChanged && { onCancel: draft.discard })}
      >
        {() => (
          <>
            {FIELDS.map((name) => field(name, name === 'description' || name === 'metadata' || name === 'properties'))}
          </>
        )}
      </EntryForm>
    </section>
  );
}
