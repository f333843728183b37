import { useState } from 'preact/hooks';
import { go } from '../../app/router.ts';
import { type Answer, api, type NewProject, type Project } from '../../client/api.ts';
import { refresh } from '../../client/query.ts';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { projectTexts as words } from '../../texts/projects.ts';
import { texts } from '../../texts.ts';
import { chooseProject } from './choose.tsx';

type Named = Pick<Project, 'id' | 'name'>;
type Level = NonNullable<NewProject['accessLevel']>;

const levels = Object.entries(words.levels).map(([value, name]) => ({ value, name }));

/** Asks for the name of a new project, or of a folder in one, and opens it. */
export function createProject(parent?: Named): void {
  openDialog((close) => <NewProjectDialog parent={parent} close={close} />);
}

function NewProjectDialog({ parent, close }: { parent: Named | undefined; close: () => void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [level, setLevel] = useState<string>('Private');
  async function submit() {
    const body: NewProject = { name: name.trim(), ...(description.trim() && { description: description.trim() }) };
    const made = parent
      ? await api('POST /api/metadata/project/{id}/subproject', { params: { id: parent.id }, body })
      : await api('POST /api/metadata/project', { body: { ...body, accessLevel: level as Level } });
    close();
    refresh('projects', parent?.id ?? made.id);
    go(`/projects/${made.id}`);
    toast(words.created(made.name));
  }
  return (
    <Dialog title={parent ? words.newFolder : words.newProject} onClose={close}>
      <EntryForm submit={words.create} onCancel={close} disabled={name.trim() === ''} onSubmit={submit}>
        {({ fields }) => (
          <>
            <Field label={words.name} value={name} onInput={setName} required maxLength={255} error={fields.name} />
            <Field
              label={words.description}
              value={description}
              onInput={setDescription}
              lines
              optional
              error={fields.description}
            />
            {parent === undefined && (
              <Field
                label={words.access}
                value={level}
                onInput={setLevel}
                options={levels}
                error={fields.accessLevel}
              />
            )}
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

/** Asks for another name; of a project also for its description. */
export async function renameProject({ id }: Named): Promise<void> {
  const project = await api('GET /api/metadata/project/{id}', { params: { id } });
  openDialog((close) => <RenameDialog {...project} close={close} save={(change) => saveProject(project, change)} />);
}

async function saveProject(
  { id, metadata, settings, rowVersion }: Project,
  change: { name: string; description?: string },
): Promise<void> {
  await api('PUT /api/metadata/project', { body: { id, metadata, settings, rowVersion, ...change } });
  refresh('projects', id);
}

export async function renameDataset({ id }: Named): Promise<void> {
  const dataset = await api('GET /api/metadata/dataset/{id}', { params: { id } });
  openDialog((close) => <RenameDialog {...dataset} close={close} save={(change) => saveDataset(dataset, change)} />);
}

async function saveDataset(
  dataset: Answer<'GET /api/metadata/dataset/{id}'>,
  change: { name: string; description?: string },
): Promise<void> {
  const { id, projectId, metadata, properties, tags, temporalInformation, spatialInformation, rowVersion } = dataset;
  await api('PUT /api/metadata/project/{id}/dataset', {
    params: { id: projectId },
    body: {
      id,
      metadata,
      properties,
      tags,
      rowVersion,
      ...(temporalInformation && { temporalInformation }),
      ...(spatialInformation && { spatialInformation }),
      ...change,
    },
  });
  refresh(projectId, id);
}

function RenameDialog({
  name: before,
  description: told = '',
  save,
  close,
}: {
  name: string;
  description?: string | undefined;
  save: (change: { name: string; description?: string }) => Promise<void>;
  close: () => void;
}) {
  const [name, setName] = useState(before);
  const [description, setDescription] = useState(told);
  async function submit() {
    await save({ name: name.trim(), ...(description.trim() && { description: description.trim() }) });
    close();
    toast(words.renamed(name.trim()));
  }
  return (
    <Dialog title={`${texts.rename} ${before}`} onClose={close}>
      <EntryForm submit={texts.save} onCancel={close} disabled={name.trim() === ''} onSubmit={submit}>
        {({ fields }) => (
          <>
            <Field label={words.name} value={name} onInput={setName} required maxLength={255} error={fields.name} />
            <Field
              label={words.description}
              value={description}
              onInput={setDescription}
              lines
              optional
              error={fields.description}
            />
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

/** Moves a project to the recycle bin; the toast restores it. */
export async function deleteProject({ id, name }: Named, parentId?: string): Promise<void> {
  await api('DELETE /api/metadata/project/{id}', { params: { id } });
  refresh('projects', parentId ?? id);
  toast(words.deleted(name), {
    name: texts.restore,
    async run() {
      await api('PUT /api/recycle-bin/project/{id}/restore', { params: { id } });
      refresh('projects', parentId ?? id);
      toast(words.restored(name));
    },
  });
}

export async function deleteDataset({ id, name, projectId }: Named & { projectId: string }): Promise<void> {
  await api('DELETE /api/metadata/dataset/{id}', { params: { id } });
  refresh(projectId);
  toast(words.deleted(name), {
    name: texts.restore,
    async run() {
      await api('PUT /api/recycle-bin/dataset/{id}/restore', { params: { id } });
      refresh(projectId);
      toast(words.restored(name));
    },
  });
}

/** Asks where to, and moves a project or dataset there. */
export function moveItem(kind: 'project' | 'dataset', item: Named, from: string | undefined): void {
  chooseProject({
    title: words.moveTitle(item.name),
    text: words.moveWhere,
    action: words.moveHere,
    not: [from, item.id],
    run: (target) => moveTo(kind, item, from, target),
  });
}

/** Moves a project or dataset; the toast moves it back. */
export async function moveTo(kind: 'project' | 'dataset', item: Named, from: string | undefined, target: Named) {
  const move = async (to: string) => {
    const request = { params: { id: item.id }, body: { targetProjectId: to } };
    if (kind === 'project') await api('POST /api/metadata/project/{id}/move', request);
    // later versions move between tenants
    else await api('POST /api/metadata/dataset/{id}/move', { ...request, headers: { 'api-version': '3' } });
    refresh('projects', target.id, item.id, ...(from ? [from] : []));
  };
  await move(target.id);
  const back = from === undefined ? undefined : { name: texts.undo, run: () => move(from) };
  toast(words.moved(item.name, target.name), back);
}

/** Before the id of a dataset that is dragged; a project is its id alone. */
export const DATASET = 'dataset ';

/** Moves a project or dataset that was dropped onto a project. */
export async function dropItem(dragged: string, targetId: string): Promise<void> {
  const project = (id: string) => api('GET /api/metadata/project/{id}', { params: { id } });
  const target = await project(targetId);
  if (dragged.startsWith(DATASET)) {
    const id = dragged.slice(DATASET.length);
    const dataset = await api('GET /api/metadata/dataset/{id}', { params: { id } });
    if (dataset.projectId !== targetId) await moveTo('dataset', dataset, dataset.projectId, target);
  } else {
    const moved = await project(dragged);
    if (moved.parentProjectId !== targetId) await moveTo('project', moved, moved.parentProjectId, target);
  }
}
