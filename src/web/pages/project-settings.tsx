import { go, type PageProps } from '../app/router.ts';
import { api, type ChangedProject, type Project } from '../client/api.ts';
import { refresh } from '../client/query.ts';
import { Button } from '../parts/button.tsx';
import { useDraft } from '../parts/draft.tsx';
import { EntryForm, Field } from '../parts/field.tsx';
import { Note } from '../parts/page-head.tsx';
import { toast } from '../parts/toast.tsx';
import { peopleTexts as words } from '../texts/people.ts';
import { projectTexts } from '../texts/projects.ts';
import { texts } from '../texts.ts';
import { deleteProject } from './projects/actions.tsx';
import { ProjectFrame } from './projects/frame.tsx';

/** `/projects/{id}/settings` */
export default function ProjectSettingsPage({ params: { id = '' } }: PageProps) {
  return <ProjectFrame id={id}>{(project) => <Settings key={id} project={project} />}</ProjectFrame>;
}

function Settings({ project }: { project: Project }) {
  const { canEdit, canDelete } = project.capabilities;
  return (
    <div class="stack">
      {canEdit ? <RecordForm project={project} /> : <Note>{words.noEdit}</Note>}
      {canDelete && (
        <section class="card padded stack" aria-labelledby="delete">
          <h2 id="delete">{words.danger}</h2>
          <p class="quiet">{words.dangerWhy}</p>
          <Button
            kind="bad"
            icon="bin"
            onClick={async () => {
              const parent = project.parentProjectId;
              await deleteProject(project, parent);
              go(parent === undefined ? '/projects' : `/projects/${parent}`);
            }}
          >
            {texts.delete}
          </Button>
        </section>
      )}
    </div>
  );
}

type Level = NonNullable<ChangedProject['accessLevel']>;
const levels = Object.entries(projectTexts.levels).map(([value, name]) => ({ value, name }));

/** What somebody else changes meanwhile is shown beside what was typed. */
function RecordForm({ project }: { project: Project }) {
  const { id, parentProjectId, capabilities } = project;
  const draft = useDraft(project, {
    toTexts: ({ name, description = '', accessLevel }) => ({ name, description, accessLevel }),
    write({ metadata, settings, rowVersion }, mine) {
      const description = mine.description.trim();
      const mayLevel = capabilities.canEditAccessLevel && parentProjectId === undefined;
      const record = { id, metadata, settings, rowVersion, name: mine.name.trim() };
      const level = mayLevel && { accessLevel: mine.accessLevel as Level };
      return api('PUT /api/metadata/project', { body: { ...record, ...level, ...(description && { description }) } });
    },
    read: () => api('GET /api/metadata/project/{id}', { params: { id } }),
  });
  async function save() {
    if (!(await draft.save())) return;
    refresh('projects', id);
    toast(words.saved);
  }
  return (
    <section class="card padded stack" aria-labelledby="record">
      <h2 id="record">{words.settingsTitle}</h2>
      {draft.note}
      <EntryForm submit={texts.save} disabled={!draft.isChanged || draft.shown.name.trim() === ''} onSubmit={save}>
        {({ fields }) => (
          <>
            <Field label={words.name} {...draft.field('name')} required maxLength={255} error={fields.name} />
            {draft.choice('name', words.name)}
            <Field
              label={words.description}
              {...draft.field('description')}
              lines
              optional
              error={fields.description}
            />
            {draft.choice('description', words.description)}
            {parentProjectId === undefined && (
              <Field
                label={words.access}
                {...draft.field('accessLevel')}
                options={levels}
                disabled={!capabilities.canEditAccessLevel}
                error={fields.accessLevel}
              />
            )}
            {draft.choice('accessLevel', words.access, (level) => projectTexts.levels[level as Level])}
          </>
        )}
      </EntryForm>
    </section>
  );
}
